"""What was gathered, made into one text within a budget of tokens."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from thoughtbox.domains.memory.legacy.models import Sources
from thoughtbox.domains.memory.quoting import PREAMBLE, quoted

BUDGET = 20_000
CEILINGS = {"critical": 0.6, "high": 0.8, "medium": 0.9, "low": 1.0}
"""The share of the budget up to which a priority may fill it."""
EFFECTIVE, DOCS, INEFFECTIVE = 5, 3, 2
_TOKENS = {"critical": 50, "high": 100, "medium": 50, "low": 40}
_DOC, _DATA, _EXPERIENCE = 200, 100, 300

EXPECTED_FORMAT: dict[str, Any] = {
    "experiences": [{"type": "effective", "situation": "…", "approach": "…", "outcome": "…"}],
    "local_docs": [{"path": "docs/page.md", "content": "…"}],
    "mcp_data": {"name": "…"},
    "web_results": [{"title": "…", "url": "…"}],
}


class Gathered(NamedTuple):
    """A text, and how many tokens of each priority are in it."""

    text: str
    breakdown: dict[str, int]

    @property
    def tokens(self) -> int:
        return sum(self.breakdown.values())


def gathered(problem: str, sources: Sources) -> Gathered:
    """What is known, the most useful first. It is all quoted: whoever wrote it gives no orders here."""
    effective = [_experience(given) for given in sources.experiences if given.get("type") == "effective"]
    ineffective = [_experience(given) for given in sources.experiences if given.get("type") == "ineffective"]
    docs = [quoted(doc.content, source=doc.path, trust=1, longest=_DOC) for doc in sources.local_docs[:DOCS]]
    data = [
        quoted(_written(value), source=f"mcp_data {name}", trust=1, longest=_DATA)
        for name, value in sorted(sources.mcp_data.items())
    ]
    parts = [
        ("critical", "What has worked", effective[:EFFECTIVE]),
        ("high", "Documents", docs),
        ("medium", "Data", data),
        ("low", "What has not worked", ineffective[:INEFFECTIVE]),
    ]
    breakdown = dict.fromkeys(CEILINGS, 0)
    lines = [f"Problem: {quoted(problem, source='problem', trust=1, longest=_EXPERIENCE)}", PREAMBLE]
    for priority, heading, items in parts:
        fitting = _fitting(sum(breakdown.values()), priority, len(items))
        if fitting:
            lines += ["", f"{heading}:", *(f"- {item}" for item in items[:fitting])]
            breakdown[priority] = fitting * _TOKENS[priority]
    return Gathered("\n".join(lines), breakdown)


def _fitting(spent: int, priority: str, count: int) -> int:
    room = int(BUDGET * CEILINGS[priority]) - spent
    return max(0, min(count, room // _TOKENS[priority]))


def _experience(given: dict[str, Any]) -> str:
    told = [str(given[name]) for name in ("situation", "approach", "outcome") if given.get(name)]
    return quoted(" → ".join(told) or _written(given), source="experience", trust=1, longest=_EXPERIENCE)


def _written(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
