"""A session, as this room sees it: pure, no database and no protocol.

A session is what its events come to: begun, renamed, tagged, completed and so on; and what its thoughts do to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from thoughtbox.ledger.record import Record, present

Status = Literal["active", "completed"]

STARTED = "thoughts.session"
CHANGED = "thoughts.session_changed"

UPDATES = frozenset({"renamed", "tagged", "completed", "deleted", "undeleted"})
"""Changes after which a session counts as updated; the others only touch it."""

SETTLES = frozenset({"completed", "resumed"})
"""Changes that say whether a session goes on."""

LONGEST_TITLE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One session, as it stands after some event."""

    id: str
    title: str
    created_at: str
    updated_at: str
    last_accessed_at: str
    description: str | None = None
    tags: tuple[str, ...] = ()
    project: str | None = None
    task: str | None = None
    aspect: str | None = None
    domain: str | None = None
    root: str | None = None
    """The client's root directory that it is bound to."""
    stage: int = 1
    status: Status = "active"
    deleted: bool = False
    thought_count: int = 0
    branch_count: int = 0

    @classmethod
    def begun(cls, record: Record) -> Session:
        """As its first event makes it."""
        data, at = record.data, time_of(record)
        return cls(
            id=record.session,
            title=data["title"],
            description=data.get("description"),
            tags=tuple(data.get("tags", ())),
            project=data.get("project"),
            task=data.get("task"),
            aspect=data.get("aspect"),
            domain=data.get("domain"),
            root=data.get("root"),
            stage=data.get("stage", 1),
            created_at=at,
            updated_at=at,
            last_accessed_at=at,
        )

    @property
    def place(self) -> dict[str, str]:
        """What it is about, as far as it says so."""
        given = {name: getattr(self, name) for name in ("project", "task", "aspect", "domain", "root")}
        return present(given)

    def changed(self, change: Mapping[str, Any], at: str) -> Session:
        """After an event of `CHANGED`: its `data`, and the time it happened."""
        what = change["change"]
        match what:
            case "renamed":
                return replace(
                    self,
                    title=change.get("title", self.title),
                    description=change.get("description", self.description),
                    updated_at=at,
                    last_accessed_at=at,
                )
            case "tagged":
                return replace(self, tags=tuple(change["tags"]), updated_at=at, last_accessed_at=at)
            case "completed":
                return replace(self, status="completed", updated_at=at, last_accessed_at=at)
            case "resumed":
                return replace(self, status="active", last_accessed_at=at)
            case "navigated":
                given = {
                    name: change[name] for name in ("project", "task", "aspect", "domain", "root") if name in change
                }
                return replace(self, **given, last_accessed_at=at)
            case "staged":
                return replace(self, stage=change["stage"], last_accessed_at=at)
            case "deleted":
                return replace(self, deleted=True, updated_at=at, last_accessed_at=at)
            case "undeleted":
                return replace(self, deleted=False, updated_at=at, last_accessed_at=at)
            case _:
                return self


def time_of(record: Record) -> str:
    """When an event happened: what comes from elsewhere brings its own time."""
    return record.data.get("timestamp", record.ts)
