"""What a project has decided: its preset, its gates, its token lifetimes, its memory settings.

All of it stands flat in `.claude/config.json`, under the specification's names; what is not said there is the preset's
that it names, and then the default. Nothing heavy is imported here: hooks start with it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Literal, NamedTuple

from thoughtbox.domains.memory.project import ProjectFolder, read_object
from thoughtbox.errors import ConfigInvalid

Enforcement = Literal["lenient", "moderate", "strict", "custom"]
ENFORCEMENTS: tuple[Enforcement, ...] = ("lenient", "moderate", "strict", "custom")
GateLevel = Literal["lenient", "moderate", "strict"]
GATE_LEVELS: tuple[GateLevel, ...] = ("lenient", "moderate", "strict")
GATES = ("teach", "learn", "reason")
"""The gates, in the order in which they are passed."""
DEFAULT_PRESET = "three-gate"

BUILT_IN = Path(__file__).resolve().parents[2] / "content" / "memory" / "presets"
BUILT_IN_NAMES = ("three-gate", "minimal", "strict", "custom")

PRESET_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", re.ASCII)
"""What a preset may be called: a name of a file that leads nowhere else."""

MEMORY_DEFAULTS: dict[str, Any] = {
    "memory_enabled": True,
    "consolidation_threshold": 5,
    "max_cells_total": 1000,
    "max_cells_per_scene": 50,
    "max_experiences_total": 5000,
    "byte_budget_default": 8000,
}

LONGEST_TTL = 366 * 24 * 3600 * 1000
"""Milliseconds that a token may live at the most."""


class MemorySettings(NamedTuple):
    """What memory may grow to, and when it is consolidated."""

    memory_enabled: bool
    consolidation_threshold: int
    max_cells_total: int
    max_cells_per_scene: int
    max_experiences_total: int
    byte_budget_default: int


class TokenTtl(NamedTuple):
    """How long tokens live, in milliseconds."""

    operation: int
    session: int


DEFAULT_TTL = TokenTtl(operation=300_000, session=3_600_000)


class Gate(NamedTuple):
    """What must have been done before a gate is passed."""

    name: str
    description: str
    required_tools: tuple[str, ...]
    level: GateLevel
    """How strictly it is kept: as the project is, and under `custom` as the gate itself says."""


class Preset(NamedTuple):
    """A preset, and where it stands."""

    name: str
    kind: Literal["built-in", "custom"]
    path: Path
    hides_built_in: bool = False
    """Whether it is the project's own, in the place of one that comes with the product."""

    def content(self) -> dict[str, Any]:
        """What it says; an error when its file cannot be read."""
        return read_object(self.path) or {}


def memory_settings(folder: ProjectFolder) -> MemorySettings:
    """The memory settings of a project, each by itself or its default; one that is of another type is refused."""
    found = read_object(folder.config) or {}
    values = {name: found.get(name, default) for name, default in MEMORY_DEFAULTS.items()}
    for name, default in MEMORY_DEFAULTS.items():
        if not is_memory_setting(name, values[name]):
            wanted = "true or false" if isinstance(default, bool) else "a whole number from 1"
            raise ConfigInvalid(
                f"`{name}` in {folder.config} is {values[name]!r}; it must be {wanted}",
                recovery=f"Set it to {str(default).lower()}, the default, or take it out.",
                details={"fields": [name]},
            )
    return MemorySettings(**values)


def is_memory_setting(name: str, value: object) -> bool:
    """Whether a memory setting may have this value."""
    if isinstance(MEMORY_DEFAULTS[name], bool):
        return isinstance(value, bool)
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def presets(folder: ProjectFolder) -> list[Preset]:
    """All presets, each once: those that come with the product in their order, then the project's own by name."""
    own = sorted(path.stem for path in folder.presets.glob("*.json") if path.is_file())
    names = dict.fromkeys([*BUILT_IN_NAMES, *own])
    return [found for name in names if (found := preset_named(folder, name)) is not None]


