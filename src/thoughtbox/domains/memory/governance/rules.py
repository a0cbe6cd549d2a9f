"""The rules that drafts and phases are held to, as data."""

from __future__ import annotations

import tomllib
from functools import cache
from typing import Any, Literal, NamedTuple

from thoughtbox import content

Severity = Literal["info", "warning", "error"]

POLICY_CONTRADICTION = "policy_contradiction"
PHASE_ORDER = "phase_order"


class Rule(NamedTuple):
    """A rule: how much a violation weighs, what is said of it, and what is remembered once it was broken often."""

    name: str
    severity: Severity
    says: str
    policy: str | None
    settings: dict[str, Any]


@cache
def rules() -> dict[str, Rule]:
    """All rules by name, in order."""
    told = tomllib.loads(content.text("memory/rules.toml"))["rule"]
    own = Rule._fields[:-1]
    return {
        rule["name"]: Rule(
            rule["name"],
            rule["severity"],
            rule["says"],
            rule.get("policy"),
            {name: value for name, value in rule.items() if name not in own},
        )
        for rule in told
    }
