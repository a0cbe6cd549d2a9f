"""A session as a decision record in Markdown, to be pasted where people read: a pull request, a wiki. Pure logic.

First what it came to: the problem, the options, what was decided and on which grounds, what was rejected, what is open.
Then the thoughts, each branch behind the thought that it forks from. It is made in linear time; the thoughts are gone
through twice, and of their texts only what is told in passing stays in memory.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from tempfile import SpooledTemporaryFile
from typing import Any, NamedTuple

from thoughtbox.domains.thoughts.files.inert import inert, one_line, quoted, struck
from thoughtbox.domains.thoughts.files.wording import content_of, label, told
from thoughtbox.domains.thoughts.model.critique import Critique
from thoughtbox.domains.thoughts.model.reasoning import Reasoning, Settled, State
from thoughtbox.domains.thoughts.model.session import Session
from thoughtbox.domains.thoughts.model.settling import Settling
from thoughtbox.domains.thoughts.model.thought import Thought

_HELD_IN_MEMORY = 1 << 22
"""Bytes of thoughts that wait for their place; what goes beyond waits in a file without a name."""

_GROUNDS = ("derived_from", "refines")
_SUPPORTING = ("supports",)
"""A thought stands on what it relates to in these ways, and on what supports it."""


def markdown_chunks(
    session: Session,
    thoughts: Iterable[Thought],
    critiques: Mapping[int, Critique],
    fates: Mapping[str, Settled] | None = None,
    settlings: Sequence[Settling] = (),
    *,
    with_metadata: bool,
    notebooks: Sequence[Mapping[str, Any]] = (),
) -> Iterator[str]:
    """The session for people. `fates` and `settlings` say what was said of branches outside of thoughts.

    Stored text stays in its place, and is shown as it was written: HTML and images are not rendered.
    """
    if isinstance(thoughts, Iterator):
        raise TypeError("thoughts are gone through twice: give a list or a Rereadable, not an iterator")
    record = _Record(thoughts, fates or {}, settlings)
    yield f"# {inert(one_line(session.title))}\n\n"
    if with_metadata:
        yield _metadata(session)
    for heading, lines in record.sections(session):
        yield f"## {heading}\n\n" + "".join(f"{line}\n" for line in lines) + "\n"
    pieces = (record.shown(thought, critiques.get(thought.seq)) for thought in thoughts)
    yield "## Thoughts\n\n"
    yield from _in_place(pieces)
    if notebooks:
        yield "\n## Notebooks\n\n" + "".join(map(_notebook, notebooks))


def _notebook(cited: Mapping[str, Any]) -> str:
    """A notebook whose runs are evidence for thoughts of the session."""
    runs = "; ".join(f"{run['runId']} {run['relation']} {run['target']}" for run in cited["runs"])
    return f"- {inert(one_line(cited['name']))} (`{cited['notebookId']}`): {runs}\n"


def _metadata(session: Session) -> str:
    known = {
        "Tags": inert(", ".join(map(one_line, session.tags))),
        "Created": session.created_at,
        "Thoughts": str(session.thought_count),
    }
    # Two spaces at the end of a line: Markdown begins a new one there.
    return "  \n".join(f"**{name}:** {value}" for name, value in known.items() if value) + "\n\n"


class _Piece(NamedTuple):
    """A thought as it is shown, and where it stands."""

    seq: int
    branch_id: str | None
    origin: int | None
    text: str


class _Record:
    """What a session came to, and what its thoughts say in passing."""

    def __init__(
        self, thoughts: Iterable[Thought], fates: Mapping[str, Settled], settlings: Sequence[Settling]
    ) -> None:
        self._told: dict[int, str] = {}
        self._last: dict[str, int] = {}
        """The last thought of each branch, in the order in which they began."""
        self._first: int | None = None
        self._reasoning = Reasoning(self._lean(thoughts), fates)
        self._whys = {settling.seq: settling.why for settling in settlings}
        self._begun: set[str] = set()
        self._newer: dict[int, int] = {}

    def _lean(self, thoughts: Iterable[Thought]) -> Iterator[Thought]:
        """The thoughts without their texts, of which is kept what is told in passing."""
        for thought in thoughts:
            self._told[thought.seq] = told(thought.text)
            if thought.branch_id is not None:
                self._last[thought.branch_id] = thought.seq
            elif self._first is None:
                self._first = thought.seq
            yield replace(thought, text="", notes=())

    def sections(self, session: Session) -> Iterator[tuple[str, list[str]]]:
        """The sections that have something to say."""
        decisions = self._reasoning.decisions
        found = {
            "Problem": self._problem(session),
            "Options": [self._option(branch) for branch in self._last],
            "Decision" if len(decisions) == 1 else "Decisions": [self._decision(thought) for thought in decisions],
            "Grounds": [self._ground(thought) for thought in self._grounds(decisions)],
            "Rejected": [self._rejected(thought) for thought in self._reasoning.rejected],
            "Open points": list(self._open_points()),
        }
        for heading, lines in found.items():
            if lines:
                yield heading, lines

    def _problem(self, session: Session) -> list[str]:
        said = [session.description] if session.description else []
        said += [self._told[self._first]] if self._first is not None else []
        return ["\n\n".join(map(quoted, said))] if said else []

    def _option(self, branch: str) -> str:
        last = self._reasoning.thoughts[self._last[branch]]
        settled = self._reasoning.fates.get(branch)
        by = self._name(settled.by) if settled else None
        fate = f", {settled.fate}{f' by {by}' if by else ''}" if settled else ", open"
        origin = self._name(last.origin)
        fork = f", from {origin}" if origin else ""
        why = self._whys.get(settled.by) if settled else None
        because = f"  \n  Why: {inert(one_line(why))}" if why else ""
        return f"- **{inert(one_line(branch))}**{fate}{fork}: {self._last_line(last)}{because}"

    def _last_line(self, thought: Thought) -> str:
        state = self._reasoning.state(thought)
        if state.status == "revised":
            newest = self._newest(state)
            return f"{self._struck(thought.seq)} → **{self._name(newest)}** {self._saying(newest)}"
        return self._struck(thought.seq) if state.status == "rejected" else self._saying(thought.seq)

    def _decision(self, thought: Thought) -> str:
        before = f"{self._struck(thought.revises)} → " if thought.revises in self._told else ""
        said = f"{before}{self._saying(thought.seq)}{_confidence(thought)}{self._stale(thought)}"
        return f"- **{self._name(thought.seq)}** {said}"

    def _grounds(self, decisions: Sequence[Thought]) -> list[Thought]:
        """What the decisions stand on, directly or through others: not the questions, and of a revision the newest."""
        known = {thought.seq for thought in decisions}
        found: set[int] = set()
        front = sorted(known)
        while front:
            reached: set[int] = set()
            for seq in front:
                reached.update(self._reasoning.outgoing([seq], _GROUNDS), self._reasoning.incoming([seq], _SUPPORTING))
            front = sorted(seq for seq in reached - found - known if seq in self._reasoning.thoughts)
            found.update(front)
        states = {seq: self._reasoning.state(self._reasoning.thoughts[seq]) for seq in sorted(found)}
        told = [seq for seq, each in states.items() if each.status != "revised" or self._newest(each) not in found]
        grounds = [self._reasoning.thoughts[seq] for seq in told]
        return [thought for thought in grounds if thought.kind != "question"]

    def _ground(self, thought: Thought) -> str:
        state = self._reasoning.state(thought)
        said = f"- **{self._name(thought.seq)}** {inert(label(thought, self._plain_name))}: "
        if state.status == "rejected":
            return f"{said}{self._struck(thought.seq)}, rejected by {self._name(state.by)}"
        if state.status == "revised":
            newest = self._newest(state)
            return f"{said}{self._struck(thought.seq)} → **{self._name(newest)}** {self._saying(newest)}"
        is_revision = thought.revises in self._told and "rejected" not in thought.labels
        before = f"{self._struck(thought.revises)} → " if is_revision else ""
        return f"{said}{before}{self._saying(thought.seq)}"

    def _newest(self, state: State) -> int | None:
        """The revision of a thought that was not revised itself."""
        passed: list[int] = []
        by = state.by
        while by is not None and self._reasoning.state(self._reasoning.thoughts[by]).status == "revised":
            passed.append(by)
            by = self._newer.get(by) or self._reasoning.state(self._reasoning.thoughts[by]).by
        self._newer.update((seq, by) for seq in passed if by is not None)
        return by

    def _rejected(self, thought: Thought) -> str:
        by = self._reasoning.state(thought).by
        old = self._struck(thought.seq)
        return f"- **{self._name(thought.seq)}** {old}, rejected by **{self._name(by)}**: {self._saying(by)}"

    def _open_points(self) -> Iterator[str]:
        for thought in self._reasoning.open_questions:
            yield f"- Question **{self._name(thought.seq)}**: {self._saying(thought.seq)}"
        for thought in self._reasoning.untested:
            yield f"- Untested assumption **{self._name(thought.seq)}**: {self._saying(thought.seq)}"
        for thought in self._reasoning.stale:
            if self._reasoning.counts(thought):
                yield f"- **{self._name(thought.seq)}** {self._rests_on(thought)}: {self._saying(thought.seq)}"

    def shown(self, thought: Thought, critique: Critique | None) -> _Piece:
        """A thought with its label in words, below the heading of its branch if that begins with it."""
        parts = []
        if thought.branch_id is not None and thought.branch_id not in self._begun:
            self._begun.add(thought.branch_id)
            parts.append(f"### Branch {inert(self._branch(thought))}")
        state = self._reasoning.state(thought)
        level = "###" if thought.branch_id is None else "####"
        heading = inert(f"{self._plain_name(thought.seq)} · {label(thought, self._plain_name)}") + _confidence(thought)
        parts.append(f"{level} {heading}")
        parts += [f"*{status}*"] if (status := self._status(thought, state)) else []
        parts += [quoted(content)] if (content := content_of(thought.text)) else []
        if critique is not None:
            by = f"**Critique** by {inert(one_line(critique.model))}, {critique.timestamp}"
            parts += [by, quoted(critique.text)]
        return _Piece(thought.seq, thought.branch_id, thought.origin, "\n\n".join(parts) + "\n\n")

    def _branch(self, first: Thought) -> str:
        origin = self._plain_name(first.origin)
        fate = self._reasoning.fate(first.branch_id or "")
        said = [f"from {origin}"] if origin else []
        said += [fate] if fate != "open" else []
        return one_line(first.branch_id or "") + (f" ({', '.join(said)})" if said else "")

    def _status(self, thought: Thought, state: State) -> str:
        by = self._name(state.by)
        said = f"{state.status.capitalize()} by {by}." if by and state.status not in ("stands", "open") else ""
        resting = self._rests_on(thought)
        return f"{said} {resting.capitalize()[:1]}{resting[1:]}.".strip() if resting else said

    def _stale(self, thought: Thought) -> str:
        return f" — *{resting}*" if (resting := self._rests_on(thought)) else ""

    def _rests_on(self, thought: Thought) -> str:
        """`rests on S3, revised by S9`"""
        state = self._reasoning.state(thought)
        if state.rests_on is None or state.has_fallen:
            return ""
        ground = self._reasoning.state(self._reasoning.thoughts[state.rests_on])
        return f"rests on {self._name(ground.seq)}, {ground.status} by {self._name(ground.by)}"

    def _saying(self, seq: int | None) -> str:
        return inert(self._told.get(seq or 0) or "…")

    def _struck(self, seq: int | None) -> str:
        return struck(self._told.get(seq or 0) or "…")

    def _name(self, seq: int | None) -> str | None:
        name = self._plain_name(seq)
        return inert(name) if name is not None else None

    def _plain_name(self, seq: int | None) -> str | None:
        thought = self._reasoning.thoughts.get(seq or 0)
        if thought is None:
            return None
        line = f"{one_line(thought.branch_id)}:" if thought.branch_id is not None else ""
        return f"{line}S{thought.number}"


def _confidence(thought: Thought) -> str:
    return f" (confidence {thought.confidence:g})" if thought.confidence is not None else ""


def _in_place(pieces: Iterable[_Piece]) -> Iterator[str]:
    """The main line, and each branch behind the thought that it forks from; those that fork from nothing come last."""
    with SpooledTemporaryFile(max_size=_HELD_IN_MEMORY) as aside:
        lines: defaultdict[str | None, list[tuple[int, int, int]]] = defaultdict(list)
        forks: defaultdict[int | None, list[str]] = defaultdict(list)
        seen: set[int] = set()
        for seq, branch_id, origin, text in pieces:
            if branch_id is not None and branch_id not in lines:
                forks[origin if origin in seen else None].append(branch_id)
            seen.add(seq)
            written = text.encode("utf-8")
            lines[branch_id].append((seq, aside.tell(), len(written)))
            aside.write(written)
        going = [iter(lines.pop(branch, [])) for branch in reversed([None, *forks[None]])]
        while going:
            if (piece := next(going[-1], None)) is None:
                going.pop()
                continue
            seq, start, length = piece
            aside.seek(start)
            yield aside.read(length).decode("utf-8")
            going += [iter(lines.pop(branch)) for branch in reversed(forks.get(seq, ()))]
