"""Branches against plain lists: whatever is done, in whatever order, each shows and logs what its list holds.

Every branch of the model has the whole list of what it shows, and for each entry the list that led up to it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from tests.support.box import Box
from tests.support.branching import merge, texts
from tests.support.mind import Mind
from thoughtbox.domains.mind.view.documents import Documents
from thoughtbox.domains.mind.view.refs import Refs
from thoughtbox.ledger.replay import rebuild

NAMES = st.sampled_from(["main", "a", "b", "c", "d"])
NUMBERS = st.integers(0, 10**6)
"""Picks one of what there is at the time."""


class Note(NamedTuple):
    seq: int
    origin: int
    text: str


@dataclass
class Line:
    """A branch as plain lists hold it."""

    base: str | None = None
    shown: list[Note] = field(default_factory=list)
    history: list[Note] = field(default_factory=list)
    led_to: dict[int, list[Note]] = field(default_factory=dict)
    head: int | None = None

    def add(self, note: Note) -> None:
        self.shown.append(note)
        self.history.append(note)
        self.led_to[note.seq] = list(self.history)

    @property
    def log(self) -> list[str]:
        led = self.history if self.head is None else self.led_to[self.head]
        return [note.text for note in led]

    def fork(self, name: str) -> Line:
        return Line(name, list(self.shown), list(self.history), dict(self.led_to))


class Story(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.box = Box()
        self.mind = Mind(self.box)
        self.mind.checkout(ref="main")
        self.lines = {"main": Line()}
        self.current = "main"
        self.written = 0

    def teardown(self) -> None:
        assert rebuild(self.box.app.engine, Documents)
        assert rebuild(self.box.app.engine, Refs)
        self.box.close()

    def text(self) -> str:
        self.written += 1
        return f"n{self.written}"

    @rule(name=NAMES, source=NAMES)
    def create(self, name: str, source: str) -> None:
        if name in self.lines or source not in self.lines:
            assert self.mind.refused("branch_create", name=name, **{"from": source})
            return
        self.mind.branch_create(name=name, **{"from": source})
        self.lines[name] = self.lines[source].fork(source)

    @rule(branch=NAMES)
    def note(self, branch: str) -> None:
        if branch in self.lines:
            text = self.text()
            seq = self.mind.notes_commit(branch=branch, content=text)["entry"]["seq"]
            self.lines[branch].add(Note(seq, seq, text))

    @rule()
    def commit(self) -> None:
        text = self.text()
        (made,) = self.mind.commit(artifact=text, message="m")["commits"]
        line = self.lines[self.current]
        line.add(Note(made["seq"], made["seq"], text))
        line.head = made["seq"]

    @precondition(lambda self: self.lines[self.current].shown)
    @rule(number=NUMBERS)
    def reset(self, number: int) -> None:
        line = self.lines[self.current]
        target = line.shown[number % len(line.shown)]
        self.mind.reset(ref=target.seq)
        if line.head != target.seq:
            line.head, line.history = target.seq, list(line.led_to[target.seq])

    @rule(branch=NAMES)
    def checkout(self, branch: str) -> None:
        if branch in self.lines:
            self.mind.checkout(ref=branch)
            self.current = branch

    @rule(old=NAMES, new=NAMES)
    def rename(self, old: str, new: str) -> None:
        if old not in self.lines or new in self.lines:
            assert self.mind.refused("branch_rename", old=old, new=new)
            return
        self.mind.branch_rename(old=old, new=new)
        self.lines[new] = self.lines.pop(old)
        self.current = new if self.current == old else self.current
        for line in self.lines.values():
            line.base = new if line.base == old else line.base

    @rule(branch=NAMES)
    def delete(self, branch: str) -> None:
        is_base = any(line.base == branch for line in self.lines.values())
        if branch not in self.lines or branch == self.current or is_base:
            assert self.mind.refused("branch_delete", name=branch)
            return
        self.mind.branch_delete(name=branch)
        del self.lines[branch]

    @rule(source=NAMES, into=NAMES)
    def merge(self, source: str, into: str) -> None:
        if not {source, into} <= self.lines.keys() or source == into:
            assert self.mind.refused("merge", **{"from": source, "into": into})
            return
        target = self.lines[into]
        there = {note.origin for note in target.shown}
        known = {note.seq for note in target.shown}
        looked_at = [note for note in self.lines[source].shown if note.seq not in known]
        wanted: list[Note] = []
        for note in looked_at:
            if note.origin not in there:
                there.add(note.origin)
                wanted.append(note)

        assert merge(self.mind, source, into) == (len(wanted), len(looked_at) - len(wanted))

        copies = self.mind.show(branch=into, doc_kind="notes", limit=200)["entries"][len(target.shown) :]
        assert [copy["content"] for copy in copies] == [note.text for note in wanted]
        for copy, note in zip(copies, wanted, strict=True):
            target.add(Note(copy["seq"], note.origin, note.text))

    @invariant()
    def every_branch_shows_and_logs_what_its_list_holds(self) -> None:
        assert [branch["name"] for branch in self.mind.branch_list()["branches"]] == sorted(self.lines)
        for name, line in self.lines.items():
            assert texts(self.mind, name) == [note.text for note in line.shown]
            assert [made["artifact"] for made in self.mind.log(ref=name, limit=200)["commits"]] == line.log
            known = {note.seq for note in self.lines[self.current].shown}
            further = self.mind.diff(**{"from": self.current, "to": name, "limit": 200})["entries"]
            assert [entry["seq"] for entry in further] == [note.seq for note in line.shown if note.seq not in known]


def run(*, stories: int, steps: int, derandomize: bool) -> None:
    run_state_machine_as_test(
        Story,
        settings=settings(
            max_examples=stories,
            stateful_step_count=steps,
            derandomize=derandomize,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_branches_show_and_log_what_plain_lists_would_hold():
    run(stories=15, steps=30, derandomize=True)


@pytest.mark.torture
def test_branches_show_and_log_what_plain_lists_would_hold_in_many_stories():
    run(stories=200, steps=60, derandomize=False)
