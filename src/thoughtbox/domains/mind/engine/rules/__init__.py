"""The rules: each looks at an argument and yields what a careful reader would notice, with what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from thoughtbox.domains.mind.engine.argument import Argument
from thoughtbox.domains.mind.engine.findings import Finding
from thoughtbox.domains.mind.engine.rules.anchors import low_confidence, weak_evidence
from thoughtbox.domains.mind.engine.rules.assumptions import assumptions_no_longer_open
from thoughtbox.domains.mind.engine.rules.contradictions import contradictions
from thoughtbox.domains.mind.engine.rules.counters import one_sided
from thoughtbox.domains.mind.engine.rules.drafts import unpublished_decisions
from thoughtbox.domains.mind.engine.rules.hypotheses import untested_hypotheses
from thoughtbox.domains.mind.engine.rules.runs import runs_due
from thoughtbox.domains.mind.engine.rules.stuck import stuck
from thoughtbox.domains.mind.engine.rules.tradeoffs import tradeoffs
from thoughtbox.domains.mind.slice import Place

Rule = Callable[[Argument, Place], Iterator[Finding]]

RULES: tuple[Rule, ...] = (
    contradictions,
    weak_evidence,
    low_confidence,
    untested_hypotheses,
    runs_due,
    assumptions_no_longer_open,
    tradeoffs,
    stuck,
    one_sided,
    unpublished_decisions,
)
