"""What a sandbox is told of a snippet: its language, what it may call, and how much it may use up."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Any

from thoughtbox.domains.code.declarations import can_be_checked, python
from thoughtbox.domains.code.reachable import name_of, reachable
from thoughtbox.domains.code.signatures import BUILDERS, HOST_ONLY, references_of
from thoughtbox.errors import LimitExceeded, ThoughtboxError
from thoughtbox.operations import TABLE
from thoughtbox.sandbox.languages import detected
from thoughtbox.sandbox.protocol import LONGEST_SNIPPET, Language, Limits, Snippet

PATIENT_WALL_MS = 600_000
"""How long a snippet may take whose client waits for it as a task."""

MEGABYTE = 1024 * 1024

LOGS_OF_A_FAILURE = 2_000
"""Characters of what a snippet has logged before it failed that are told with its error: the last ones."""

LONGEST_QUERY = 500

MEND = "Mend the snippet and send it again: nothing of it was written."


def snippet_of(code: str, language: Language | None) -> Snippet:
    """A snippet that may call everything. Python is held against its declarations, where that gives no false alarm."""
    must_be_short(code, LONGEST_SNIPPET)
    meant = language or detected(code)
    stubs = python(TABLE) if meant == "python" and can_be_checked(code) else None
    return Snippet(code, meant, operations=_operations(), builders=_builders(), stubs=stubs)


def must_be_short(text: str, longest: int) -> None:
    """Refuse what is longer than it may be."""
    if len(text) > longest:
        raise LimitExceeded(
            f"it has {len(text)} characters, and {longest} are the most",
            recovery="Split it, and keep in between in tb.vars what the next one needs.",
            details={"limit": "length", "allowed": longest},
        )


def limits_for(settings: Mapping[str, Any], *, is_patient: bool = False) -> Limits:
    return Limits(
        cpu_ms=settings["code_cpu_ms"],
        wall_ms=PATIENT_WALL_MS if is_patient else settings["code_wall_ms"],
        memory_bytes=settings["code_memory_mb"] * MEGABYTE,
    )


def tell_more(error: ThoughtboxError, logs: Sequence[str]) -> None:
    """Have an error say what its snippet has logged, and what to do: else nobody can look for what went wrong."""
    error.recovery = error.recovery or MEND
    told: list[str] = []
    left = LOGS_OF_A_FAILURE
    for line in reversed(logs):
        told.insert(0, line if len(line) <= left else f"…{line[len(line) - left :]}")
        left -= len(line)
        if left <= 0:
            break
    if told:
        error.details = {**error.details, "logs": told}


@cache
def _operations() -> Collection[str]:
    return tuple(map(name_of, reachable(TABLE)))


@cache
def _builders() -> Mapping[str, Collection[str]]:
    """The builders, and which of their options are references."""
    return {kind: references_of(kind) for kind in BUILDERS} | dict.fromkeys(HOST_ONLY, ())
