"""Findings: what there is to be learnt, before it is put into words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from thoughtbox.domains.thoughts.model.thought import Thought
from thoughtbox.domains.thoughts.sessions.learnings.models import Form, LearningType

MOST_SOURCES = 20
MOST_QUOTED = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """What another session said."""

    session_id: str
    number: int
    text: str
    kind: str

    @classmethod
    def of(cls, thought: Thought) -> Statement:
        return cls(session_id=thought.session_id, number=thought.number, text=thought.text, kind=thought.kind)


@dataclass(frozen=True, slots=True)
class Part:
    """A heading of ours, and thoughts quoted below it."""

    heading: str
    thoughts: Sequence[Thought] = ()
    remark: str | None = None
    quotes: Sequence[tuple[str, str]] = ()
    """What is quoted besides: from where, and the text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something to be learnt, before it is put into words."""

    form: Form
    type: LearningType
    verb: str
    """What happened to the subject; its title begins with it."""
    subject: Thought
    standing: Thought | None
    """What holds now: the subject, or what took its place. None where nothing is held."""
    about: tuple[Thought, ...]
    """Thoughts by which a key moment can mean it."""
    sources: tuple[Thought, ...]
    description: str
    parts: tuple[Part, ...] = ()
    json: str | None = None
    """The content, where it is not made of parts."""
    evidence: int = 0
    heard_in: frozenset[str] = frozenset()
    """Other sessions that say the same."""
    significance: int | None = None
    """None when no key moment means it; 0 when one does, without saying how much."""


def sources_of(subject: Thought, others: Iterable[Thought]) -> tuple[Thought, ...]:
    """The subject and as many of the others as are named, in order of recording."""
    named: dict[int, Thought] = {subject.seq: subject}
    for thought in others:
        if len(named) < MOST_SOURCES:
            named.setdefault(thought.seq, thought)
    return tuple(named[seq] for seq in sorted(named))


def in_order(*groups: Iterable[Thought]) -> list[Thought]:
    found = {thought.seq: thought for group in groups for thought in group}
    return [found[seq] for seq in sorted(found)]


def seqs_of(thoughts: Iterable[Thought]) -> set[int]:
    return {thought.seq for thought in thoughts}
