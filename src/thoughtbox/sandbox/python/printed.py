"""What comes out of a sandbox as text: what the snippet prints, and what the prelude says to the host."""

from __future__ import annotations

from collections.abc import Callable

from thoughtbox.sandbox.python.library import FRAME

LONGEST_FRAME = 4_000_000
"""Characters of JSON that a snippet may hand to an operation at once."""


class Printed:
    """Called by the engine with each piece of text. Keeps no more than is allowed; the rest is dropped and noted."""

    def __init__(self, most: int, too_much: Callable[[int], None]) -> None:
        """`too_much` is told what is allowed: `most` characters in the log, and so many in a frame."""
        self._most = most
        self._left = most
        self._left_said = most + LONGEST_FRAME
        self._too_much = too_much
        self._logged: list[str] = []
        self._said: list[str] = []

    def __call__(self, stream: str, text: str) -> None:
        if stream == "stderr":
            self._left_said -= len(text)
            if self._left_said >= 0:
                self._said.append(text)
                return
        else:
            self._left -= len(text)
            if self._left >= 0:
                self._logged.append(text)
                return
            self._logged.append(text[: self._left])
            self._left = 0
        is_frame = stream == "stderr" and any(FRAME in piece for piece in self._said)
        self._too_much(LONGEST_FRAME if is_frame else self._most)

    def frame(self) -> str | None:
        """What was last said to the host. Before it is what the snippet has printed to stderr itself."""
        before, marked, frame = self._taken().rpartition(FRAME)
        self._log(before if marked else frame)
        return frame if marked else None

    @property
    def lines(self) -> list[str]:
        """What was printed so far."""
        lines = "".join(self._logged).split("\n")
        return lines if lines[-1] else lines[:-1]

    def _taken(self) -> str:
        said = "".join(self._said)
        self._said.clear()
        self._left_said += len(said)
        return said

    def _log(self, text: str) -> None:
        if text:
            self._left -= len(text)
            self._logged.append(text if self._left >= 0 else text[: self._left])
            if self._left < 0:
                self._left = 0
                self._too_much(self._most)
