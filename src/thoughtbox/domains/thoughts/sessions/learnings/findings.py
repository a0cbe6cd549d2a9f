"""Findings: what there is to be learnt, before it is put into words."""

from __future__ import annotations

from collections.abc import Iterable
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
class Quote:
    """Stored text, below a line of ours that says whose it is and what became of it."""

    lead: str
    texts: tuple[str, ...]
    essential: bool = True
    """Whether the brief form has it, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something to be learnt, before it is put into words."""

    form: Form
    type: LearningType
    verb: str
    """What happened to the subject; its title begins with it."""
    subject: Thought
    held: Thought
    """What holds now: the subject, or what took its place."""
    about: tuple[Thought, ...]
    sources: tuple[Thought, ...]
    quotes: tuple[Quote, ...]
    remark: str = ""
    """What is said of it in our own words, thoughts by their names."""
    also: str = ""
    """Of what the full form quotes, what the brief one only names."""
    evidence: int = 0
    """Linked thoughts that stand and speak for it."""
    fallen: int = 0
    """Those that spoke for it and were revised or rejected."""
    done: bool = False
    tier: int = 0
    """Findings of a lower one come before all of a higher one of their type."""
    weight: int = 0
    """How many thoughts are linked to what it is about."""
    heard_in: frozenset[str] = frozenset()
    """Other sessions that say the same."""
    significance: int | None = None
    """None when no key moment means it; 0 when one does, without saying how much."""

    @property
    def meant(self) -> set[int]:
        """The thoughts by which a key moment can mean it."""
        return {*seqs_of(self.about), self.held.seq}


def sources_of(about: Iterable[Thought], others: Iterable[Thought] = ()) -> tuple[Thought, ...]:
    """What it is about and as many of the others as are named, in order of recording."""
    named = {thought.seq: thought for thought in about}
    for thought in others:
        if len(named) < MOST_SOURCES:
            named.setdefault(thought.seq, thought)
    return tuple(named[seq] for seq in sorted(named))


def in_order(*groups: Iterable[Thought]) -> list[Thought]:
    found = {thought.seq: thought for group in groups for thought in group}
    return [found[seq] for seq in sorted(found)]


def seqs_of(thoughts: Iterable[Thought]) -> set[int]:
    return {thought.seq for thought in thoughts}
