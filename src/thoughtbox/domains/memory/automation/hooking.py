"""Installing the hooks in the project, and taking them out again."""

from __future__ import annotations

from typing import Any

from thoughtbox.domains.memory.automation.models import (
    FileChanged,
    HookShown,
    HooksInstalled,
    HooksUninstalled,
    InstallHooks,
    UninstallHooks,
)
from thoughtbox.domains.memory.automation.places import inside, own_project, shown
from thoughtbox.domains.memory.automation.records import write_project
from thoughtbox.domains.memory.hashing import digest
from thoughtbox.domains.memory.project import ProjectFolder
from thoughtbox.domains.memory.room import TOOLS, room
from thoughtbox.errors import (
    ConfigInvalid,
    PathRefused,
    ProjectUnavailable,
)
from thoughtbox.operations import Example, Tx


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

    folder = own_project(tx)
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
        settings_path=shown(folder, host.files.hooks),
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

    folder = own_project(tx)
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


def _options(tx: Tx) -> list[str]:
    """Which store and workspace the hooks are to use: those of this call."""
    store = [] if tx.data_dir is None else ["--data-dir", str(tx.data_dir)]
    return [*store, "--project", tx.workspace]


def _apply(tx: Tx, folder: ProjectFolder, plan: Any, change: Any, said: str) -> None:
    """Write a plan: the record first, the files last, and none of them outside the project."""
    from thoughtbox.domains.memory.hosts import installing

    for each in plan.changes:
        inside(tx, each.path)
        inside(tx, each.copy)
    files = [shown(folder, each.path) for each in plan.changes]
    write_project(tx, change, files=files, hash=digest([each.after for each in plan.changes]), said=said)
    installing.apply(plan)


def _changes(folder: ProjectFolder, plan: Any) -> list[FileChanged]:
    return [
        FileChanged(
            path=shown(folder, change.path),
            diff=change.diff(),
            backup=shown(folder, change.copy) if change.keeps and change.before is not None else None,
        )
        for change in plan.changes
    ]


def _hooks(found: dict[str, list[list[str]]]) -> list[HookShown]:
    return [HookShown(event=event, command=" ".join(words)) for event, commands in found.items() for words in commands]
