"""The verbs of automation: hooks, the state of a session, health, import, and the project's context."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Any

from thoughtbox.domains.memory.automation.models import (
    Checked,
    CheckHealth,
    ContextShown,
    ContextUpdated,
    DataImported,
    FileChanged,
    Health,
    HookShown,
    HooksInstalled,
    HooksUninstalled,
    ImportData,
    InstallHooks,
    ReadContext,
    ReadSessionState,
    SessionState,
    UninstallHooks,
    UpdateContext,
)
from thoughtbox.domains.memory.automation.records import write_project
from thoughtbox.domains.memory.folder import confined, project_of
from thoughtbox.domains.memory.hashing import digest
from thoughtbox.domains.memory.project import ProjectFolder, read_object, write_object
from thoughtbox.domains.memory.room import TOOLS, room
from thoughtbox.domains.memory.view.activity import ActivityLog
from thoughtbox.domains.memory.view.sessions import Session, Sessions
from thoughtbox.domains.memory.view.workflow import WorkflowSessions
from thoughtbox.errors import (
    ConfigInvalid,
    FileMissing,
    PathRefused,
    ProjectUnavailable,
    ThoughtboxError,
    ValidationFailed,
)
from thoughtbox.operations import Example, Slices, Steps, Tx
from thoughtbox.world import iso

NO_CONTEXT = {"highlights": [], "reminders": [], "preImplementation": [], "postImplementation": []}
AT_ONCE = 50
"""Experiences that one slice takes in."""
MOST_ERRORS = 20
LARGEST_IMPORT = 64 << 20
MOST_ACTIVITY = 20

_CONTEXT = {"enabled": True, "summary": "A shop's backend.", "reminders": ["Run the tests before a commit."]}


@room.operation(
    "install_hooks",
    writes=True,
    effect="overwrites",
    title="Install the hooks in the project",
    toolsets=TOOLS,
    errors=[ConfigInvalid, ProjectUnavailable, PathRefused],
    example=Example({"dry_run": True}),
)
def install_hooks(tx: Tx, call: InstallHooks) -> HooksInstalled:
    """Have the host run our hooks, and know our server, in this project; nothing outside of it is touched.

    It merges into what is there, and keeps a copy. For all projects of a user there is `thoughtbox install --user`.
    """
    from thoughtbox.domains.memory.automation.health import project_host
    from thoughtbox.domains.memory.hosts import installing
    from thoughtbox.domains.memory.hosts.program import program

    folder = _own_project(tx)
    host = project_host(folder, call.client)
    plan = installing.install(host, program(), options=_options(tx))
    if plan.changes and not call.dry_run:
        _apply(tx, folder, plan, "hooks_installed", f"Hooks of {call.client} are installed in the project")
    hooks = _hooks(installing.hooks_in(host))
    would = "would be" if call.dry_run else "are"
    said = f"{len(plan.changes)} files {would} changed." if plan.changes else "All of it was there already."
    return HooksInstalled(
        installed=bool(hooks),
        client=call.client,
        hooks=hooks,
        location="project",
        settings_updated=bool(plan.changes) and not call.dry_run,
        settings_path=_shown(folder, host.files.hooks),
        changes=_changes(folder, plan),
        notes=list(plan.notes),
        dry_run=call.dry_run,
        message=said,
    )


@room.operation(
    "uninstall_hooks",
    writes=True,
    effect="removes",
    title="Take the hooks out of the project",
    toolsets=TOOLS,
    errors=[ConfigInvalid, ProjectUnavailable, PathRefused],
    example=Example({"dry_run": True}),
)
def uninstall_hooks(tx: Tx, call: UninstallHooks) -> HooksUninstalled:
    """Take what install_hooks put into the project's files out again, and nothing else."""
    from thoughtbox.domains.memory.automation.health import project_host
    from thoughtbox.domains.memory.hosts import installing

    folder = _own_project(tx)
    host = project_host(folder, call.client)
    removed, plan = _hooks(installing.hooks_in(host)), installing.uninstall(host)
    if plan.changes and not call.dry_run:
        _apply(tx, folder, plan, "hooks_removed", f"Hooks of {call.client} are taken out of the project")
    would = "would be" if call.dry_run else "are"
    return HooksUninstalled(
        uninstalled=bool(plan.changes) and not call.dry_run,
        client=call.client,
        removed_count=len(removed),
        removed_hooks=removed,
        changes=_changes(folder, plan),
        dry_run=call.dry_run,
        message=f"{len(removed)} hooks {would} taken out." if plan.changes else "There was nothing of ours.",
    )


