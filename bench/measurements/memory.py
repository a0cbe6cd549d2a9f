"""The memory room: whether the number of experiences makes anything slower than it need be, and nothing gets lost."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

from bench.client import Client
from bench.clock import medians
from bench.measurements.mind import Workspace
from bench.run import Run, settings_for
from bench.servers import BIN, Server
from bench.table import Line, at_least, at_most
from tests.support.questions import sessions
from thoughtbox.app import Thoughtbox
from thoughtbox.operations.caller import ANONYMOUS

FEW, MANY = 100, 50_000
EPISODES_FEW, EPISODES = 500, 5_000
DOMAINS = ("Tools", "Protocol", "Communication", "Process", "Debugging", "Decision")
WORDS_OF_A_TEXT = 18
PER_WRITER = 500
READS = 5_000
READS_BEFORE = 6_000
"""Until readers have the pages that they keep."""
FLAT_MB = 8.0
"""What a process may grow by over many reads: what an allocator keeps, not what each read leaves."""


def measure(run: Run) -> Iterator[Line]:
    many = MANY if not run.quick else MANY // 25
    with Thoughtbox(settings_for(run.new_directory(), project_root=str(run.new_directory()))) as box:
        spaces = {size: _experiences(box, size) for size in (FEW, many)}
        yield from _knowledge(run, box, spaces, many)
        yield from _consolidation(run, box)
    yield from _parallel(run)
    yield from _reads(run)


@cache
def _words() -> list[str]:
    return " ".join(text for session in sessions() for text in session["thoughts"]).split()


def _text(chance: random.Random) -> str:
    return " ".join(chance.choices(_words(), k=WORDS_OF_A_TEXT))


def _experience(chance: random.Random) -> dict[str, Any]:
    return {
        "type": chance.choice(("effective", "ineffective")),
        "domain": chance.choice(DOMAINS),
        **{part: _text(chance) for part in ("situation", "approach", "outcome", "reasoning")},
        "confidence": round(chance.random(), 2),
        "tags": chance.sample(("cache", "deploy", "mail", "index", "queue", "release"), 2),
    }


def _experiences(box: Thoughtbox, size: int) -> Workspace:
    space = Workspace(box, f"experiences-{size}")
    chance = random.Random(size)
    space.fill("record_experience", (_experience(chance) for _ in range(size)))
    return space


def _knowledge(run: Run, box: Thoughtbox, spaces: dict[int, Workspace], many: int) -> Iterator[Line]:
    chance = random.Random(7)
    rounds, warm_up = run.rounds(200, 50), 10
    questions = [" ".join(chance.choices(_words(), k=4)) for _ in range(2 * (rounds + warm_up))]
    heads = {size: _head(box, space) for size, space in spaces.items()}
    searches = {size: _search(space, iter(questions)) for size, space in spaces.items()}
    p50 = medians(rounds, searches, warm_up=warm_up)
    written = sum(_head(box, space) - heads[size] for size, space in spaces.items())
    yield _growth("search_experiences` (limit 20)", p50, many)
    yield Line(what="records written by those searches", value=written, unit="records", bar=at_most(0))

    def record(space: Workspace) -> Callable[[], object]:
        return lambda: space.call("record_experience", **_experience(chance))

    p50 = medians(rounds, {size: record(space) for size, space in spaces.items()}, warm_up=warm_up)
    yield _growth("record_experience`", p50, many)
    packs = {size: _packing(space, rounds + warm_up) for size, space in spaces.items()}
    p50 = medians(rounds, packs, warm_up=warm_up)
    yield _growth("context_pack`", p50, many)


def _growth(what: str, p50: dict[int, float], many: int) -> Line:
    return Line(
        what=f"`{what} at {many:,} experiences, p50",
        value=p50[many] * 1e6,
        unit="µs",
        against=p50[FEW] * 1e6,
        against_what=f"at {FEW}",
        bar=at_most(3),
    )


def _search(space: Workspace, questions: Iterator[str]) -> Callable[[], object]:
    return lambda: space.call("search_experiences", query=next(questions), limit=20)


def _packing(space: Workspace, times: int) -> Callable[[], object]:
    """Pack a context, each time for a session that has just been routed there."""
    waiting = []
    for _ in range(times):
        begun = space.call("compliance_snapshot", scope="project", context_keys=["cache"])
        named = {"session_id": begun["session_id"]}
        space.call("compliance_router", **named, snapshot_hash=begun["snapshot_hash"], user_input="Warm the cache")
        waiting.append(named)
    return lambda: space.call("memory.context_pack", **waiting.pop(), context_keys=["cache"])


def _head(box: Thoughtbox, space: Workspace) -> int:
    return box.dispatcher.ask(space.name, ANONYMOUS, lambda tx: tx.ledger.last_seq()).result()


def _consolidation(run: Run, box: Thoughtbox) -> Iterator[Line]:
    """New episodes, every sentence of which is a rule."""
    taken: dict[int, float] = {}
    for size in (EPISODES_FEW, EPISODES):
        rounds = []
        for number in range(run.rounds(3, 1)):
            space = Workspace(box, f"episodes-{size}-{number}")
            chance = random.Random(size + number)
            space.fill("record_episode", (_episode(chance) for _ in range(size)))
            began = time.perf_counter()
            processed = space.call("run_consolidation", scope="project")["processed"]
            rounds.append(time.perf_counter() - began)
            if processed != size:
                raise RuntimeError(f"{processed} of {size} episodes were consolidated")
        taken[size] = sorted(rounds)[len(rounds) // 2]
    yield Line(
        what=f"`run_consolidation` of {EPISODES:,} new episodes",
        value=taken[EPISODES] * 1e3,
        unit="ms",
        against=taken[EPISODES_FEW] * 1e3,
        against_what=f"of {EPISODES_FEW}",
        bar=at_most(14),
    )


def _episode(chance: random.Random) -> dict[str, Any]:
    rule = f"Always {' '.join(chance.choices(_words(), k=6))}. Never {' '.join(chance.choices(_words(), k=6))}."
    return {
        "summary": rule,
        "outcome": "success",
        "source": "agent",
        "context_keys": chance.sample(("cache", "deploy", "mail", "index", "queue", "release"), 2),
    }


def _parallel(run: Run) -> Iterator[Line]:
    """Two servers on one project, each with a client that records as fast as it is answered."""
    directory, project = run.new_directory(), run.new_directory()
    per_writer = run.rounds(PER_WRITER, PER_WRITER // 5)

    def write(writer: int) -> None:
        chance = random.Random(writer)
        with Client(_server(directory, project)) as client:
            for _ in range(per_writer):
                client.call_tool("record_experience", _experience(chance))

    with ThreadPoolExecutor(2) as writers:
        began = time.perf_counter()
        list(writers.map(write, range(2)))
        seconds = time.perf_counter() - began
    with Client(_server(directory, project)) as client:
        found = client.call_tool("export_experiences", {"format": "json", "output_path": "all.json"})
        kept = found["structuredContent"]["count"]
        health = client.call_tool("health_check", {})["structuredContent"]
    yield Line(
        what=f"experiences kept of two servers that record {per_writer} each at once",
        value=kept,
        unit="records",
        against=2 * per_writer,
        against_what="sent",
        bar=at_least(1),
    )
    yield Line(what="and how fast they were", value=2 * per_writer / seconds, unit="/s")
    if not health["healthy"]:
        run.notes.append(f"After that the store was not healthy: {health}.")


def _reads(run: Run) -> Iterator[Line]:
    """What a server holds after many reads, against what it held when it had warmed up."""
    with Client(_server(run.new_directory(), run.new_directory())) as client:
        chance = random.Random(1)
        for _ in range(FEW):
            client.call_tool("record_experience", _experience(chance))
        kinds = [
            ("get_experience", {"id": 1}),
            ("search_experiences", {"query": "cache index"}),
            ("get_config", {}),
        ]

        def read(times: int) -> float:
            for number in range(times):
                client.call_tool(*kinds[number % len(kinds)])
            return client.resident_mb()

        before = read(run.rounds(READS_BEFORE, READS_BEFORE // 5))
        after = read(run.rounds(READS, READS // 5))
    yield Line(
        what=f"resident memory gained over {run.rounds(READS, READS // 5):,} reads",
        value=max(0.0, after - before),
        unit="MB",
        bar=at_most(FLAT_MB),
    )


def _server(directory: Path, project: Path) -> Server:
    project.mkdir(parents=True, exist_ok=True)
    return Server(
        "memory",
        [str(BIN / "thoughtbox"), "serve", "--transport", "stdio"],
        "health_check",
        lambda number: {},
        {
            "THOUGHTBOX_DATA_DIR": str(directory),
            "THOUGHTBOX_PROJECT_ROOT": str(project),
            "THOUGHTBOX_DURABILITY": "normal",
        },
    )