def preset_named(folder: ProjectFolder, name: str) -> Preset | None:
    """The preset of that name: the project's own, or the one that comes with the product."""
    if PRESET_NAME.fullmatch(name) is None:
        return None
    is_built_in, own = name in BUILT_IN_NAMES, folder.presets / f"{name}.json"
    if own.is_file():
        return Preset(name, "custom", own, hides_built_in=is_built_in)
    return Preset(name, "built-in", BUILT_IN / f"{name}.json") if is_built_in else None


def active_config(folder: ProjectFolder) -> dict[str, Any]:
    """What counts in a project: its preset, and over that what `.claude/config.json` says itself.

    One that names no preset, or one that is not there, stands on the default.
    """
    own = read_object(folder.config) or {}
    name = own.get("name", DEFAULT_PRESET)
    preset = preset_named(folder, name) if isinstance(name, str) else None
    base = preset.content() if preset is not None else (read_object(BUILT_IN / f"{DEFAULT_PRESET}.json") or {})
    return merged(base, {"name": name, **own})


def merged(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """One object over another, member by member; what is no object, lists as well, takes the other's place."""
    result = dict(base)
    for name, value in over.items():
        below = result.get(name)
        result[name] = merged(below, value) if isinstance(below, dict) and isinstance(value, dict) else value
    return result


def token_ttl(folder: ProjectFolder) -> TokenTtl:
    """How long the tokens of a project live."""
    return ttl_of(active_config(folder))


def enforcement(folder: ProjectFolder) -> Enforcement:
    """How strictly the gates of a project are kept."""
    return enforcement_of(active_config(folder))


def gates(folder: ProjectFolder) -> list[Gate]:
    """The gates of a project, in order."""
    return gates_of(active_config(folder))


def ttl_of(config: dict[str, Any]) -> TokenTtl:
    found = config.get("token_ttl", {})
    if not isinstance(found, dict):
        raise _wrong("token_ttl", found, "an object with `operation` and `session`")
    values = {name: found.get(name, default) for name, default in DEFAULT_TTL._asdict().items()}
    for name, value in values.items():
        if not is_ttl(value):
            raise _wrong(f"token_ttl.{name}", value, f"a whole number of milliseconds, 1 to {LONGEST_TTL}")
    return TokenTtl(**values)


def enforcement_of(config: dict[str, Any]) -> Enforcement:
    found = config.get("enforcement", "moderate")
    if found not in ENFORCEMENTS:
        raise _wrong("enforcement", found, f"one of {', '.join(ENFORCEMENTS)}")
    return found


def gates_of(config: dict[str, Any]) -> list[Gate]:
    level, found = enforcement_of(config), config.get("gates", {})
    if not isinstance(found, dict):
        raise _wrong("gates", found, "an object")
    return [_gate(name, found.get(name, {}), level) for name in GATES]


def is_ttl(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= LONGEST_TTL


def are_tools(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(tool, str) and tool for tool in value)


def _gate(name: str, found: Any, level: Enforcement) -> Gate:
    if not isinstance(found, dict):
        raise _wrong(f"gates.{name}", found, "an object")
    tools, own = found.get("required_tools", []), found.get("enforcement", "moderate")
    if not are_tools(tools):
        raise _wrong(f"gates.{name}.required_tools", tools, "a list of names of tools")
    if own not in GATE_LEVELS:
        raise _wrong(f"gates.{name}.enforcement", own, f"one of {', '.join(GATE_LEVELS)}")
    description = found.get("description", "")
    return Gate(
        name,
        description if isinstance(description, str) else "",
        tuple(dict.fromkeys(tools)),
        own if level == "custom" else level,
    )


def _wrong(field: str, value: object, wanted: str) -> ConfigInvalid:
    return ConfigInvalid(
        f"`{field}` of the project's configuration is {repr(value)[:100]}; it must be {wanted}",
        recovery="Put it right in .claude/config.json, or in the preset that it names; validate_config says what else.",
        details={"fields": [field]},
    )
