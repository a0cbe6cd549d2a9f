"""What a thought's text becomes in the ledger: kind, attributes, labels and relations. Pure logic.

What cannot be resolved is never guessed: it gives no relation, and a note says so.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from thoughtbox.domains.thoughts.cipher.notation import Marker, Reference, Step, references_within
from thoughtbox.ledger.record import Kind

MOST_REFERENCED = 100
"""References of one thought that are followed. `[S1-S1000000]` is a short thing to write."""
MOST_NOTES = 10
_MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class Target:
    """The thought that a number names: its record's id and kind, and what it is called from where it is named."""

    id: str
    kind: str
    name: str = ""
    branch: str = ""
    """The branch that was named with the number, where one was."""
    note: str | None = None
    """What whoever named it should know."""


Resolve = Callable[[int, str | None], Target | None]
"""The thought that a number means, on the line that is named with it or on the one where it is said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """What a thought is as a record. `attrs` fits `kind`."""

    kind: Kind
    attrs: dict[str, Any]
    labels: list[str]
    confidence: float | None
    notes: list[str]
    reading: str
    """How it was read, in a few words: `E supports S2`."""
    targets: tuple[tuple[str, Target], ...] = ()
    """What it is related to, and how."""


@dataclass(frozen=True, slots=True)
class _Use:
    """What a marker is for: its name, the kinds it can become, and its relation to what it refers to."""

    name: str
    kinds: tuple[Kind, ...]
    relation: str
    labelled: bool = False
    answers: bool = False


_USES: Mapping[Marker, _Use] = {
    "H": _Use("hypothesis", ("claim",), "derived_from", labelled=True),
    "E": _Use("evidence", ("evidence",), "supports", answers=True),
    "C": _Use("conclusion", ("decision", "claim"), "derived_from", labelled=True, answers=True),
    "Q": _Use("question", ("question",), "relates_to"),
    "R": _Use("revision", ("revision", "claim"), "revises", labelled=True),
    "P": _Use("plan", ("plan",), "derived_from"),
    "O": _Use("observation", ("observation",), "relates_to", answers=True),
    "A": _Use("assumption", ("claim",), "relates_to", labelled=True),
    "X": _Use("rejected", ("revision", "claim"), "contradicts", labelled=True),
}
_OF_SIGN = {
    "^": "revises",
    "+": "refines",
    "×": "contradicts",
    "⊕": "supports",
    "⊖": "contradicts",
    "←": "derived_from",
    "∵": "derived_from",
    "→": "relates_to",
}
_REPLACING: Mapping[Marker, frozenset[str]] = {"R": frozenset("^"), "X": frozenset("^×")}
"""The signs that say what a revision replaces; without one of them, it is what it names."""
_GROUNDS = frozenset({"evidence", "observation"})
"""What is seen is a reason to replace something else, unless it is all that is named."""
_NAMING = frozenset({"", "^", "×", "+", "⊖"})
"""The other signs say what a thought comes from or leads to, which is not what it replaces."""

_NUMBERED = re.compile(r"(?<!\S)([0-9]{1,4}+)([.)])(?!\S)")
_COUNTED = frozenset({"version", "v", "release", "step", "phase", "stage", "part", "section", "chapter", "level"})


_DECISION = re.compile(r"\W*decision\s*:", re.IGNORECASE)
_WORDS = {"derived_from": "from", "relates_to": "relates to", "contradicts": "contradicts"}


@dataclass(frozen=True, slots=True)
class _Link:
    """One number that a step refers to, and the thought behind it, if there is one to relate to."""

    number: int
    sign: str
    cited: bool
    target: Target | None


def meaning(step: Step, resolve: Resolve) -> Meaning:
    """What a step means."""
    notes = list(step.notes)
    if not step.content and not step.cited:
        notes.append(f"S{step.number} is empty.")
    links = _links(f"S{step.number}", step.cited, step.mentioned, resolve, notes)
    aims = _aims(step, links)
    related = _related((_relation(step, link, link.target, link in aims), link) for link in links)
    replaced = next((link.target.id for link in aims if link.target is not None), None)
    kind = _kind(step, replaced)
    if step.marker in _REPLACING and replaced is None:
        notes.append(f"S{step.number} is kept as a claim: it does not say which thought it replaces.")
    return Meaning(
        kind=kind,
        attrs=_attrs(kind, step, replaced, related),
        labels=[_USES[step.marker].name] if _USES[step.marker].labelled else [],
        confidence=step.confidence,
        notes=_at_most(notes),
        reading=_reading(f"{step.marker} (decision)" if kind == "decision" else step.marker, related),
        targets=tuple(related),
    )


def prose_meaning(text: str, resolve: Resolve) -> Meaning:
    """What a thought in words means: a decision if it begins by saying so, else a claim. Brackets make references."""
    is_decision = _DECISION.match(text) is not None
    notes: list[str] = []
    links = _links("It", (), tuple(references_within(text)), resolve, notes)
    use = _USES["C" if is_decision else "A"]
    related = _related((_relation_of(use, link, link.target), link) for link in links)
    kind: Kind = "decision" if is_decision else "claim"
    return Meaning(
        kind=kind,
        attrs={"relations": _as_relations(related)} if related or kind == "claim" else {},
        labels=[],
        confidence=None,
        notes=_at_most(notes),
        reading=_reading("decision" if is_decision else "", related),
        targets=tuple(related),
    )


def kinds_labelled() -> dict[str, frozenset[Kind]]:
    """The labels that markers give, and the kinds of thoughts that can have each; a revision keeps its marker's."""
    return {use.name: frozenset({*use.kinds, "revision"}) for use in _USES.values() if use.labelled}


