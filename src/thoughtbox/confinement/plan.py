"""What a box is: what can be seen in it, and what may be used up there. Plain values that go over a wire."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

FILES: Final = "/notebook"
"""Where the folder stands in a box: what runs there begins in it."""
HOME: Final = "/cell/home"
ENVIRONMENT: Final = "/cell/env"
"""Packages that were installed for it."""
TEMPORARY: Final = "/cell/tmp"
RUN: Final = "/cell/run"
"""Sockets between what runs in a box and what watches over it."""

MEGABYTE: Final = 1024 * 1024


class Bind(NamedTuple):
    """A file or folder of the machine that is seen in a box."""

    source: str
    target: str
    is_writable: bool = False


class Limits(NamedTuple):
    """What one run may use up; of memory, files and processes what is there at any one time."""

    wall_seconds: float
    cpu_seconds: float
    memory_mb: int
    file_mb: int
    processes: int
    output_kb: int

    @property
    def folder_mb(self) -> int:
        """All files of a box together."""
        return self.file_mb * FILES_OF_FULL_SIZE


FILES_OF_FULL_SIZE: Final = 10


class Plan(NamedTuple):
    """A box that is to be made."""

    binds: Sequence[Bind]
    links: Mapping[str, str]
    """Symbolic links in it, and where they lead."""
    hidden: Sequence[str]
    """What is out of sight in it, though it stands in a folder that is not."""
    environment: Mapping[str, str]
    limits: Limits
    has_network: bool = False
    sees_all: bool = False
    """Whether all files of the machine can be read in it, by whoever could read them outside."""
    set_aside_mb: int = 0
    """Memory that its program sets aside without using it, as Node does: no process may have more than the limit and
    this, whatever it uses; what is used is watched."""
    bubblewrap: str | None = None
    """The program that makes it, where the server may not do so itself."""
    user: int | None = None
    """The user that its programs are outside of it, where the server may choose one; None for the server's own."""

    def message(self) -> dict[str, Any]:
        return {**self._asdict(), "binds": [list(bind) for bind in self.binds], "limits": list(self.limits)}

    @classmethod
    def of(cls, message: Mapping[str, Any]) -> Plan:
        given: dict[str, Any] = dict(message)
        given["binds"] = [Bind(*bind) for bind in message["binds"]]
        given["limits"] = Limits(*message["limits"])
        return cls(**given)
