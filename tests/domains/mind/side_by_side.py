"""The product and the model side by side: the same steps taken by both, and what they show compared."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis.stateful import RuleBasedStateMachine

from tests.domains.mind.drafts import NAMES, NOBODY, PLENTY, Arguments
from tests.domains.mind.model import EDGE_FIELDS, NODE_FIELDS, Key, Model, Note, Refused, State, Version
from tests.faults.store import Store
from thoughtbox.errors import ThoughtboxError

Shown = dict[str, Any]
T = TypeVar("T")


class Clock:
    """Which numbers the product gave to which ticks of the model: both must tell the same order."""

    def __init__(self) -> None:
        self._seqs: dict[int, set[int]] = defaultdict(set)
        self._cuts: dict[int, int] = {}

    def saw(self, tick: int, seq: int) -> None:
        self._seqs[tick].add(seq)

    def cut(self, tick: int, seq: int) -> None:
        """All that was written up to this tick has at most this number, and the rest has a higher one."""
        self._cuts[tick] = seq

    def assert_in_order(self) -> None:
        newest = 0
        for tick in sorted(self._seqs):
            assert newest < min(self._seqs[tick]), "what is later has a higher number"
            newest = max(self._seqs[tick])
        for cut, last in self._cuts.items():
            assert all((seq <= last) == (tick <= cut) for tick, seqs in self._seqs.items() for seq in seqs)


class SideBySide(RuleBasedStateMachine):
    """A workspace, and what it should hold."""

    fresh_place: Callable[[], AbstractContextManager[str]] = staticmethod(lambda: nullcontext(""))
    """A database URL for a new store; empty for one in memory."""

    def __init__(self) -> None:
        super().__init__()
        self._place = self.fresh_place()
        url = self._place.__enter__()
        self._directory = tempfile.TemporaryDirectory(prefix="thoughtbox-mind-")
        self.store = Store(Path(self._directory.name) if url else None, database_url=url)
        self.model = Model()
        self.clock = Clock()
        self.base_seqs: dict[int, int] = {}
        self.remembered: list[tuple[int, Model]] = []

    def teardown(self) -> None:
        try:
            self.store.assert_whole()
        finally:
            self.store.close()
            self._directory.cleanup()
            self._place.__exit__(None, None, None)

    def some_branch(self, number: int) -> str:
        """A branch that is there; now and then, one that is not."""
        return self.nobody() if number % 20 == NOBODY else self.present(number)

    def present(self, number: int) -> str:
        return self.model.names[number % len(self.model.names)]

    def nobody(self) -> str:
        """A name that no branch has, though one may have had it."""
        return next((name for name in NAMES if name not in self.model.names), "nobody")

    def ask(self, operation: str, arguments: Arguments) -> Shown:
        answer = self.store.call(operation, arguments)
        assert (answer["success"], answer["error"], answer["intent"]) == (True, None, operation)
        return answer["result"]

    def fails(self, operation: str, arguments: Arguments, codes: set[str]) -> None:
        with pytest.raises(ThoughtboxError) as raised:
            self.store.call(operation, arguments)
        assert raised.value.code in codes

    def both(self, operation: str, arguments: Arguments, step: Callable[[], T]) -> tuple[Shown, T] | None:
        """The product and the model take the same step, or both refuse it."""
        try:
            expected = step()
        except Refused as refused:
            self.fails(operation, arguments, set(refused.codes))
            return None
        return self.ask(operation, arguments), expected

    def pages(self, operation: str, arguments: Arguments, limit: int) -> list[Shown]:
        """All pages of an answer, in the order in which they come."""
        pages = [self.ask(operation, {**arguments, "limit": limit})]
        while pages[-1]["pagination"]["has_more"]:
            cursor = pages[-1]["pagination"]["next_cursor"]
            pages.append(self.ask(operation, {**arguments, "limit": limit, "cursor": cursor}))
            assert pages[-1]["pagination"].get("next_cursor") != cursor
        assert all(page["pagination"]["count"] <= limit for page in pages)
        return pages

    def tail_pages(self, operation: str, arguments: Arguments, limit: int) -> list[Shown]:
        """All entries of a document, put together from pages that begin with the newest."""
        pages = self.pages(operation, arguments, limit)
        assert all(len(page["entries"]) == page["pagination"]["count"] == limit for page in pages[:-1])
        return [entry for page in reversed(pages) for entry in page["entries"]]

    def assert_reads_as(self, model: Model, names: list[str], **when: int) -> None:
        """Each of these branches shows what it does in the model, or is not there in either."""
        for name in names:
            if name not in model.names:
                self.fails("show", {"branch": name, "doc": "notes", **when}, {"UNKNOWN_ID"})
                self.fails("graph_query", {"branch": name, **when}, {"UNKNOWN_ID"})
                continue
            for doc in self._docs(model, "notes"):
                entries = self.tail_pages("show", {"branch": name, "doc": doc, **when}, PLENTY)
                self.assert_all_shown(model, model.notes(name, doc), doc, entries)
            for doc in self._docs(model, "graph"):
                shown = self.ask("graph_query", {"branch": name, "doc": doc, "limit": PLENTY, **when})
                nodes = [(("node", node["id"]), node) for node in shown["nodes"]]
                self.assert_newest_first(model.graph_query(name, doc), nodes)
                self.assert_edges(model, name, doc, shown)

    def _docs(self, model: Model, kind: str) -> list[str]:
        """The usual document, and others once there is something in one."""
        written = {doc for branch in model.branches.values() for doc in getattr(branch, kind)}
        return sorted(written | {kind})

    def assert_all_shown(self, model: Model, notes: list[Note], doc: str, shown: list[Shown]) -> None:
        assert len(shown) == len(notes)
        for note, entry in zip(notes, shown, strict=True):
            self.assert_shown(model, note, doc, entry)

    def assert_shown(self, model: Model, note: Note, doc: str, entry: Shown) -> None:
        said = {name: entry.get(name) for name in ("content", "title", "format", "meta")}
        assert said == {name: note.said.get(name) for name in said}
        place = (model.branches[note.branch].name, doc, "note")
        assert (entry["branch"], entry["doc"], entry["kind"]) == place
        self.clock.saw(note.tick, entry["seq"])

    def assert_newest_first(self, expected: list[Version], shown: Sequence[tuple[Key, Shown]]) -> None:
        """All of them, each once, none of them later than the one before it."""
        states = {version.key: version.state for version in expected}
        assert sorted(key for key, _ in shown) == sorted(states)
        assert {key: state_of(key, thing) for key, thing in shown} == states
        seqs = [thing["last_seq"] for _, thing in shown]
        assert seqs == sorted(seqs, reverse=True)
        self._saw(expected, dict(shown))

    def assert_edges(self, model: Model, name: str | None, doc: str, page: Shown) -> None:
        """The edges of a page are those that connect its nodes."""
        expected = model.edges_among(name, doc, [node["id"] for node in page["nodes"]])
        shown: dict[Key, Shown] = {("edge", edge["from"], edge["rel"], edge["to"]): edge for edge in page["edges"]}
        assert len(shown) == len(page["edges"])
        assert {key: state_of(key, edge) for key, edge in shown.items()} == {
            key: version.state for key, version in expected.items()
        }
        self._saw(list(expected.values()), shown)

    def _saw(self, versions: list[Version], shown: dict[Key, Shown]) -> None:
        for version in versions:
            assert shown[version.key]["deleted"] is (version.state is None)
            self.clock.saw(version.tick, shown[version.key]["last_seq"])

    def conflict(self, id: str) -> Shown:
        return self.ask("graph_conflict_show", {"conflict_id": id})["conflict"]


def given(arguments: Arguments) -> Arguments:
    return {name: value for name, value in arguments.items() if value is not None}


def merge_arguments(source: str, into: str | None, doc: str, *, dry_run: bool) -> Arguments:
    where = {"merge_to_base": True} if into is None else {"into": into}
    return {"from": source, "doc": doc, **where, **({"dry_run": True} if dry_run else {})}


def key_of(shown: Shown) -> Key:
    """The key of a change or of a conflict; an edge's is told by its parts, or as one text."""
    if shown["kind"] == "node":
        return ("node", shown["id"] if "id" in shown else shown["key"])
    key = shown["key"]
    return ("edge", *key.split("|")) if isinstance(key, str) else ("edge", key["from"], key["rel"], key["to"])


def state_of(key: Key, shown: Shown | None) -> State:
    """What is shown of a node or an edge, without bookkeeping."""
    if shown is None or shown["deleted"]:
        return None
    state = {name: shown.get(name) for name in (NODE_FIELDS if key[0] == "node" else EDGE_FIELDS)}
    return {**state, "tags": state["tags"] or []} if key[0] == "node" else state
