"""Which thoughts of a session point at which."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import islice

from thoughtbox.domains.thoughts.model.thought import Thought
from thoughtbox.ledger.record import RELATIONS

BUILDS_ON = tuple(sorted(RELATIONS - {"contradicts", "blocks", "revises"}))
"""Relations by which a thought takes another one further."""


class Links:
    """Which thoughts of a session point at which. What points out of the session is left aside."""

    def __init__(self, thoughts: Sequence[Thought]) -> None:
        self.by_seq = {thought.seq: thought for thought in thoughts}
        self._by_place = {(thought.branch_id, thought.number): thought for thought in thoughts}
        self._out: defaultdict[int, list[tuple[str, Thought]]] = defaultdict(list)
        self._in: defaultdict[int, list[tuple[str, Thought]]] = defaultdict(list)
        self._revised: dict[int, Thought] = {}
        self._revisions: defaultdict[int, list[Thought]] = defaultdict(list)
        known = {thought.id: thought for thought in thoughts}
        for thought in thoughts:
            for relation in thought.relations:
                target = known.get(relation["to"])
                if target is not None and target is not thought:
                    self._out[thought.seq].append((relation["type"], target))
                    self._in[target.seq].append((relation["type"], thought))
        for thought in filter(is_revision, thoughts):
            target = self._find_revised(thought)
            if target is not None and target is not thought:
                self._revised[thought.seq] = target
                self._revisions[target.seq].append(thought)

    def named_by(self, thought: Thought, *types: str) -> list[Thought]:
        """What a thought points at by relations of these types."""
        return once(target for type_, target in self._out.get(thought.seq, ()) if type_ in types)

    def naming(self, thought: Thought, *types: str) -> list[Thought]:
        """What points at a thought by relations of these types."""
        return once(source for type_, source in self._in.get(thought.seq, ()) if type_ in types)

    def first_naming(self, thought: Thought, type_: str, most: int) -> list[Thought]:
        """The first of what points at a thought so: a thought that everything points at is asked for many times."""
        found = (source for kind, source in self._in.get(thought.seq, ()) if kind == type_)
        return list(islice(found, most))

    def revised_by(self, revision: Thought) -> Thought | None:
        """The thought that a revision replaces."""
        return self._revised.get(revision.seq)

    def revisions_of(self, thought: Thought) -> list[Thought]:
        return self._revisions.get(thought.seq, [])

    def before(self, thought: Thought) -> Thought | None:
        """The thought that one follows: on its line, or where its branch set out."""
        return self.by_seq.get(thought.prev) if thought.prev is not None else None

    def fork_of(self, first: Thought) -> Thought | None:
        """Where a branch set out, by its first thought."""
        return self.by_seq.get(first.origin) if first.origin is not None else self.before(first)

    def at(self, number: int, branch_id: str | None) -> Thought | None:
        return self._by_place.get((branch_id, number))

    def _find_revised(self, revision: Thought) -> Thought | None:
        if revision.revises is not None:
            return self.by_seq.get(revision.revises)
        named = self.named_by(revision, "revises")
        if named:
            return named[0]
        if revision.revises_number is None:
            return None
        return self.at(revision.revises_number, revision.branch_id) or self.at(revision.revises_number, None)


def is_revision(thought: Thought) -> bool:
    return thought.is_revision or thought.kind == "revision" or thought.revises is not None


def is_conclusion(thought: Thought) -> bool:
    """A decision, or a conclusion that is not acted on."""
    return thought.kind == "decision" or "conclusion" in thought.labels


def is_tentative(thought: Thought) -> bool:
    """A claim that evidence can speak for: a hypothesis, or prose that something was said about."""
    return thought.kind == "claim" and "rejected" not in thought.labels and not is_conclusion(thought)


def is_complete(thoughts: Sequence[Thought], branch_id: str | None = None) -> bool:
    """Whether the last thought of a line said that no other is needed. A line without thoughts is not complete."""
    line = lines_of(thoughts).get(branch_id)
    return bool(line) and not line[-1].next_needed


def lines_of(thoughts: Iterable[Thought]) -> dict[str | None, list[Thought]]:
    """The thoughts of each line, in order of recording; the main line has the name None."""
    lines: dict[str | None, list[Thought]] = {}
    for thought in thoughts:
        lines.setdefault(thought.branch_id, []).append(thought)
    return lines


def once(thoughts: Iterable[Thought]) -> list[Thought]:
    """Each thought once, in order of recording."""
    found = {thought.seq: thought for thought in thoughts}
    return [found[seq] for seq in sorted(found)]
