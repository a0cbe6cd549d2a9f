"""What phases are given."""

from __future__ import annotations

from typing import Any, NamedTuple

from thoughtbox.domains.memory.hashing import digest


class Given(NamedTuple):
    """All that a phase can be given; each takes what is its own."""

    scope: str | None = None
    context: Any = None
    context_keys: tuple[str, ...] | None = None
    snapshot_hash: str | None = None
    user_input: str | None = None
    draft: str | None = None
    byte_budget: int | None = None
    max_cells: int | None = None
    max_experiences: int | None = None
    cells: tuple[int, ...] = ()
    context_hash: str | None = None

    @property
    def hash(self) -> str:
        """Of what is there; of an empty phase too."""
        return digest({name: value for name, value in self._asdict().items() if value not in (None, ())})
