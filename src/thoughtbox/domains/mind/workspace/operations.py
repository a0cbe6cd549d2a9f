"""The verbs about the workspace."""

from __future__ import annotations

from typing import Any

from thoughtbox import content
from thoughtbox.domains.mind.entries import opened
from thoughtbox.domains.mind.room import IN_CORE, IN_FULL, room
from thoughtbox.domains.mind.scope import GRAPH, NOTES, TRACE, begin, checked_out
from thoughtbox.domains.mind.tasks.shown import event_shown
from thoughtbox.domains.mind.view.documents import MAIN, Documents
from thoughtbox.domains.mind.view.tasks import Tasks
from thoughtbox.domains.mind.workspace.models import (
    Defaults,
    Diagnose,
    Diagnosed,
    Help,
    Init,
    Initialized,
    ReadHelp,
    ReadStatus,
    WorkspaceStatus,
)
from thoughtbox.errors import UnknownId
from thoughtbox.operations import Example, Tx

SCHEMA_VERSION = "v0"
DEFAULTS = Defaults(branch=MAIN, docs={"notes": NOTES, "graph": GRAPH, "trace": TRACE})

GOLDEN_PATH = (
    ("tasks_snapshot", "Resume: what is in focus, what is known, what comes next."),
    ("tasks_create", "Begin a plan or a task with steps; tasks_focus_set makes it what calls are about."),
    ("think_card", "Write down a hypothesis, question, test, evidence or decision, linked to what it is about."),
    ("macro_branch_note", "Try something on a branch of its own, and note why."),
    ("tasks_close_step", "Close a step with its checkpoints and proof."),
    ("open", "Read any id that an answer names."),
)


@room.operation(
    "init", writes=True, idempotent=True, title="Begin in a workspace", toolsets=IN_FULL, example=Example({})
)
def init(tx: Tx, call: Init) -> Initialized:
    """Make the workspace ready: the branch main is made and checked out where there is none yet."""
    view = tx.ask(Documents)
    branch = checked_out(tx) if view.branches(1) else begin(tx)
    return Initialized(
        workspace=tx.workspace,
        storage_dir=str(tx.data_dir) if tx.data_dir is not None else None,
        schema_version=SCHEMA_VERSION,
        checkout=branch.name,
        defaults=DEFAULTS,
    )


@room.operation("help", title="How to use the mind room", toolsets=IN_CORE, example=Example({}))
def help(tx: Tx, call: ReadHelp) -> Help:
    """How to think in cards, notes, branches and tasks: what tags mean, how proof is given, what a day looks like."""
    return Help(text=content.text("mind/help.md"))


@room.operation(
    "status",
    title="How the workspace stands",
    toolsets=IN_CORE,
    example=Example({}, given=[("notes_commit", {"content": "Reads dominate."})]),
)
def status(tx: Tx, call: ReadStatus) -> WorkspaceStatus:
    """What is checked out and in focus, what was written last, and which tools lead on."""
    view = tx.ask(Documents)
    event, entry = _last_event(tx), view.newest_entry()
    return WorkspaceStatus(
        workspace=tx.workspace,
        schema_version=SCHEMA_VERSION,
        workspace_exists=tx.ledger.last_seq() > 0,
        checkout=checked_out(tx).name if view.branches(1) else None,
        focus=view.place("focus"),
        defaults=DEFAULTS,
        golden_path=_golden_path(),
        last_task_event=event,
        last_event=event,
        last_doc_entry=_in_short(opened(tx, [entry])[0]) if entry is not None else None,
        workspace_policy={
            "default_workspace": tx.workspaces.own,
            "workspace_lock": tx.workspaces.locked,
            "workspace_allowlist": list(tx.workspaces.allowed),
        },
    )


@room.operation(
    "diagnostics",
    title="What is wrong here, and how to mend it",
    toolsets=IN_FULL,
    errors=[UnknownId],
    keep=["context_health"],
    example=Example({"plan": "PLAN-001"}, given=[("tasks_create", {"kind": "plan", "title": "Warm the cache"})]),
)
def diagnostics(tx: Tx, call: Diagnose) -> Diagnosed:
    """One look at the workspace and at a plan or task: what is checked out and in focus, what lacks, what mends it.

    Every patch and suggested call can be sent as it stands.
    """
    from thoughtbox.domains.mind.workspace.diagnosis import diagnosis

    return Diagnosed(**diagnosis(tx, call), golden_path=_golden_path())


def _golden_path() -> list[dict[str, str]]:
    return [{"tool": tool, "purpose": purpose} for tool, purpose in GOLDEN_PATH]


def _last_event(tx: Tx) -> dict[str, Any] | None:
    found = tx.ask(Tasks).newest_events(limit=1)
    records = tx.ledger.records(found)
    return {name: event_shown(records[0])[name] for name in ("event_id", "ts", "ts_ms")} if records else None


def _in_short(entry: dict[str, Any]) -> dict[str, Any]:
    return {name: entry[name] for name in ("seq", "ts", "ts_ms", "branch", "doc", "kind")}