def plan_steps(content: str) -> list[str]:
    """The steps of a plan that is numbered 1, 2, 3 from its beginning or from a colon on; otherwise it is one step."""
    numbered = list(_NUMBERED.finditer(content))
    first = next((found for found in numbered if found[1] == "1"), None)
    before = content[: first.start()].rstrip() if first else content
    if first is None or (before and not before.endswith(":")):
        return [content] if content else []
    cuts = [first, *_cuts(content, [found for found in numbered if found[2] == first[2]], first)]
    ends = [*(cut.start() for cut in cuts[1:]), len(content)]
    steps = [content[cut.end() : end].strip() for cut, end in zip(cuts, ends, strict=True)]
    return [step for step in steps if step] or [content]


def _cuts(content: str, numbered: list[re.Match[str]], first: re.Match[str]) -> Iterator[re.Match[str]]:
    """Where step 2 begins, step 3, and so on.

    In `1. Move to version 2. It is faster. 2. Test` the first `2.` belongs to the word before it. Such
    a number is passed over only when a better one stands before the next number.
    """
    places: dict[int, list[re.Match[str]]] = defaultdict(list)
    for found in numbered:
        places[int(found[1])].append(found)
    last, number = first, 2
    while later := [found for found in places[number] if found.start() > last.start()]:
        number += 1
        limit = next((found.start() for found in places[number] if found.start() > later[0].start()), len(content))
        better = (found for found in later if found.start() < limit and not _is_counted(content, found.start()))
        last = next(better, later[0])
        yield last


def _is_counted(content: str, at: int) -> bool:
    """Whether the word before a number is one that is counted, as in "version 2"."""
    words = content[max(0, at - 20) : at].split()
    return bool(words) and words[-1].lower().rstrip(".") in _COUNTED


def _kind(step: Step, replaced: str | None) -> Kind:
    """The second kind of a marker is for a C that says no `∴` first, and for an R or X that replaces nothing."""
    kinds = _USES[step.marker].kinds
    if step.marker == "C":
        return kinds[0] if step.statement.startswith("∴") else kinds[1]
    if step.marker in _REPLACING:
        return kinds[0] if replaced is not None else kinds[1]
    return kinds[0]


def _attrs(kind: Kind, step: Step, replaced: str | None, related: Sequence[tuple[str, Target]]) -> dict[str, Any]:
    attrs: dict[str, Any] = {}
    if kind == "revision":
        attrs["replacesId"] = replaced
    if kind == "plan":
        attrs["steps"] = plan_steps(step.statement)
    if related or kind == "claim":
        attrs["relations"] = _as_relations(related)
    return attrs


def _as_relations(related: Sequence[tuple[str, Target]]) -> list[dict[str, str]]:
    return [{"type": relation, "to": target.id} for relation, target in related]


