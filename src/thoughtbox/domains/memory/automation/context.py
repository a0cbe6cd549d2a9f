"""The project's context: what hooks tell an agent of it."""

from __future__ import annotations

from typing import Any

from thoughtbox.domains.memory.automation.models import (
    ContextShown,
    ContextUpdated,
    ReadContext,
    UpdateContext,
)
from thoughtbox.domains.memory.automation.places import inside, named_project, shown
from thoughtbox.domains.memory.automation.records import write_project
from thoughtbox.domains.memory.hashing import digest
from thoughtbox.domains.memory.project import read_object, write_object
from thoughtbox.domains.memory.room import TOOLS, room
from thoughtbox.errors import (
    ConfigInvalid,
    PathRefused,
    ProjectUnavailable,
)
from thoughtbox.operations import Example, Tx
from thoughtbox.world import iso

NO_CONTEXT = {"highlights": [], "reminders": [], "preImplementation": [], "postImplementation": []}

_CONTEXT = {"enabled": True, "summary": "A shop's backend.", "reminders": ["Run the tests before a commit."]}


@room.operation(
    "get_project_context",
    title="Read the project's context",
    toolsets=TOOLS,
    errors=[ConfigInvalid, ProjectUnavailable, PathRefused],
    example=Example({}, given=[("update_project_context", _CONTEXT)]),
)
def get_project_context(tx: Tx, call: ReadContext) -> ContextShown:
    """What hooks tell an agent of the project: a summary, highlights, reminders, and checklists."""
    folder = named_project(tx, call.project_path)
    found = read_object(folder.context)
    told: dict[str, Any] = {**NO_CONTEXT, **(found or {})}
    return ContextShown(
        exists=found is not None,
        project_path=str(folder.root),
        context_file=shown(folder, folder.context),
        enabled=told.get("enabled") is True if found is not None else None,
        summary=told["summary"] if isinstance(told.get("summary"), str) else None,
        highlights=_texts(told["highlights"]),
        reminders=_texts(told["reminders"]),
        preImplementation=_texts(told["preImplementation"]),
        postImplementation=_texts(told["postImplementation"]),
        updated_at=told["updated_at"] if isinstance(told.get("updated_at"), str) else None,
    )


@room.operation(
    "update_project_context",
    writes=True,
    effect="overwrites",
    title="Write the project's context",
    toolsets=TOOLS,
    errors=[ConfigInvalid, ProjectUnavailable, PathRefused],
    example=Example(_CONTEXT),
)
def update_project_context(tx: Tx, call: UpdateContext) -> ContextUpdated:
    """Put this in the place of the project's context; what is not sent is empty then."""
    folder = named_project(tx, call.project_path)
    context = {
        "enabled": call.enabled,
        "summary": call.summary,
        "highlights": list(call.highlights),
        "reminders": list(call.reminders),
        "preImplementation": list(call.pre_implementation),
        "postImplementation": list(call.post_implementation),
        "project_path": str(folder.root),
        "updated_at": iso(tx.now_ms),
    }
    file = shown(folder, folder.context)
    write_project(tx, "context_updated", files=[file], hash=digest(context), said="The project's context is written")
    write_object(inside(tx, folder.context), context)
    return ContextUpdated(
        success=True,
        project_path=str(folder.root),
        context_file=file,
        enabled=call.enabled,
        message="Hooks show it from now on." if call.enabled else "It is kept, and not shown.",
    )


def _texts(found: Any) -> list[str]:
    return [text for text in found if isinstance(text, str)] if isinstance(found, list) else []