@room.operation(
    "get_session_state",
    title="See how a session stands",
    toolsets=TOOLS,
    example=Example(
        {"session_id": "s1"},
        given=[("verify_compliance", {"current_phase": "learn", "action": "edit_files", "session_id": "s1"})],
    ),
)
def get_session_state(tx: Tx, call: ReadSessionState) -> SessionState:
    """What is known of a session of that id: its reasoning, its workflow, its memory, and what happened in it last."""
    workflow = tx.ask(WorkflowSessions).session(call.session_id)
    memory = tx.ask(Sessions).session(int(call.session_id)) if _is_number(call.session_id) else None
    is_open = memory is not None and memory.closed_at is None
    log = tx.ask(ActivityLog)
    stream = f"memory/session/{call.session_id}" if memory is not None else call.session_id
    return SessionState(
        session_id=call.session_id,
        active=is_open or (workflow is not None and workflow.stands(tx.now_ms)),
        reasoning_session=None,
        thoughts=[],
        thought_count=0,
        workflow_session=None if workflow is None else _plain(workflow._asdict()),
        memory_session=None if memory is None else _of_memory(memory),
        activity=[event._asdict() for event in log.events(stream, MOST_ACTIVITY)],
    )


@room.operation("health_check", title="See whether all is well", toolsets=TOOLS, example=Example({}))
def health_check(tx: Tx, call: CheckHealth) -> Health:
    """Whether store, chain, key, configuration, tokens and hooks are well, and what to do where they are not."""
    from thoughtbox.domains.memory.automation.health import checks

    found = checks(tx)
    issues = [f"{check.name}: {check.detail}" for check in found if not check.ok and check.is_serious]
    warnings = [f"{check.name}: {check.detail}" for check in found if not check.ok and not check.is_serious]
    return Health(
        healthy=not issues,
        status="DEGRADED" if issues else "OK",
        issues=issues,
        warnings=warnings,
        checks=[Checked(name=check.name, ok=check.ok, detail=check.detail, fix=check.fix) for check in found],
        stats=_stats(tx),
        database_backend=tx.sql.dialect,
        database_path=str(tx.data_dir) if tx.data_dir is not None else None,
        token_dir=_token_dir(tx),
        python_version=platform.python_version(),
    )


@room.operation(
    "import_data",
    writes=True,
    title="Take experiences in from a file",
    toolsets=TOOLS,
    errors=[FileMissing, PathRefused, ProjectUnavailable],
    example=Example({"source_file": "experiences.json"}, fails_with=FileMissing),
)
def import_data(slices: Slices, call: ImportData) -> Steps[DataImported]:
    """Take the experiences of a file {"experiences": […]} in, each as if recorded; what is there is passed over."""
    rows: list[Any] = yield slices.read(lambda tx: _experiences(tx, call.source_file))
    came = Came()
    for begin in range(0, len(rows), AT_ONCE):
        some = rows[begin : begin + AT_ONCE]
        yield slices.write(lambda tx, some=some, begin=begin: came.take(tx, some, begin))
        slices.report(begin + len(some), len(rows))
    skipped = came.duplicates + came.refused
    return DataImported(
        imported=came.imported,
        skipped=skipped,
        duplicates=came.duplicates,
        errors=came.errors,
        total_records=len(rows),
        source_file=call.source_file,
        message=f"{came.imported} of {len(rows)} came in; {came.duplicates} were there already, {came.refused} are no"
        " experiences.",
    )


