"""What a step of the cipher becomes in the ledger: kind, attributes, labels and relations. Pure logic.

A thought is one record, however many steps it has. What cannot be resolved is never guessed:
it gives no relation, and a note says so.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from thoughtbox.domains.thoughts.cipher.notation import Cipher, Marker, Step
from thoughtbox.ledger.record import Kind

MOST_REFERENCED = 100
"""References of one step that are followed. `[S1-S1000000]` is a short thing to write."""
MOST_IN_A_THOUGHT = 1_000
"""References of all steps of one thought that are followed."""
MOST_NOTES = 10
_MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class Target:
    """The thought that a number names: its record's id and kind."""

    id: str
    kind: str


Resolve = Callable[[int], Target | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """What a thought in cipher is as a record. `attrs` fits `kind`."""

    kind: Kind
    attrs: dict[str, Any]
    labels: list[str]
    confidence: float | None
    notes: list[str]


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
"""The signs that say what a revision replaces; without one of them, it is the only thought that it names."""
_NAMING = frozenset({"", "^", "×", "+", "⊖"})
"""The other signs say what a thought comes from or leads to, which is not what it replaces."""

_NUMBERED = re.compile(r"(?<!\S)([0-9]{1,4}+)([.)])(?!\S)")
_COUNTED = frozenset({"version", "v", "release", "step", "phase", "stage", "part", "section", "chapter", "level"})


@dataclass(frozen=True, slots=True)
class _Link:
    """One number that a step refers to, and the thought behind it, if there is one to relate to."""

    number: int
    sign: str
    cited: bool
    target: Target | None


def meaning(step: Step, resolve: Resolve) -> Meaning:
    """What a step means when it is a thought of its own."""
    return _meaning((step,), resolve, [])


def meaning_of(cipher: Cipher, resolve: Resolve) -> Meaning | None:
    """What a thought means: the first step says what it is, all of them what it is related to. None without a step."""
    steps = cipher.steps
    return _meaning(steps, resolve, cipher.notes) if steps else None


def marker_of(kind: str, labels: Sequence[str]) -> Marker:
    """The marker for a record. One that was written in cipher gets the marker it had."""
    for marker, use in _USES.items():
        if use.labelled and use.name in labels and kind in use.kinds:
            return marker
    return next((marker for marker, use in _USES.items() if use.kinds[0] == kind), "O")


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


def _meaning(steps: tuple[Step, ...], resolve: Resolve, notes: list[str]) -> Meaning:
    first = steps[0]
    inside = frozenset(step.number for step in steps)
    relations: dict[tuple[str, str], None] = {}
    replaced: str | None = None
    notes = list(notes)
    left = MOST_IN_A_THOUGHT
    for step in steps:
        notes += step.notes
        if not step.content and not step.cited:
            notes.append(f"S{step.number} is empty.")
        links = _links(step, min(left, MOST_REFERENCED), resolve, inside, notes)
        left -= len(links)
        aims = _aims(step, links)
        if step is first:
            replaced = _replaced(step, aims)
        for link in links:
            if link.target is not None:
                relations[_relation(step, link, link.target, link in aims), link.target.id] = None
    kind = _kind(first, replaced)
    if first.marker in _REPLACING and replaced is None:
        notes.append(f"S{first.number} is kept as a claim: it does not say which one thought it replaces.")
    return Meaning(
        kind=kind,
        attrs=_attrs(kind, first, replaced, [{"type": relation, "to": to} for relation, to in relations]),
        labels=[_USES[first.marker].name] if _USES[first.marker].labelled else [],
        confidence=first.confidence,
        notes=_at_most(notes),
    )


def _kind(step: Step, replaced: str | None) -> Kind:
    """The second kind of a marker is for a C that says no `∴` first, and for an R or X that replaces nothing."""
    kinds = _USES[step.marker].kinds
    if step.marker == "C":
        return kinds[0] if step.statement.startswith("∴") else kinds[1]
    if step.marker in _REPLACING:
        return kinds[0] if replaced is not None else kinds[1]
    return kinds[0]


def _attrs(kind: Kind, step: Step, replaced: str | None, relations: list[dict[str, str]]) -> dict[str, Any]:
    attrs: dict[str, Any] = {}
    if kind == "revision":
        attrs["replacesId"] = replaced
    if kind == "plan":
        attrs["steps"] = plan_steps(step.statement)
    if relations or kind == "claim":
        attrs["relations"] = relations
    return attrs


def _links(step: Step, most: int, resolve: Resolve, inside: frozenset[int], notes: list[str]) -> list[_Link]:
    """What the step refers to, one by one. A number inside the thought itself, or of the wrong kind, has no target."""
    links: list[_Link] = []
    missing: list[str] = []
    unfit: list[str] = []
    named = (
        (number, reference, cited)
        for references, cited in ((step.cited, True), (step.mentioned, False))
        for reference in references
        for number in reference
    )
    for number, reference, cited in islice(named, most):
        name = f"[{reference.marker}{number}]" if reference.marker else f"S{number}"
        target = None if number in inside else resolve(number)
        if target is None and number not in inside:
            missing.append(name)
        elif target is not None and reference.marker and target.kind not in _USES[reference.marker].kinds:
            unfit.append(name)
            target = None
        links.append(_Link(number, reference.sign, cited, target))
    if missing:
        notes.append(f"{_listed(missing)} {'names' if len(set(missing)) == 1 else 'name'} no thought.")
    if unfit:
        notes.append(f"{_listed(unfit)} {'names' if len(set(unfit)) == 1 else 'name'} a thought of another kind.")
    if any(link.number == step.number for link in links):
        notes.append(f"S{step.number} refers to itself, which gives no relation.")
    count = sum(map(len, step.references))
    if count > most:
        notes.append(f"S{step.number} has {count:,} references; followed: {most}.")
    return links


def _aims(step: Step, links: list[_Link]) -> list[_Link]:
    """The references of an R or X that say what it replaces."""
    if step.marker not in _REPLACING:
        return []
    if marked := [link for link in links if link.sign in _REPLACING[step.marker]]:
        return marked
    naming = [link for link in links if link.sign in _NAMING]
    return [link for link in naming if link.cited] or naming


def _replaced(step: Step, aims: list[_Link]) -> str | None:
    """The first that is marked as replaced; without a mark, the only one named."""
    if not aims:
        return None
    if aims[0].sign not in _REPLACING[step.marker] and len({link.number for link in aims}) > 1:
        return None
    return next((link.target.id for link in aims if link.target is not None), None)


def _relation(step: Step, link: _Link, target: Target, aimed_at: bool) -> str:
    """What the sign says; without a sign, what the marker says."""
    use = _USES[step.marker]
    if step.marker == "X" and aimed_at:
        return use.relation
    if link.sign:
        return _OF_SIGN[link.sign]
    if use.answers and target.kind == "question":
        return "answers"
    if step.marker in _REPLACING and not aimed_at:
        return "relates_to"
    return use.relation


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
