"""What a project has decided: its preset, its gates, its token lifetimes, its memory settings.

All of it stands flat in `.claude/config.json`, under the specification's names; what is not said there is the default.
Nothing heavy is imported here: hooks start with it.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from thoughtbox.domains.memory.project import ProjectFolder, read_object
from thoughtbox.errors import ConfigInvalid

Enforcement = Literal["lenient", "moderate", "strict", "custom"]
ENFORCEMENTS: tuple[Enforcement, ...] = ("lenient", "moderate", "strict", "custom")
GATES = ("teach", "learn", "reason")
DEFAULT_PRESET = "three-gate"

MEMORY_DEFAULTS: dict[str, Any] = {
    "memory_enabled": True,
    "consolidation_threshold": 5,
    "max_cells_total": 1000,
    "max_cells_per_scene": 50,
    "max_experiences_total": 5000,
    "byte_budget_default": 8000,
}


class MemorySettings(NamedTuple):
    """What memory may grow to, and when it is consolidated."""

    memory_enabled: bool
    consolidation_threshold: int
    max_cells_total: int
    max_cells_per_scene: int
    max_experiences_total: int
    byte_budget_default: int


def memory_settings(folder: ProjectFolder) -> MemorySettings:
    """The memory settings of a project, each by itself or its default; one that is of another type is refused."""
    found = read_object(folder.config) or {}
    values = {name: found.get(name, default) for name, default in MEMORY_DEFAULTS.items()}
    for name, default in MEMORY_DEFAULTS.items():
        value = values[name]
        is_number = isinstance(value, int) and not isinstance(value, bool) and value >= 1
        if not (isinstance(value, bool) if isinstance(default, bool) else is_number):
            wanted = "true or false" if isinstance(default, bool) else "a whole number from 1"
            raise ConfigInvalid(
                f"`{name}` in {folder.config} is {value!r}; it must be {wanted}",
                recovery=f"Set it to {str(default).lower()}, the default, or take it out.",
                details={"fields": [name]},
            )
    return MemorySettings(**values)