@room.operation(
    "get_project_context",
    title="Read the project's context",
    toolsets=TOOLS,
    errors=[ConfigInvalid, ProjectUnavailable, PathRefused],
    example=Example({}, given=[("update_project_context", _CONTEXT)]),
)
def get_project_context(tx: Tx, call: ReadContext) -> ContextShown:
    """What hooks tell an agent of the project: a summary, highlights, reminders, and checklists."""
    folder = _named_project(tx, call.project_path)
    found = read_object(folder.context)
    told: dict[str, Any] = {**NO_CONTEXT, **(found or {})}
    return ContextShown(
        exists=found is not None,
        project_path=str(folder.root),
        context_file=_shown(folder, folder.context),
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
    folder = _named_project(tx, call.project_path)
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
    file = _shown(folder, folder.context)
    write_project(tx, "context_updated", files=[file], hash=digest(context), said="The project's context is written")
    write_object(_inside(tx, folder.context), context)
    return ContextUpdated(
        success=True,
        project_path=str(folder.root),
        context_file=file,
        enabled=call.enabled,
        message="Hooks show it from now on." if call.enabled else "It is kept, and not shown.",
    )


class Came:
    """What came of an import."""

    def __init__(self) -> None:
        self.imported = self.duplicates = self.refused = 0
        self.errors: list[str] = []

    def take(self, tx: Tx, rows: list[Any], begin: int) -> None:
        """Record these, each by itself: one that is refused leaves nothing, and the others go on."""
        for number, row in enumerate(rows, begin + 1):
            try:
                answer = tx.call("record_experience", _row(row))
            except ThoughtboxError as error:
                self.refused += 1
                if len(self.errors) < MOST_ERRORS:
                    self.errors.append(f"{number}: {error.message}")
            else:
                self.imported += answer["recorded"]
                self.duplicates += not answer["recorded"]


_FIELDS = ("type", "domain", "situation", "approach", "outcome", "reasoning", "confidence", "tags", "scope")


def _row(row: Any) -> dict[str, Any]:
    """An experience of the file as arguments; of what a file has beside them, ids and dates, nothing is taken over."""
    if not isinstance(row, dict):
        raise ValidationFailed("it is no object")
    return {"confidence": 0.5, **{name: row[name] for name in _FIELDS if row.get(name) is not None}}


def _experiences(tx: Tx, given: str) -> list[Any]:
    """The experiences in a file of the project."""
    from thoughtbox.domains.memory.automation.reading import experiences_in

    return experiences_in(confined(tx, given), given)


def _named_project(tx: Tx, given: str | None) -> ProjectFolder:
    """The project; a caller may name it, and no other."""
    folder = _own_project(tx) if given is not None else project_of(tx)
    if given is not None and Path(os.path.realpath(given)) != Path(os.path.realpath(folder.root)):
        raise PathRefused(
            f"`{given[:200]}` is not the project that this server works for",
            recovery="Leave project_path out.",
            details={"fields": ["project_path"]},
        )
    return folder


def _own_project(tx: Tx) -> ProjectFolder:
    if tx.project_root is None:
        raise ProjectUnavailable(
            "this server was started outside of a project",
            recovery="Start it in the project's folder, or set THOUGHTBOX_PROJECT_ROOT to it.",
        )
    return project_of(tx)


def _options(tx: Tx) -> list[str]:
    """Which store the hooks are to use: the one of this server."""
    return [] if tx.data_dir is None else ["--data-dir", str(tx.data_dir)]


def _apply(tx: Tx, folder: ProjectFolder, plan: Any, change: Any, said: str) -> None:
    """Write a plan: the record first, the files last, and none of them outside the project."""
    from thoughtbox.domains.memory.hosts import installing

    for each in plan.changes:
        _inside(tx, each.path)
        _inside(tx, each.copy)
    files = [_shown(folder, each.path) for each in plan.changes]
    write_project(tx, change, files=files, hash=digest([each.after for each in plan.changes]), said=said)
    installing.apply(plan)


def _inside(tx: Tx, path: Path) -> Path:
    """Where a file of the project really stands: a link must not lead out of it."""
    return confined(tx, str(path))


def _changes(folder: ProjectFolder, plan: Any) -> list[FileChanged]:
    return [
        FileChanged(
            path=_shown(folder, change.path),
            diff=change.diff(),
            backup=_shown(folder, change.copy) if change.keeps and change.before is not None else None,
        )
        for change in plan.changes
    ]


def _hooks(found: dict[str, list[list[str]]]) -> list[HookShown]:
    return [HookShown(event=event, command=" ".join(words)) for event, commands in found.items() for words in commands]


def _shown(folder: ProjectFolder, path: Path) -> str:
    return str(path.relative_to(folder.root)) if path.is_relative_to(folder.root) else str(path)


def _texts(found: Any) -> list[str]:
    return [text for text in found if isinstance(text, str)] if isinstance(found, list) else []


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 16


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in row.items()}


def _of_memory(session: Session) -> dict[str, Any]:
    return {
        "session_id": session.session_id,
        "created_at": session.created_at,
        "scope_mode": session.scope_mode,
        "flags": session.flags,
        "last_phase": session.last_phase,
        "last_context_hash": session.last_context_hash,
        "closed_at": session.closed_at,
    }


def _stats(tx: Tx) -> dict[str, int]:
    return {"workflow_sessions": tx.ask(WorkflowSessions).count()}


def _token_dir(tx: Tx) -> str | None:
    try:
        return str(project_of(tx).tokens)
    except ThoughtboxError:
        return None
