"""What is wrong with a configuration, and what would be better: each with the path of its field."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from thoughtbox.domains.memory.configuration import (
    DEFAULT_TTL,
    ENFORCEMENTS,
    GATE_LEVELS,
    GATES,
    LONGEST_TTL,
    MEMORY_DEFAULTS,
    PRESET_NAME,
    are_tools,
    is_memory_setting,
    is_ttl,
)

REPLACED: Mapping[str, str] = {
    "analyze_problem": "compliance_snapshot and compliance_router",
    "gather_context": "context_pack",
    "reason_through": "guarded_cycle",
    "finalize_decision": "finalize_response and governance_validate",
}
"""Tools that a gate should no longer ask for, and what stands in their place."""


class Finding(NamedTuple):
    """Something about one field."""

    field: str
    message: str


class Findings(NamedTuple):
    errors: list[Finding]
    warnings: list[Finding]


def findings(config: Mapping[str, Any], known_tools: Collection[str]) -> Findings:
    """What is wrong with a configuration, and what is only not recommended."""
    return Findings(list(_errors(config)), list(_warnings(config, known_tools)))


def _errors(config: Mapping[str, Any]) -> Iterator[Finding]:
    name, gates = config.get("name"), config.get("gates")
    if name is None:
        yield Finding("name", "it is missing")
    elif not isinstance(name, str) or not PRESET_NAME.fullmatch(name):
        yield Finding("name", "it must have 1 to 64 letters, digits, - or _, and begin with a letter or digit")
    if gates is None:
        yield Finding("gates", "it is missing")
    elif not isinstance(gates, dict):
        yield Finding("gates", "it must be an object with teach, learn and reason")
    else:
        for gate in GATES:
            yield from _gate_errors(f"gates.{gate}", gates.get(gate))
    if config.get("enforcement", "moderate") not in ENFORCEMENTS:
        yield Finding("enforcement", f"it must be one of {', '.join(ENFORCEMENTS)}")
    yield from _ttl_errors(config.get("token_ttl", {}))
    for setting, default in MEMORY_DEFAULTS.items():
        if setting in config and not is_memory_setting(setting, config[setting]):
            wanted = "true or false" if isinstance(default, bool) else "a whole number from 1"
            yield Finding(setting, f"it must be {wanted}")


def _gate_errors(path: str, gate: Any) -> Iterator[Finding]:
    if gate is None:
        yield Finding(path, "it is missing")
    elif not isinstance(gate, dict):
        yield Finding(path, "it must be an object with required_tools and description")
    else:
        if "required_tools" in gate and not are_tools(gate["required_tools"]):
            yield Finding(f"{path}.required_tools", "it must be a list of names of tools")
        if "description" in gate and not isinstance(gate["description"], str):
            yield Finding(f"{path}.description", "it must be a text")
        if gate.get("enforcement", "moderate") not in GATE_LEVELS:
            yield Finding(f"{path}.enforcement", f"it must be one of {', '.join(GATE_LEVELS)}")


def _ttl_errors(ttl: Any) -> Iterator[Finding]:
    if not isinstance(ttl, dict):
        yield Finding("token_ttl", "it must be an object with operation and session, in milliseconds")
        return
    for kind in DEFAULT_TTL._fields:
        if kind in ttl and not is_ttl(ttl[kind]):
            yield Finding(f"token_ttl.{kind}", f"it must be a whole number of milliseconds, 1 to {LONGEST_TTL}")


def _warnings(config: Mapping[str, Any], known_tools: Collection[str]) -> Iterator[Finding]:
    if not config.get("description"):
        yield Finding("description", "it is missing: say what the preset is for")
    if "enforcement" not in config:
        yield Finding("enforcement", "it is missing: `moderate` counts")
    gates, ttl = config.get("gates"), config.get("token_ttl", {})
    for name, gate in gates.items() if isinstance(gates, dict) else ():
        path = f"gates.{name}"
        if name not in GATES:
            yield Finding(path, "there is no such gate: it has no effect")
        elif isinstance(gate, dict):
            yield from _gate_warnings(path, gate, config.get("enforcement"), known_tools)
    for kind, default in DEFAULT_TTL._asdict().items():
        if isinstance(ttl, dict) and kind not in ttl:
            yield Finding(f"token_ttl.{kind}", f"it is missing: {default} counts")


def _gate_warnings(
    path: str, gate: Mapping[str, Any], enforcement: Any, known_tools: Collection[str]
) -> Iterator[Finding]:
    for recommended in ("required_tools", "description"):
        if recommended not in gate:
            yield Finding(f"{path}.{recommended}", "it is missing")
    if "enforcement" in gate and enforcement != "custom":
        yield Finding(f"{path}.enforcement", "it counts under the enforcement `custom` only")
    tools = gate.get("required_tools", [])
    for tool in tools if are_tools(tools) else []:
        if tool in REPLACED:
            yield Finding(f"{path}.required_tools", f"{tool} is deprecated: ask for {REPLACED[tool]}")
        elif tool not in known_tools:
            yield Finding(f"{path}.required_tools", f"{tool} is no operation here: only a host's hooks can count it")
