"""Reads that come in pages: under a budget, what was left out of a page is on the next one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import orjson
import pytest

from tests.support.box import Box
from tests.support.mind import Mind
from thoughtbox import domains
from thoughtbox.operations.registry import TABLE

domains.load()

Answer = dict[str, Any]

MANY = 24
BUDGETS = (700, 1_500, 4_000)
LONG = "It was measured on a quiet machine, with the cache cold, and again with it warm. "


@dataclass(frozen=True)
class Paged:
    """One read, what tells its items apart, and how its answer leads on."""

    tool: str
    items: str
    key: Callable[[Answer], Any]
    arguments: Answer = field(default_factory=dict)
    cursor: str = "next_cursor"
    argument: str = "cursor"


def of(name: str) -> Callable[[Answer], Any]:
    return lambda item: item[name]


JOB = {"job": "JOB-001"}
BETWEEN = {"from": "main", "to": "what-if"}
PAGED = [
    Paged("show", "entries", of("seq"), {"branch": "main", "doc": "notes"}),
    Paged("trace_hydrate", "entries", of("seq"), {"ref": "main", "doc": "trace"}),
    Paged("diff", "entries", of("seq"), BETWEEN),
    Paged("log", "commits", of("seq"), {"ref": "main"}),
    Paged("reflog", "entries", of("seq"), {"ref": "main"}),
    Paged("docs_list", "docs", of("doc"), {"ref": "main"}),
    Paged("branch_list", "branches", of("name")),
    Paged("tag_list", "tags", of("name")),
    Paged("graph_query", "nodes", of("id"), {"branch": "main", "doc": "graph", "include_edges": False}),
    Paged("graph_diff", "changes", lambda change: str(change.get("id") or change["key"]), BETWEEN),
    Paged("graph_conflicts", "conflicts", of("conflict_id"), {"into": "main"}),
    Paged("think_pins", "pins", of("id"), {"ref": "main", "graph_doc": "graph"}),
    Paged("think_query", "cards", of("id"), {"ref": "main", "graph_doc": "graph", "all_lanes": True}),
    Paged("tasks_context", "targets", of("id")),
    Paged("anchors_list", "anchors", of("id")),
    Paged("tasks_jobs_list", "jobs", of("id")),
    Paged("tasks_jobs_open", "events", of("seq"), JOB, "next_before_seq", "before_seq"),
    Paged("tasks_jobs_tail", "events", of("seq"), JOB, "next_after_seq", "after_seq"),
    Paged("mind_search", "hits", lambda hit: hit.get("id") or hit["ref"], {"query": "cache"}, "next_offset", "offset"),
]


@pytest.fixture(scope="module")
def mind() -> Iterator[Mind]:
    """A workspace with more of everything than fits into a small answer."""
    box = Box()
    mind = Mind(box)
    mind.branch_create(name="what-if")
    for number in range(MANY):
        _add(mind, number)
    mind.graph_merge(**{"from": "what-if"}, merge_to_base=True)
    yield mind
    box.close()


def _add(mind: Mind, number: int) -> None:
    text = f"{number}: {LONG * (1 + number % 3)}"
    card = {"id": f"C{number}", "type": "hypothesis", "title": f"Cause {number}", "text": text, "tags": ["pinned"]}
    mind.commit(artifact=text, message=f"The cache, {number}")
    mind.tag_create(name=f"v{number}")
    mind.branch_create(name=f"branch-{number}")
    mind.notes_commit(branch="what-if", doc="notes", content=text)
    mind.notes_commit(branch="main", doc=f"notes-{number}", content=text)
    mind.think_card(branch="main", graph_doc="graph", trace_doc="trace", card=card)
    for branch, said in (("main", "ours"), ("what-if", "theirs")):
        op = {"op": "node_upsert", "id": f"N{number}", "type": "note", "title": said, "text": text}
        mind.graph_apply(branch=branch, doc="graph", ops=[op])
    mind.tasks_create(kind="plan", title=f"Plan {number}", description=text)
    mind.macro_anchor_note(anchor=f"a:area-{number}", title=f"Area {number}", kind="ops", content=text)
    mind.tasks_jobs_create(title=f"Job {number}", prompt="Do it")
    mind.tasks_jobs_message(job="JOB-001", message=text)


def pages(mind: Mind, read: Paged, **arguments: Any) -> Iterator[Answer]:
    more: Answer = {}
    while True:
        page = getattr(mind, read.tool)(**read.arguments, **arguments, **more)
        yield page
        cursor = _end_of(page).get(read.cursor)
        if cursor is None or (read.cursor == "next_after_seq" and not page["has_more"]):
            return
        assert more != {read.argument: cursor}, "the same page again"
        more = {read.argument: cursor}


def _end_of(page: Answer) -> Answer:
    return page.get("pagination", page)


def shown(read: Paged, found: list[Answer]) -> list[Any]:
    """The items of all pages; those of a page that is read backwards stand in order of writing."""
    backwards = read.tool in {"show", "trace_hydrate", "diff", "log"}
    return [read.key(item) for page in found for item in (page[read.items][::-1] if backwards else page[read.items])]


def test_every_read_that_takes_a_cursor_is_known_here():
    paged = {
        operation.name
        for operation in TABLE
        if operation.room == "mind" and not operation.writes and any(pages.place for pages in operation.shape.pages)
    }
    taking = {
        operation.name
        for operation in TABLE
        if operation.room == "mind"
        and not operation.writes
        and {"cursor", "offset", "before_seq", "after_seq"} & operation.input.model_fields.keys()
    }
    packs = {"export", "think_watch", "mind.context_pack"}  # which hold pages, and cannot be asked for the next
    assert {read.tool for read in PAGED} == taking == (paged | {"mind_search"}) - packs


@pytest.mark.parametrize("read", PAGED, ids=lambda read: read.tool)
def test_pages_under_a_budget_show_every_item_once_and_count_what_they_show(mind: Mind, read: Paged):
    limit = {} if "limit" not in TABLE.find(read.tool).input.model_fields else {"limit": 50}
    most = {"max_events": 200} if read.tool == "tasks_jobs_open" else {}
    whole = shown(read, list(pages(mind, read, **limit, **most)))
    assert len(whole) >= MANY

    for budget in BUDGETS:
        found = list(pages(mind, read, **limit, **most, max_chars=budget))

        assert shown(read, found) == whole, budget
        assert len(found) > 1 or budget > 1_500, "one page is no test"
        for page in found:
            assert page["budget"]["used_chars"] == len(orjson.dumps(_without_budget(page))) <= budget
            end = _end_of(page)
            assert end.get("count", len(page[read.items])) == len(page[read.items])
            assert end.get("has_more", True) or page is found[-1]


def _without_budget(page: Answer) -> Answer:
    return {name: part for name, part in page.items() if name != "budget"}


def test_the_call_that_is_suggested_for_the_next_page_leads_on_from_what_is_shown(mind: Mind):
    arguments = {"branch": "main", "doc": "graph", "limit": 200, "include_edges": False, "max_chars": 1_500}
    whole = mind.graph_query(**{**arguments, "max_chars": 1_000_000})["nodes"]

    answer, seen = mind.whole("graph_query", **arguments), []
    while True:
        seen += [node["id"] for node in answer["result"]["nodes"]]
        on = [each for each in answer["suggestions"] if "cursor" in each["params"]]
        if not on:
            break
        answer = mind.send(on[0])

    assert seen == [node["id"] for node in whole]


def test_a_page_that_has_room_for_nothing_leads_to_itself_again(mind: Mind):
    first = mind.show(branch="main", doc="notes", limit=5)["pagination"]["next_cursor"]

    page = mind.show(branch="main", doc="notes", limit=5, cursor=first, max_chars=230)

    assert page["entries"][0]["type"] == "summary"
    assert page["pagination"] | {"limit": 5} == {
        "cursor": first,
        "next_cursor": first,
        "has_more": True,
        "limit": 5,
        "count": 0,
    }


def packed(mind: Mind) -> Iterator[tuple[str, Answer]]:
    """Pages inside of other answers, with their documents."""
    docs = {"notes_doc": "notes", "trace_doc": "trace", "graph_doc": "graph"}
    pack = mind.context_pack(ref="main", **docs, notes_limit=20, max_chars=9_000)
    watch = mind.think_watch(ref="main", trace_doc="trace", graph_doc="graph", trace_limit_steps=20, max_chars=6_000)
    yield from (("notes", pack["notes"]), ("trace", pack["trace"]), ("trace", watch["trace"]))


def test_a_pack_says_of_its_notes_and_its_trace_where_what_is_shown_of_them_ends(mind: Mind):
    for part, shown in packed(mind):
        page, entries = shown["pagination"], shown["entries"]
        assert page["count"] == len(entries)
        assert page["has_more"]
        assert page["next_cursor"] == entries[0]["seq"]
        before = mind.show(branch="main", doc=part, cursor=page["next_cursor"], limit=1)["entries"]
        assert before[0]["seq"] < entries[0]["seq"]
