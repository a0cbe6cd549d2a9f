"""A draft made into a response: labelled, held to the rules, and marked."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any, Literal, NamedTuple

from thoughtbox.domains.memory.cycle.findings import Draft, findings
from thoughtbox.domains.memory.cycle.resting import Known, Resting, opposed, resting
from thoughtbox.domains.memory.cycle.sentences import Sentence, sentences
from thoughtbox.domains.memory.episodes.cell import Cell
from thoughtbox.domains.memory.governance.rules import POLICY_CONTRADICTION, Severity, rules
from thoughtbox.domains.memory.quoting import one_line, quoted

Integrity = Literal["OK", "NEEDS_VERIFICATION", "BLOCKED"]

INFERENCE = "[Inference]"
TRUSTED = 2
"""The trust from which on memory needs no label."""
_MARKERS = re.compile(r"[ \t]{0,8}\[INTEGRITY:[^\]\n]*\]", re.IGNORECASE)
_LONGEST_SHOWN = 160


class Violation(NamedTuple):
    """A rule that the draft did not keep."""

    rule: str
    severity: Severity
    message: str
    found: tuple[str, ...] = ()
    cells: tuple[Any, ...] = ()


class Finalized(NamedTuple):
    """The response, and what was found on the way."""

    response: str
    integrity: Integrity
    violations: list[Violation]
    used: list[int]
    """The cells that it rests on."""
    inferred: list[int]
    """Those of them that are not trusted."""

    @property
    def line(self) -> str:
        return integrity_line(self.integrity)


def integrity_line(integrity: str) -> str:
    return f"[INTEGRITY: {integrity}]"


def finalized(
    draft: str, cells: Sequence[Cell], policies: Sequence[Cell], *, escalated: Collection[str] = ()
) -> Finalized:
    """Look at a draft in the light of what is known, and of the policies; `escalated` rules block."""
    text = _MARKERS.sub("", draft).rstrip()  # nobody but us says what a response is worth
    found = sentences(text)
    known = {cell.cell_id: cell for cell in (*cells, *policies)}
    rests = resting(found, [_known(cell) for cell in known.values()])
    against = opposed(found, [_known(cell) for cell in policies])
    used = list(dict.fromkeys(rest.cell_id for rest in rests))
    inferred = [id for id in used if known[id].trust < TRUSTED]
    disputed = [known[id] for id in used if known[id].contradiction_count >= 1]
    violations = _violations(Draft.of(text, found), inferred, disputed, escalated)
    violations += [_contradiction(found[rest.sentence], known[rest.cell_id]) for rest in against]
    integrity = _integrity(violations)
    parts = [_labelled(text, found, rests, inferred), *map(_notice, disputed), integrity_line(integrity)]
    response = "\n\n".join(part for part in parts if part)
    return Finalized(response, integrity, violations, used, inferred)


def _known(cell: Cell) -> Known:
    return Known(cell.cell_id, cell.title, cell.body)


def _labelled(text: str, found: Sequence[Sentence], rests: Sequence[Resting], inferred: Collection[int]) -> str:
    """The text with a label before each sentence that rests on what is not trusted, unless it has one."""
    resting_on_them = (found[rest.sentence] for rest in rests if rest.cell_id in inferred)
    places = sorted({sentence.start for sentence in resting_on_them if not _has_label(sentence)})
    pieces, before = [], 0
    for place in places:
        pieces += [text[before:place], f"{INFERENCE} "]
        before = place
    return "".join([*pieces, text[before:]])


def _has_label(sentence: Sentence) -> bool:
    return INFERENCE.lower() in sentence.text.lower()


def _violations(
    draft: Draft, inferred: Sequence[int], disputed: Sequence[Cell], escalated: Collection[str]
) -> list[Violation]:
    by_rule: dict[str, tuple[tuple[str, ...], tuple[Any, ...]]] = {
        finding.rule: (finding.found, ()) for finding in findings(draft)
    }
    if inferred:
        by_rule["inference_labeling"] = ((), tuple(inferred))
    if disputed:
        by_rule["contradiction_notice"] = ((), tuple(map(_disputed, disputed)))
    return [
        Violation(name, "error" if name in escalated else rule.severity, _message(name, escalated), *by_rule[name])
        for name, rule in rules().items()
        if name in by_rule
    ]


def _disputed(cell: Cell) -> dict[str, Any]:
    title = one_line(cell.title, _LONGEST_SHOWN)
    return {"id": cell.cell_id, "title": title, "contradictions": cell.contradiction_count}


def _message(name: str, escalated: Collection[str]) -> str:
    says = rules()[name].says
    return f"{says} It was violated often, and blocks by now." if name in escalated else says


def _contradiction(sentence: Sentence, policy: Cell) -> Violation:
    rule = rules()[POLICY_CONTRADICTION]
    shown = quoted(policy.body, source=policy.source, trust=policy.trust, longest=_LONGEST_SHOWN)
    message = f"{rule.says} Policy {policy.cell_id}: {shown}"
    return Violation(rule.name, rule.severity, message, (one_line(sentence.text, _LONGEST_SHOWN),), (policy.cell_id,))


def _notice(cell: Cell) -> str:
    shown = quoted(cell.title, source=cell.source, trust=cell.trust, longest=_LONGEST_SHOWN)
    times = "once" if cell.contradiction_count == 1 else f"{cell.contradiction_count} times"
    return f"[Conflict] Memory contradicts this {times}: {shown}, cell {cell.cell_id}. Check it before you rely on it."


def _integrity(violations: Sequence[Violation]) -> Integrity:
    severities = {violation.severity for violation in violations}
    if "error" in severities:
        return "BLOCKED"
    return "NEEDS_VERIFICATION" if "warning" in severities else "OK"
