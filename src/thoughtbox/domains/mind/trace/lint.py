"""What is incomplete in the sequential metadata of a step. It is said, never refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from thoughtbox.domains.mind.notices import Notice
from thoughtbox.domains.mind.trace.steps import is_sequential, positive

MOST_NOTICES = 2
"""The first two, in the order of what keeps the step out of the graph."""


def lint(meta: Mapping[str, Any]) -> list[Notice]:
    """The warnings for a step with this `meta`; none if it is in order, or not of a sequence at all."""
    if not is_sequential(meta):
        return []
    return [
        Notice(f"TRACE_SEQ_META_{code}", message, recovery)
        for code, message, recovery in list(_faults(meta))[:MOST_NOTICES]
    ]


def _faults(meta: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    given = {key: value for key, value in meta.items() if value is not None}
    number, total = positive(given.get("thoughtNumber")), positive(given.get("totalThoughts"))
    revises = given.get("isRevision") is True
    if "thoughtNumber" not in given:
        yield (
            "MISSING_THOUGHT_NUMBER",
            "meta.thoughtNumber is missing, so this step has no place in the sequential graph",
            'Give every numbered step its own: "thoughtNumber": 1, then 2, then 3.',
        )
    elif number is None:
        yield (
            "INVALID_THOUGHT_NUMBER",
            "meta.thoughtNumber is no whole number from 1 on, so this step has no place in the sequential graph",
            'Send a number, not text: "thoughtNumber": 1.',
        )
    if "branchFromThought" in given and positive(given["branchFromThought"]) is None:
        yield (
            "INVALID_BRANCH_FROM",
            "meta.branchFromThought is no whole number from 1 on, so the branch is not drawn",
            'Send the number of the thought it branches off: "branchFromThought": 1.',
        )
    if "branchId" in given and not _is_text(given["branchId"]):
        yield (
            "INVALID_BRANCH_ID",
            "meta.branchId is not a text, so the branch has no name",
            'Send a short name, the same for all steps of the branch: "branchId": "alternative".',
        )
    if revises and "revisesThought" not in given:
        yield (
            "REVISION_WITHOUT_TARGET",
            "meta.isRevision is true, and meta.revisesThought does not say which thought is revised",
            'Add the number of the thought: "revisesThought": 1.',
        )
    if "revisesThought" in given and positive(given["revisesThought"]) is None:
        yield (
            "INVALID_REVISES",
            "meta.revisesThought is no whole number from 1 on, so the revision is not drawn",
            'Send the number of the thought that is revised: "revisesThought": 1.',
        )
    elif "revisesThought" in given and not revises:
        yield (
            "INVALID_REVISES",
            "meta.revisesThought is given without meta.isRevision, so the revision is not drawn",
            'Add "isRevision": true, or leave out revisesThought.',
        )
    if "totalThoughts" in given and total is None:
        yield (
            "INVALID_TOTAL_THOUGHTS",
            "meta.totalThoughts is no whole number from 1 on",
            'Send your estimate as a number: "totalThoughts": 5.',
        )
    if number is not None and total is not None and total < number:
        yield (
            "TOTAL_BELOW_NUMBER",
            f"meta.totalThoughts is {total}, and this is thought {number}",
            f'Raise the estimate: "totalThoughts": {number}.',
        )
    if "nextThoughtNeeded" in given and not isinstance(given["nextThoughtNeeded"], bool):
        yield (
            "INVALID_NEXT_THOUGHT_NEEDED",
            "meta.nextThoughtNeeded is neither true nor false",
            'Send "nextThoughtNeeded": true, or false with the last thought.',
        )


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())
