"""Ways in which a snippet ends before its end. None of them passes through the snippet, where it could be caught."""

from __future__ import annotations


class Breach(Exception):
    """The snippet went beyond a limit."""

    def __init__(self, limit: str) -> None:
        super().__init__(limit)
        self.limit = limit


class Abandoned(Exception):
    """Nobody waits for the snippet any more."""


class Stuck(Exception):
    """The snippet waits for something that will never happen."""


class Refused(Exception):
    """The snippet cannot be read as its language."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


class Thrown(Exception):
    """Something came out of the snippet that it has not caught: a handle to it, in the instance it came from."""

    def __init__(self, handle: int) -> None:
        super().__init__(handle)
        self.handle = handle
