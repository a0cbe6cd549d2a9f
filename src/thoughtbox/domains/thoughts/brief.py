"""A session in brief: what whoever goes on with it must know, within a budget, whatever the session's size.

All of it is looked up; nothing here reads a whole session.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import orjson

from thoughtbox import content
from thoughtbox.domains.thoughts.answers import Brief, Stands, ThoughtLine
from thoughtbox.domains.thoughts.cipher.notation import said_in
from thoughtbox.domains.thoughts.cutting import cut
from thoughtbox.domains.thoughts.model.reasoning import State
from thoughtbox.domains.thoughts.model.session import Session
from thoughtbox.domains.thoughts.model.thought import Thought
from thoughtbox.domains.thoughts.numbers import next_number, thought_name
from thoughtbox.domains.thoughts.records import how_they_stand, last_of, thoughts_at
from thoughtbox.domains.thoughts.view.lines import MAIN
from thoughtbox.domains.thoughts.view.thoughts import Thoughts
from thoughtbox.operations import Tx

DEFAULT_CHARS = 1_500
"""Of the whole answer, as it goes over the wire."""
MOST_OF_A_KIND = 30
"""Lines of each kind, however large the budget is."""
LAST_SHOWN = 5

_SHORTEST_LINE, _LONGEST_LINE = 40, 1_000
_OF_THE_ROOM = 11
"""A line takes no more than this part of the room, so that there is one of every kind."""
_LONGER = 3 / 2
"""How much longer the problem and the last thoughts may be."""
_FOR_MORE = len(',"more":150')


def notation() -> str:
    """How thoughts are written, as short as can be."""
    return content.text("cipher-brief.md").strip()


def fill(tx: Tx, session: Session, brief: Brief, max_chars: int | None) -> None:
    """Put into an answer what there is to say of a session, as much as there is room for."""
    brief.next_thought_number = next_number(tx.ask(Thoughts), session.id)
    brief.notation = notation()
    room = (max_chars or DEFAULT_CHARS) - _length(brief.answer()) - _FOR_MORE
    _Filling(tx, session, brief, room).run()


class _Kind(NamedTuple):
    """Lines of one kind, each made when its turn comes, and how many there are."""

    name: str
    lines: Iterator[str | ThoughtLine]
    count: int


class _Filling:
    """Takes a line of each kind in turn, until there is no more room."""

    def __init__(self, tx: Tx, session: Session, brief: Brief, room: int) -> None:
        self._tx = tx
        self._view = tx.ask(Thoughts)
        self._session = session
        self._brief = brief
        self._room = room
        self._longest = max(_SHORTEST_LINE, min(_LONGEST_LINE, room // _OF_THE_ROOM))

    def run(self) -> None:
        waiting = self._kinds()
        taken: Counter[str] = Counter()
        left_out = 0
        while waiting:
            for kind in list(waiting):
                line = next(kind.lines, None)
                if line is not None and self._take(kind.name, line):
                    taken[kind.name] += 1
                    continue
                waiting.remove(kind)
                left_out += max(0, kind.count - taken[kind.name])
        self._brief.more = left_out or None

    def _kinds(self) -> list[_Kind]:
        view, id = self._view, self._session.id
        decisions = view.points(id, "decision", "stands", MOST_OF_A_KIND)
        questions = view.points(id, "question", "open", MOST_OF_A_KIND)
        assumptions = view.points(id, "assumption", "open", MOST_OF_A_KIND)
        rejected = view.rejected(id, MOST_OF_A_KIND)
        branches = view.newest_branches(id, MOST_OF_A_KIND)
        return [
            _Kind("problem", self._problem(), 0),
            _Kind("last_thoughts", self._last(), 0),
            _Kind("decisions", self._having(decisions), len(decisions)),
            _Kind("open_questions", self._having(questions), len(questions)),
            _Kind("branches", self._branches(branches), len(branches)),
            _Kind("untested_assumptions", self._having(assumptions), len(assumptions)),
            _Kind("rejected", self._rejected(rejected), len(rejected)),
        ]

    def _take(self, kind: str, line: str | ThoughtLine) -> bool:
        """Add a line; whether there was room for it."""
        brief = self._brief
        is_first = getattr(brief, kind) is None
        cost = _length(line if isinstance(line, str) else line.answer()) + (len(kind) + 6 if is_first else 1)
        if cost > self._room:
            over = cost - self._room
            if not is_first or not isinstance(line, str) or len(line) - over < _SHORTEST_LINE:
                return False
            shorter = cut(line, len(line) - over)
            cost -= len(line) - len(shorter)
            line = shorter
        self._room -= cost
        if kind == "problem":
            brief.problem = str(line)
        elif isinstance(line, ThoughtLine):
            brief.last_thoughts = [line, *(brief.last_thoughts or [])]
        else:
            setattr(brief, kind, [*(getattr(brief, kind) or []), line])
        return True

    def _problem(self) -> Iterator[str]:
        line = self._view.line(self._session.id, MAIN)
        if line is not None:
            yield self._line(self._opened(line.first_seq), int(_LONGER * self._longest))

    def _last(self) -> Iterator[ThoughtLine]:
        """From the last one backward."""
        for thought in reversed(thoughts_at(self._tx, last_of(self._tx, self._session.id, LAST_SHOWN))):
            yield ThoughtLine(
                thought_number=thought.number,
                thought=cut(thought.text, int(_LONGER * self._longest)),
                branch_id=thought.branch_id,
                stands=self._remark(thought) or None,
            )

    def _having(self, states: Iterable[State]) -> Iterator[str]:
        """The newest first, with what they rest on and has fallen since."""
        for state in states:
            yield self._line(self._opened(state.seq), self._longest)

    def _rejected(self, states: Iterable[State]) -> Iterator[str]:
        """The newest first, with why."""
        for state in states:
            fallen = self._opened(state.seq)
            line = f"{thought_name(fallen)} {cut(said_in(fallen.text), self._longest // 2)}"
            why = self._opened(state.by) if state.by is not None else None
            yield f"{line} ← {self._line(why, self._longest // 2)}" if why is not None else line

    def _branches(self, names: Iterable[str]) -> Iterator[str]:
        """The newest first, with where each began, what became of it, and its last line."""
        fates = self._view.fates(self._session.id)
        for name in names:
            line = self._view.line(self._session.id, name)
            if line is None:
                continue
            fate = fates[name].fate if name in fates else "open"
            origin = f" from {f'{line.parent}:' if line.parent else ''}S{line.origin_number}" if line.origin else ""
            last = self._opened(line.last_seq)
            remark = self._remark(last)
            begins = f"{name}{origin}, {fate}: S{last.number}{f' ({remark})' if remark else ''}"
            yield f"{begins} {cut(said_in(last.text), self._longest * 2 // 3)}"

    def _line(self, thought: Thought, longest: int) -> str:
        remark = self._remark(thought)
        return f"{thought_name(thought)}{f' ({remark})' if remark else ''} {cut(said_in(thought.text), longest)}"

    def _remark(self, thought: Thought) -> str:
        """What became of a thought, where that is not plain from where it stands: `revised by S8`."""
        stands = how_they_stand(self._tx, [thought]).get(thought.seq, Stands())
        said = {"rejected by": stands.rejected_by, "revised by": stands.revised_by, "rests on": stands.rests_on}
        return next((f"{how} {what}" for how, what in said.items() if what), "")

    def _opened(self, seq: int) -> Thought:
        [thought] = thoughts_at(self._tx, [seq])
        return thought


def _length(part: object) -> int:
    """Characters on the wire."""
    return len(orjson.dumps(part).decode())
