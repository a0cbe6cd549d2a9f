"""What an anchor is: its id, and which cards speak for it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from thoughtbox.domains.mind.records import is_draft

TOPIC = "mind.anchor"
STREAM = "mind/anchors"

PREFIX = "a:"
ANCHOR_ID = re.compile(r"a:[a-z0-9][a-z0-9-]{0,63}")
ID_RULE = "an anchor's id is `a:` and a slug of a-z, 0-9 and - (64 at most), such as a:storage"

KINDS = ("boundary", "component", "contract", "data", "test-surface", "ops")
DEFAULT_KIND = "component"
DEFAULT_STATUS = "active"

LONGEST_TITLE = 120
LONGEST_DESCRIPTION = 280
LONGEST_REF = 220
MOST_LISTED = 32
"""Of references, aliases and dependencies."""

CANON, PINNED = "v:canon", "pinned"
PROOF = ("decision", "evidence", "test")
"""Types of cards that stand for something, whether they are marked as canon or not."""
TYPES_IN_ORDER = (*PROOF, "hypothesis", "question", "update", "note", "frame")

SHOWN_FIRST = 0


class Anchor(NamedTuple):
    """An anchor as it stands."""

    id: str
    title: str
    kind: str
    status: str
    description: str | None = None
    refs: tuple[str, ...] = ()
    parent_id: str | None = None
    depends_on: tuple[str, ...] = ()
    created_ms: int = 0
    updated_ms: int = 0

    def state(self) -> dict[str, Any]:
        """As it stands in a record."""
        return {
            "id": self.id,
            "title": self.title,
            "kind": self.kind,
            "status": self.status,
            "description": self.description,
            "refs": list(self.refs),
            "parentId": self.parent_id,
            "dependsOn": list(self.depends_on),
        }


def anchors_in(tags: Iterable[str]) -> list[str]:
    """The ids of anchors among tags. What is none, though it begins like one, is a tag like any other."""
    return sorted({tag for tag in tags if ANCHOR_ID.fullmatch(tag)})


def title_of(id: str) -> str:
    """What an anchor is called that nobody has named: `a:user-data` is User data."""
    return id.removeprefix(PREFIX).replace("-", " ").strip().capitalize() or id


def unnamed(id: str, ms: int) -> Anchor:
    """The anchor that a card brings in by being tagged with it."""
    return Anchor(id, title_of(id), DEFAULT_KIND, DEFAULT_STATUS, created_ms=ms, updated_ms=ms)


def brings_in(type: str, tags: Sequence[str]) -> bool:
    """Whether a card registers the anchors that it names."""
    return type in PROOF or CANON in tags or PINNED in tags


def is_kept(type: str, tags: Sequence[str]) -> bool:
    """Whether a card is shown with its anchors by default."""
    return PINNED in tags or (not is_draft(tags) and (CANON in tags or type in PROOF))


def rank_of(type: str, tags: Sequence[str]) -> int:
    """Which cards come first: pinned ones, then by type."""
    if PINNED in tags:
        return SHOWN_FIRST
    return 1 + (TYPES_IN_ORDER.index(type) if type in TYPES_IN_ORDER else len(TYPES_IN_ORDER))
