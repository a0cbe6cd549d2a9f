"""A session as text in cipher. Pure logic.

Thoughts go out in order of recording, so that what a thought refers to stands before it, with a line where another line
of thought goes on. Nothing that was read of a thought is lost: where its text would be read differently, a line before
it says how it was read.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import orjson

from thoughtbox.domains.thoughts.files.cipher_text import INDENT, MAIN_LINE, NOWHERE, TAGS, number_for, written
from thoughtbox.domains.thoughts.files.documents import reading_json
from thoughtbox.domains.thoughts.files.seen import SeenThoughts
from thoughtbox.domains.thoughts.model.session import Session
from thoughtbox.domains.thoughts.model.settling import Settling
from thoughtbox.domains.thoughts.model.thought import Thought
from thoughtbox.domains.thoughts.numbers import Numbers, name_of
from thoughtbox.domains.thoughts.think.models import Think
from thoughtbox.domains.thoughts.think.placement import Placement
from thoughtbox.domains.thoughts.think.recording import recording
from thoughtbox.domains.thoughts.view.lines import MAIN
from thoughtbox.ledger.record import record_id, seq_of

_AS_IT_STANDS = Think(thought="…")
"""A thought of which nothing is said but its text."""


def cipher_chunks(session: Session, thoughts: Iterable[Thought], settlings: Sequence[Settling] = ()) -> Iterator[str]:
    """The session in cipher, thought by thought; prose stays prose."""
    yield f"# {' '.join(session.title.split())}\n"
    if session.tags:
        yield f"{TAGS} {', '.join(' '.join(tag.split()) for tag in session.tags)}\n"
    text = _Text(session.id)
    waiting = deque(settlings)
    for thought in thoughts:
        while waiting and waiting[0].seq < thought.seq:
            yield _settled(waiting.popleft())
        yield text.piece(thought)
    for settling in waiting:
        yield _settled(settling)


def _settled(settling: Settling) -> str:
    why = f": {settling.why}".replace("\n", f"\n{INDENT}") if settling.why is not None else ""
    return f"# Branch {settling.branch} {settling.fate}{why}\n"


class _Text:
    """What was written so far, as far as the next thought depends on it."""

    def __init__(self, session_id: str) -> None:
        self._session_id = session_id
        self._seen = SeenThoughts()
        self._numbers = Numbers(self._seen, session_id)
        self._taken: dict[str, set[int]] = {}
        self._branch = MAIN

    def piece(self, thought: Thought) -> str:
        branch = thought.branch_id or MAIN
        before = [*self._line(branch, thought), *self._number(branch, thought), *self._reading(branch, thought)]
        before += [f"# Action {thought.action_id}"] if thought.action_id is not None else []
        self._branch = branch
        self._seen.take(thought)
        self._taken.setdefault(branch, set()).add(thought.number)
        return "".join(f"{line}\n" for line in before) + written(thought.text)

    def _line(self, branch: str, thought: Thought) -> Iterator[str]:
        if branch == self._branch:
            return
        if branch == MAIN:
            yield MAIN_LINE
        elif self._numbers.line(branch) is not None:
            yield f"# Branch {branch}"
        else:
            origin = self._seen.get(thought.origin)
            yield f"# Branch {branch} from {name_of(origin) if origin else NOWHERE}"

    def _number(self, branch: str, thought: Thought) -> Iterator[str]:
        line, origin = self._numbers.line(branch), self._seen.get(thought.origin)
        highest = line.highest_number if line else origin.number if origin else 0
        if number_for(thought.text, highest, self._taken.get(branch, ())) != thought.number:
            yield f"# Thought {thought.number}"

    def _reading(self, branch: str, thought: Thought) -> Iterator[str]:
        """What has to be said of a thought so that it is read as it was."""
        said = _said(thought)
        if self._read_anew(branch, thought, is_revised=False) == said:
            return
        revised = self._seen.get(thought.revises)
        if revised is not None:
            yield f"# Revises {name_of(revised)}"
            if self._read_anew(branch, thought, is_revised=True) == said:
                return
        lean = replace(thought, critique_requested=False)
        linked = (seq_of(each["to"]) for each in thought.relations)
        names = {seq: name_of(node) for seq in linked if (node := self._seen.get(seq)) is not None}
        yield f"# Reading {orjson.dumps(reading_json(lean, names)).decode()}"

    def _read_anew(self, branch: str, thought: Thought, *, is_revised: bool) -> tuple[Any, ...]:
        """How its text is read where it stands in this text."""
        line, origin = self._numbers.line(branch), self._seen.get(thought.origin)
        placed = Placement(
            branch=branch,
            line=line,
            number=thought.number,
            total=thought.total,
            prev=line.last_seq if line else origin.seq if origin else None,
            origin=origin,
            revises=self._seen.get(thought.revises) if is_revised else None,
        )
        said = _AS_IT_STANDS.model_copy(update={"thought": thought.text})
        draft = recording(self._numbers, self._session_id, said, placed).draft
        return (
            draft.kind,
            tuple(draft.labels),
            draft.confidence,
            tuple((each["type"], each["to"]) for each in draft.attrs.get("relations", ())),
            draft.data.get("revises"),
            tuple(draft.data.get("adopts", ())),
            tuple(draft.data.get("rejects", ())),
        )


def _said(thought: Thought) -> tuple[Any, ...]:
    return (
        thought.kind,
        thought.labels,
        thought.confidence,
        tuple((each["type"], each["to"]) for each in thought.relations),
        record_id(thought.revises) if thought.revises is not None else None,
        thought.adopts,
        thought.rejects,
    )
