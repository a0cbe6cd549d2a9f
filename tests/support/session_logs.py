"""Long logs of real sessions: stories that the tests tell, run into a store, and the first records of each taken out.

Time goes on by uneven steps and ids are drawn by chance, as in a store that is used; both are the same each time.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from functools import cache
from random import Random
from typing import Any

from tests.support import mind_day
from tests.support.box import START_MS, WORKSPACE, Box, settings_for
from tests.support.judged import load_judged, record_judged
from tests.support.questions import sessions
from tests.support.thinker import Client
from thoughtbox.app import Thoughtbox
from thoughtbox.operations.caller import ANONYMOUS, Caller
from thoughtbox.world import World

RECORDS = 200

CARD_TYPES = {"H": "hypothesis", "E": "evidence", "O": "evidence", "Q": "question", "C": "decision"}
"""What a line of cipher is among cards; all else is a note."""

Envelope = dict[str, Any]
Arguments = dict[str, Any]
Story = Callable[[Client], Iterator[None]]


READS: dict[str, list[tuple[str, Arguments]]] = {
    "thoughts": [
        ("ledger_tail", {"limit": 100}),
        ("read_thoughts", {"sessionId": "latest", "last": 40}),
        ("list_sessions", {}),
        ("get_structure", {"sessionId": "latest"}),
    ],
    "mind": [
        ("graph_query", {"limit": 100}),
        ("show", {"limit": 100}),
        ("think_query", {}),
        ("mind.context_pack", {}),
    ],
    "memory": [("list_cells", {}), ("ledger_tail", {"limit": 100})],
}
"""What may be asked of each, where the answer is a list."""


@cache
def session_logs() -> dict[str, list[Envelope]]:
    """By room: the first records of a long story."""
    return {room: _log(room) for room in STORIES}


def answers() -> Iterator[tuple[str, Arguments]]:
    """What is answered about the stories: the operation in words, and its answer."""
    for room, reads in READS.items():
        with _told(room) as client:
            for operation, arguments in reads:
                yield f"`{operation}` in the {room} room", client.send(operation, arguments)


def _log(room: str) -> list[Envelope]:
    with _told(room) as client:
        asked = client.box.app.dispatcher.ask(
            WORKSPACE, ANONYMOUS, lambda tx: [dict(record.envelope) for record in tx.ledger.tail(0, limit=RECORDS)]
        )
        return asked.result()


@contextmanager
def _told(room: str) -> Generator[Client]:
    """A client of a store in which a story was told until there were records enough."""
    box = _UsedBox()
    try:
        client = Client(box, stateless=True)
        client.caller = Caller(agent="claude-code", transport="stdio")
        for _ in STORIES[room](client):
            if client.records() >= RECORDS:
                break
        yield client
    finally:
        box.close()


class _UsedBox(Box):
    def __init__(self) -> None:
        self.app = Thoughtbox(settings_for(None), world=_uneven_world())


def _uneven_world() -> World:
    chance = Random("a store that is used")
    now = START_MS

    def now_ms() -> int:
        nonlocal now
        now += chance.randint(3, 40_000)
        return now

    return World(now_ms=now_ms, random_bytes=chance.randbytes)


def _reasoning(client: Client) -> Iterator[None]:
    """The judged sessions, as their own tests record them."""
    for judged in load_judged():
        record_judged(client, judged)
        yield


def _days(client: Client) -> Iterator[None]:
    """The day that the mind room's scenario spends, and behind it the judged sessions as tasks and cards."""
    for _ in mind_day.spend(lambda tool, arguments: client.send(tool, arguments)):
        yield
    for number, judged in enumerate(load_judged(), 2):
        task = client.call("tasks_create", parent="PLAN-001", title=judged.title, steps=mind_day.STEPS)
        client.call("tasks_focus_set", target=task["result"]["id"])
        for place, thought in enumerate(judged.thoughts, 1):
            if "text" in thought:
                client.send("think_card", _card(f"S{number}", place, thought["text"]))
                yield


def _card(prefix: str, place: int, line: str) -> dict[str, Any]:
    """A thought as a card: what a line of cipher refers to is what the card supports."""
    parts = line.split("|", 3)
    marked = len(parts) == 4 and parts[1] in CARD_TYPES
    refers = [f"{prefix}-{part[1:]}" for part in parts[2].split(",") if part[1:].isdigit()] if marked else []
    title = parts[3] if marked else line
    kind = CARD_TYPES[parts[1]] if marked else "note"
    supports = [ref for ref in refers if ref != f"{prefix}-{place}"]
    return {
        **mind_day.card(f"{prefix}-{place}", kind, title, step="focus"),
        **({"supports": supports} if supports else {}),
    }


def _cycles(client: Client) -> Iterator[None]:
    """The cycle that the memory room's scenario runs, for one problem after the other, and what was learnt of each."""
    for session in sessions():
        title, thoughts, tags = session["title"], session["thoughts"], session["tags"]
        begun = client.call("compliance_snapshot", context={"question": title}, context_keys=tags)
        named = {"session_id": begun["session_id"]}
        client.call("compliance_router", **named, snapshot_hash=begun["snapshot_hash"], user_input=thoughts[0])
        yield
        client.call("memory.context_pack", **named)
        client.call("guarded_cycle", **named, phase="DRAFT", input={"draft": thoughts[-2]})
        client.call("finalize_response", **named, draft=thoughts[-2])
        client.call("record_invocation", **named, tool_name="Bash", input={"command": "make"}, output={"exit": 0})
        client.call("governance_validate", **named)
        client.call("guarded_cycle", **named, phase="MEMORY_UPDATE")
        yield
        client.call(
            "record_experience",
            type="effective",
            domain="Debugging",
            situation=thoughts[0],
            approach=thoughts[1],
            reasoning=thoughts[2],
            outcome=thoughts[-1],
            tags=tags,
        )
        for thought in thoughts[3:-1]:
            client.call("record_episode", summary=thought, outcome="success", source="agent", context_keys=tags)
            yield
        client.call("run_consolidation", threshold=1)
        yield


STORIES: dict[str, Story] = {"thoughts": _reasoning, "mind": _days, "memory": _cycles}
