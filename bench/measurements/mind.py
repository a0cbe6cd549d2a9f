"""The mind room: whether the number of cards, or the depth of a branch, makes anything slower than it need be."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

from bench.clock import medians
from bench.measurements.thoughts import Thinker
from bench.run import Run, settings_for
from bench.stores import CALLER, TEXT
from bench.table import Line, at_least, at_most
from thoughtbox.app import Thoughtbox
from thoughtbox.operations.dispatch import Answer, Call

FEW, MANY, MOST = 100, 10_000, 100_000
AT_ONCE = 500
FORKS = 20
MERGED = 1_000
MERGED_FEW = 100
TYPES = ("hypothesis", "question", "test", "evidence", "decision", "note", "update", "frame")

READS: dict[str, dict[str, Any]] = {
    "graph_query": {},
    "think_context": {},
    "think_pack": {},
    "context_pack": {"max_chars": 20_000},
}

PUBLIC = {"context_pack": 6_190.0, "graph_query": 5_334.0}
"""What the public implementation of this contract needs at 10,000 cards, in milliseconds, measured on another day."""
PUBLIC_WRITES = "note 250 µs, card 500 µs"
AHEAD = 100


class Workspace:
    """Calls in one workspace."""

    def __init__(self, box: Thoughtbox, name: str) -> None:
        self._box = box
        self.name = name

    def call(self, operation: str, **arguments: Any) -> Answer:
        return self._box.dispatcher.call(
            Call(operation=operation, workspace=self.name, arguments=arguments, caller=CALLER)
        )

    def fill(self, operation: str, calls: Iterator[dict[str, Any]]) -> None:
        """Many calls of an operation, some at a time."""
        waiting: list[dict[str, Any]] = []
        for arguments in calls:
            waiting.append({"operation": operation, "arguments": arguments})
            if len(waiting) == AT_ONCE:
                self.call("batch", calls=waiting)
                waiting = []
        if waiting:
            self.call("batch", calls=waiting)


def measure(run: Run) -> Iterator[Line]:
    most = MOST if not run.quick else MOST // 10
    many = MANY if not run.quick else MANY // 10
    with Thoughtbox(settings_for(run.new_directory())) as box:
        spaces = {size: _cards(box, size) for size in (FEW, many, most)}
        yield from _writes(run, box, spaces[FEW], spaces[most], most)
        yield from _reads(run, spaces, many, most)
        yield from _merges(run, box)
        yield from _forks(run, box, most)


def _cards(box: Thoughtbox, size: int) -> Workspace:
    """A workspace with that many cards, each supporting one before it, some pinned and most of them settled."""
    space = Workspace(box, f"cards-{size}")
    space.fill("think_card", (_card(number) for number in range(size)))
    return space


def _card(number: int) -> dict[str, Any]:
    card = {
        "id": f"C{number}",
        "type": TYPES[number % len(TYPES)],
        "title": f"Card {number}",
        "text": TEXT,
        "status": "open" if number % 5 == 0 else "closed",
        "tags": ["pinned"] if number % 1000 == 0 else [],
    }
    return {"card": card, **({"supports": [f"C{number - 1}"]} if number % 2 else {})}


def _writes(run: Run, box: Thoughtbox, few: Workspace, most: Workspace, size: int) -> Iterator[Line]:
    thinker = Thinker(box, "thoughts beside cards")
    number = iter(range(10**9))

    def card(space: Workspace) -> Callable[[], object]:
        return lambda: space.call("think_card", card={"type": "hypothesis", "title": f"{next(number)}", "text": TEXT})

    def note(space: Workspace) -> Callable[[], object]:
        return lambda: space.call("notes_commit", content=TEXT)

    actions = {
        "thought": lambda: thinker.call("thought", thought=TEXT),
        "note, few": note(few),
        "note": note(most),
        "card, few": card(few),
        "card": card(most),
    }
    p50 = medians(run.rounds(600, 200), actions, warm_up=30)
    for what, operation in (("note", "notes_commit"), ("card", "think_card")):
        yield Line(
            what=f"`{operation}` at {size:,} cards, p50",
            value=p50[what] * 1e6,
            unit="µs",
            against=p50[f"{what}, few"] * 1e6,
            against_what=f"at {FEW}",
            bar=at_most(1.3),
        )
        yield Line(
            what=f"`{operation}`, p50",
            value=p50[f"{what}, few"] * 1e6,
            unit="µs",
            against=p50["thought"] * 1e6,
            against_what="`thought`",
            bar=at_most(1.5),
        )
    run.notes.append(
        f"The public implementation of the mind room's contract, measured on another day: {PUBLIC_WRITES}."
    )


def _reads(run: Run, spaces: dict[int, Workspace], many: int, most: int) -> Iterator[Line]:
    for operation, arguments in READS.items():

        def read(space: Workspace, operation: str = operation, arguments: Any = arguments) -> Callable[[], object]:
            return lambda: space.call(operation, **arguments)

        p50 = medians(run.rounds(100, 30), {size: read(space) for size, space in spaces.items()}, warm_up=5)
        cpu = _cpu(read(spaces[many]), run.rounds(50, 20))
        yield Line(
            what=f"`{operation}` at {many:,} cards, p50",
            value=p50[many] * 1e6,
            unit="µs",
            against=p50[FEW] * 1e6,
            against_what=f"at {FEW}",
            bar=at_most(3),
        )
        yield Line(what=f"`{operation}` at {many:,} cards, CPU", value=cpu * 1e3, unit="ms", bar=at_most(25))
        yield Line(
            what=f"`{operation}` at {most:,} cards, p50",
            value=p50[most] * 1e6,
            unit="µs",
            against=p50[many] * 1e6,
            against_what=f"at {many:,}",
            bar=at_most(3),
        )
        if operation in PUBLIC and not run.quick:
            yield Line(
                what=f"public implementation's `{operation}` at {many:,} cards, another day",
                value=PUBLIC[operation],
                unit="ms",
                against=p50[many] * 1e3,
                against_what="ours",
                bar=at_least(AHEAD),
            )


def _cpu(action: Callable[[], object], rounds: int) -> float:
    """Seconds of CPU that one call takes, in all threads of this process."""
    action()
    began = time.process_time()
    for _ in range(rounds):
        action()
    return (time.process_time() - began) / rounds


def _merges(run: Run, box: Thoughtbox) -> Iterator[Line]:
    """The time of a merge of many changed keys against one of few: each is one call, and one transaction."""
    space = Workspace(box, "merges")
    taken: dict[int, float] = {}
    for size in (MERGED_FEW, MERGED):
        rounds = []
        for number in range(run.rounds(5, 2)):
            name = f"what-if-{size}-{number}"
            space.call("branch_create", name=name, **{"from": "main"})
            ops = [
                {"op": "node_upsert", "id": f"{name}-{key}", "type": "idea", "title": TEXT[:80]} for key in range(size)
            ]
            for start in range(0, size, AT_ONCE):
                space.call("graph_apply", branch=name, ops=ops[start : start + AT_ONCE])
            began = time.perf_counter()
            merged = space.call("graph_merge", **{"from": name}, merge_to_base=True, limit=size)["result"]["merged"]
            rounds.append(time.perf_counter() - began)
            assert merged == size, f"{merged} of {size} keys were merged"
        taken[size] = sorted(rounds)[len(rounds) // 2]
    yield Line(
        what=f"`graph_merge` of {MERGED:,} changed keys",
        value=taken[MERGED] * 1e3,
        unit="ms",
        against=taken[MERGED_FEW] * 1e3,
        against_what=f"of {MERGED_FEW}",
        bar=at_most(12),
    )


def _forks(run: Run, box: Thoughtbox, entries: int) -> Iterator[Line]:
    space = Workspace(box, "forks")
    space.fill("notes_commit", ({"content": f"{number}. {TEXT}"} for number in range(entries)))
    base = "main"
    for depth in range(1, FORKS + 1):
        name = f"fork-{depth}"
        space.call("branch_create", name=name, **{"from": base})
        base = name

    def show(branch: str) -> Callable[[], object]:
        return lambda: space.call("show", branch=branch, doc_kind="notes")

    p50 = medians(run.rounds(300, 50), {"deep": show(base), "flat": show("fork-1")}, warm_up=10)
    yield Line(
        what=f"`show` on a branch {FORKS} forks deep over {entries:,} entries, p50",
        value=p50["deep"] * 1e6,
        unit="µs",
        against=p50["flat"] * 1e6,
        against_what="1 fork deep",
        bar=at_most(2),
    )