def _links(
    what: str, cited: Sequence[Reference], mentioned: Sequence[Reference], resolve: Resolve, notes: list[str]
) -> list[_Link]:
    """What a thought refers to, one by one. One of the wrong kind has no target."""
    links: list[_Link] = []
    missing: list[str] = []
    unfit: list[str] = []
    named = (
        (number, reference, is_cited)
        for references, is_cited in ((cited, True), (mentioned, False))
        for reference in references
        for number in reference
    )
    for number, reference, is_cited in islice(named, MOST_REFERENCED):
        target = resolve(number, reference.line)
        if target is None:
            missing.append(_name(number, reference))
        elif reference.marker and target.kind not in _USES[reference.marker].kinds:
            unfit.append(_name(number, reference))
            target = None
        elif target.note is not None:
            notes.append(target.note)
        links.append(_Link(number, reference.sign, is_cited, target))
    if missing:
        notes.append(f"{_listed(missing)} {'names' if len(set(missing)) == 1 else 'name'} no earlier thought.")
    if unfit:
        notes.append(f"{_listed(unfit)} {'names' if len(set(unfit)) == 1 else 'name'} a thought of another kind.")
    count = sum(map(len, (*cited, *mentioned)))
    if count > MOST_REFERENCED:
        notes.append(f"{what} has {count:,} references; followed: {MOST_REFERENCED}.")
    return links


def _name(number: int, reference: Reference) -> str:
    name = f"{reference.marker or 'S'}{number}"
    name = f"{reference.line}:{name}" if reference.line else name
    return f"[{name}]" if reference.marker else name


def _aims(step: Step, links: list[_Link]) -> list[_Link]:
    """The references of an R or X that say what it replaces."""
    if step.marker not in _REPLACING:
        return []
    if marked := [link for link in links if link.sign in _REPLACING[step.marker]]:
        return marked
    naming = [link for link in links if link.sign in _NAMING]
    named = [link for link in naming if link.cited] or naming
    # `S9|X|S4,S7`: where S7 is evidence, it is why S4 is rejected, and not rejected with it.
    judged = [link for link in named if link.target is None or link.target.kind not in _GROUNDS]
    return judged or named


def _relation(step: Step, link: _Link, target: Target | None, aimed_at: bool) -> str:
    """What the sign says; without a sign, what the marker says."""
    use = _USES[step.marker]
    if step.marker == "X" and aimed_at:
        return use.relation
    if step.marker in _REPLACING and not aimed_at and not link.sign:
        is_ground = link.cited and target is not None and target.kind in _GROUNDS
        return "derived_from" if is_ground else "relates_to"
    return _relation_of(use, link, target)


def _relation_of(use: _Use, link: _Link, target: Target | None) -> str:
    if link.sign:
        return _OF_SIGN[link.sign]
    return "answers" if use.answers and target is not None and target.kind == "question" else use.relation


def _related(found: Iterable[tuple[str, _Link]]) -> list[tuple[str, Target]]:
    """Each pair of relation and target once, in order of appearance."""
    once = {(relation, link.target.id): link.target for relation, link in found if link.target is not None}
    return [(relation, target) for (relation, _), target in once.items()]


def _reading(begins: str, related: Sequence[tuple[str, Target]]) -> str:
    """`C (decision) from S4, S5; answers S2`."""
    names: defaultdict[str, list[str]] = defaultdict(list)
    for relation, target in related:
        names[relation].append(target.name or target.id)
    parts = [f"{_said(relation, begins)} {_listed(found)}" for relation, found in names.items()]
    return f"{begins} {'; '.join(parts)}".strip()


def _said(relation: str, marker: str) -> str:
    if marker == "X" and relation == "contradicts":
        return "rejects"
    return _WORDS.get(relation, relation)


def _listed(names: list[str]) -> str:
    """`S1`, `S1 and S2`, `S1, S2, S3, S4, S5 and 95 more`."""
    names = list(dict.fromkeys(names))
    if len(names) > _MOST_NAMED:
        names = [*names[:_MOST_NAMED], f"{len(names) - _MOST_NAMED} more"]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _at_most(notes: list[str]) -> list[str]:
    notes = list(dict.fromkeys(notes))
    if len(notes) <= MOST_NOTES:
        return notes
    return [*notes[: MOST_NOTES - 1], f"There are {len(notes) - MOST_NOTES + 1} more notes like these."]
