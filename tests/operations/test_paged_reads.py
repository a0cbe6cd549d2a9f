"""Reads that come in pages: every page within its budget, every item once, and a word when something was cut."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import orjson
import pytest

from tests.support.box import Box
from tests.support.boxes import box, open_box
from tests.support.thinker import Client
from thoughtbox import domains
from thoughtbox.operations.budget import HARD_CEILING
from thoughtbox.operations.registry import TABLE, Operation

__all__ = ["box", "open_box"]

domains.load()

Answer = dict[str, Any]
WAYS_ON = {"cursor": "cursor", "nextOffset": "offset", "next_after": "after"}
"""What an answer says of the next page, and the argument that asks for it."""

SESSIONS, THOUGHTS, PATTERNS = 30, 130, 45
NOTEBOOK_CELLS = 60
LONG = 30_000
ROOMY, TIGHT = 6_000, 600
BUDGET = dict.fromkeys(("ledger_tail", "list_cells"), "max_chars")
"""What the budget is called, where the room spells it otherwise."""


@dataclass(frozen=True)
class Paged:
    """One read, and what its pages are made of."""

    operation: str
    items: Callable[[Answer], list[Any]]
    arguments: dict[str, Any] = field(default_factory=dict)
    count: int | None = None
    """How many there are, where that is plain."""


def each(part: str, *keys: str) -> Callable[[Answer], list[Any]]:
    """The items of a list in the answer, by what tells them apart."""

    def items(answer: Answer) -> list[Any]:
        return [tuple(_at(item, key) for key in keys) for item in answer[part]]

    return items


def _at(item: Any, path: str) -> Any:
    for name in path.split("."):
        item = item[name]
    return item


PAGED = [
    Paged("ledger_tail", each("records", "id")),
    Paged("list_sessions", each("sessions", "id"), count=SESSIONS + 1),
    Paged("session.list", each("sessions", "id"), count=SESSIONS + 1),
    Paged("session.search", each("sessions", "id"), {"query": "session"}, count=SESSIONS + 1),
    Paged("session.get", each("thoughts", "id"), count=THOUGHTS),
    Paged("session.export", lambda answer: [answer["content"]], {"format": "json"}),
    Paged("read_thoughts", each("thoughts", "id"), {"kind": "claim"}, count=THOUGHTS),
    Paged("get_structure", each("edges", "from", "to", "type")),
    Paged("knowledge.list_patterns", each("patterns", "id"), count=PATTERNS),
    Paged("knowledge.list_notes", each("notes", "id"), count=PATTERNS),
    Paged("list_cells", each("cells", "cell_id"), count=PATTERNS),
    Paged("notebook.list", each("notebooks", "id"), count=PATTERNS),
    Paged("notebook.history", each("events", "id"), {"notebookId": "latest"}, count=NOTEBOOK_CELLS + 1),
    Paged("notebook.search", each("hits", "id"), {"query": "notebook"}),
    Paged("notebook.export", lambda answer: [answer["content"]], {"notebookId": "latest"}),
    Paged("authored", each("records", "id"), {"session": "code"}, count=PATTERNS),
    Paged("authored_search", each("records", "id"), {"query": "claim"}, count=PATTERNS),
]


TEXTS = ("session.export", "notebook.export")
LISTS = [read for read in PAGED if read.operation not in TEXTS]
"""Without the one whose pages are pieces of a text."""


def is_paged(operation: Operation) -> bool:
    return not operation.writes and bool(
        set(WAYS_ON) & set(operation.output.model_json_schema(by_alias=True).get("properties", {}))
    )


def pages(mia: Client, read: Paged, **arguments: Any) -> Iterator[Answer]:
    more: Answer = {}
    while True:
        page = mia.call(read.operation, **read.arguments, **arguments, **more)
        yield page
        way_on = next((name for name in WAYS_ON if page.get(name) is not None), None)
        if way_on is None or (way_on == "next_after" and not read.items(page)):
            return
        assert more != {WAYS_ON[way_on]: page[way_on]}, "the same page again"
        more = {WAYS_ON[way_on]: page[way_on]}


@pytest.fixture
def mia(box: Box) -> Client:
    """In a workspace with more of everything than fits on a page, and some of it long."""
    mia = Client(box)
    for number in range(SESSIONS):
        mia.start_new(sessionTitle=f"A session, number {number}", sessionTags=[f"{n}" + "t" * 90 for n in range(20)])
    mia.ready(sessionTitle="The session to read")
    for number in range(THOUGHTS):
        text = "x" * LONG if number % 40 == 7 else f"Thought {number}, refined: [S{max(1, number)}]"
        branch = {"branchId": f"b{number}", "branchFromThought": 3} if number % 25 == 24 else {}
        mia.think(text, **branch)
    for number in range(PATTERNS):
        written = {"title": f"Entry {number}", "content": "c" * 3_000}
        mia.call("knowledge.create_pattern", **written, description="d" * 900)
        mia.call("knowledge.write_note", **written)
        mia.call("claim", text=f"A claim, number {number} " + "r" * 3_000, session="code")
        mia.call("record_episode", summary=f"Always do {number} " + "r" * 300, outcome="success", source="agent")
        mia.call("notebook.create", name=f"A notebook, number {number} " + "n" * 150)
    mia.call("run_consolidation")
    for number in range(NOTEBOOK_CELLS):
        text = f"A cell of a notebook, number {number} " + "c" * 3_000
        mia.call("notebook.add_cell", notebookId="latest", type="markdown", content=text)
    return mia


def smaller_pages(read: Paged) -> Answer:
    return {"maxChars": 20_000} if read.operation in TEXTS else {"limit": 7}


def test_every_paged_read_is_known_here():
    assert {read.operation for read in PAGED} == {operation.name for operation in TABLE if is_paged(operation)}


def test_pages_stay_within_the_ceiling_and_show_every_item_once(mia: Client):
    for read in PAGED:
        few = list(pages(mia, read))
        many = list(pages(mia, read, **smaller_pages(read)))

        assert len(few) < len(many), f"{read.operation}: one page is no test"
        assert all(len(orjson.dumps(page)) <= HARD_CEILING for page in few), read.operation
        items, again = ([item for page in found for item in read.items(page)] for found in (few, many))
        if read.operation == "session.export":
            assert exported(items) == exported(again)
            assert len(exported(items)) == THOUGHTS
        elif read.operation == "notebook.export":
            assert "".join(items) == "".join(again)
        else:
            assert len(items) == len(set(items)) == (read.count or len(items)), read.operation
            assert again == items, f"{read.operation}: what is shown depends on where pages end"


def exported(pieces: list[str]) -> list[Any]:
    return orjson.loads("".join(pieces))["nodes"]


def test_pages_under_a_budget_show_every_item_once(mia: Client):
    """What a budget leaves no room for belongs on the next page, not between two."""
    lost: dict[str, int] = {}
    for read in LISTS:
        under = list(pages(mia, read, **{BUDGET.get(read.operation, "maxChars"): ROOMY}))

        assert all(fits(page, ROOMY) for page in under), read.operation
        shown = [item for page in under for item in read.items(page)]
        assert len(shown) == len(set(shown)), f"{read.operation} shows something twice"
        missing = {item for page in pages(mia, read) for item in read.items(page)}.difference(shown)
        if missing:
            lost[read.operation] = len(missing)
    assert lost == {}


def test_a_page_under_a_tight_budget_fits_and_says_what_was_cut_or_how_to_go_on(mia: Client):
    for read in PAGED:
        whole = mia.call(read.operation, **read.arguments)

        answer = mia.call(read.operation, **read.arguments, **{BUDGET.get(read.operation, "maxChars"): TIGHT})

        assert fits(answer, TIGHT), read.operation
        if answer != whole:
            said = [answer["budget"]["truncated"], *(name in answer for name in WAYS_ON)]
            assert any(said), read.operation


def fits(answer: Answer, budget: int) -> bool:
    return len(orjson.dumps({name: part for name, part in answer.items() if name != "budget"})) <= budget
