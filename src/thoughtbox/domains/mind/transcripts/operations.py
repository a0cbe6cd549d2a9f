"""The verbs of transcripts."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from thoughtbox.domains.mind.envelope import suggest
from thoughtbox.domains.mind.room import IN_FULL, room
from thoughtbox.domains.mind.transcripts.models import (
    TranscriptOpened,
    TranscriptsDigest,
    TranscriptsDigested,
    TranscriptsFound,
    TranscriptsOpen,
    TranscriptsSearch,
)
from thoughtbox.errors import InvalidInput
from thoughtbox.operations import Example, Tx, redacted

if TYPE_CHECKING:
    from thoughtbox.domains.mind.notices import Notice
    from thoughtbox.domains.mind.transcripts.roots import Surroundings

# What reads files is imported when it is first asked for: a start waits for none of it.

A = TypeVar("A")
C = TypeVar("C")


@room.operation(
    "transcripts_search",
    title="Find messages in session files",
    toolsets=IN_FULL,
    long=True,
    newest_first=frozenset({"hits", "projects"}),
    example=Example({"query": "cache", "max_files": 10}),
)
def transcripts_search(tx: Tx, call: TranscriptsSearch) -> TranscriptsFound:
    """Messages of Codex and Claude Code sessions that contain a text, of this project unless told otherwise.

    Only reads, and only within its budgets; nothing of it goes into the workspace.
    """
    from thoughtbox.domains.mind.transcripts.search import search

    return _told(tx, search, call)


@room.operation(
    "transcripts_open",
    title="Read a session file around a message",
    toolsets=IN_FULL,
    long=True,
    example=Example({"ref": {"path": "no-such-session.jsonl", "line": 1}}, fails_with=InvalidInput),
)
def transcripts_open(tx: Tx, call: TranscriptsOpen) -> TranscriptOpened:
    """The messages around a place in a session file that a hit or a digest has named."""
    from thoughtbox.domains.mind.transcripts.opening import open_window

    return _told(tx, open_window, call)


@room.operation(
    "transcripts_digest",
    title="What earlier sessions came to",
    toolsets=IN_FULL,
    long=True,
    newest_first=frozenset({"digest"}),
    example=Example({"max_items": 3}),
)
def transcripts_digest(tx: Tx, call: TranscriptsDigest) -> TranscriptsDigested:
    """The closing summaries of recent sessions of this project, newest first: what happened before you came."""
    from thoughtbox.domains.mind.transcripts.digest import digest

    return _told(tx, digest, call)


def _told(
    tx: Tx, read: Callable[[C, Surroundings], tuple[A, Sequence[Notice], Sequence[dict[str, Any]]]], call: C
) -> A:
    """What was read, with what there is to say beside it."""
    from thoughtbox.domains.mind.transcripts.roots import Surroundings

    surroundings = Surroundings(
        home=Path.home(),
        environment=os.environ,
        project_root=tx.project_root,
        summary_markers=tx.settings.get("summary_markers", ()),
        redact=redacted,
    )
    answer, notices, suggestions = read(call, surroundings)
    tx.remarks += notices
    for one in suggestions:
        suggest(tx, one["target"], one["params"], one["reason"], one["priority"])
    return answer
