"""`install` and `uninstall`: our hooks and our server among what a host runs."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from thoughtbox.domains.memory.hosts import installing
from thoughtbox.domains.memory.hosts.clients import Client, Scope
from thoughtbox.domains.memory.hosts.installing import Change, Host, Plan
from thoughtbox.domains.memory.hosts.program import program
from thoughtbox.doors.cli.output import GOOD, QUIET, Output, Styled, UsageError
from thoughtbox.doors.cli.parser import given_settings
from thoughtbox.doors.cli.projects import apply_preset, preset_named, project_folder
from thoughtbox.doors.cli.store import settings_of
from thoughtbox.settings import Settings

NAMES = {"claude-code": "Claude Code", "codex": "Codex"}
SECRET = "The address of the database is a secret and is written nowhere: have THOUGHTBOX_DATABASE_URL set there, too."
NO_GATES = "No gates are kept here yet: `thoughtbox init` gives the project a preset."


def install(args: Namespace) -> int:
    settings, out = settings_of(args), Output(args)
    folder = project_folder(settings)
    if args.preset is not None:
        preset_named(folder, args.preset)
    plan = planned(args, settings, args.client, args.scope, toolset=getattr(args, "toolset", None))
    notes = [*plan.notes, *([SECRET] if settings.database_url is not None else [])]
    if args.dry_run:
        if args.preset is not None:
            notes.append(f"The preset {args.preset} would be applied to {folder.root}.")
        return show(out, plan, notes, dry_run=True)
    installing.apply(plan)
    if args.preset is not None:
        notes.append(apply_preset(settings, args.preset))
    elif args.scope == "project" and not folder.config.exists():
        notes.append(NO_GATES)
    return show(out, plan, notes, dry_run=False)


def uninstall(args: Namespace) -> int:
    plan = installing.uninstall(host(settings_of(args), args.client, args.scope))
    if not args.dry_run:
        installing.apply(plan)
    return show(Output(args), plan, plan.notes, dry_run=args.dry_run)


def planned(args: Namespace, settings: Settings, client: Client, scope: Scope, *, toolset: str | None = None) -> Plan:
    """What would be done for a host, so that it finds the store that is meant here."""
    options = _store_options(args, settings)
    return installing.install(
        host(settings, client, scope),
        program(),
        options=options,
        hook_options=[*options, *(["--no-gateway"] if toolset is not None and not _has_gateway(toolset) else [])],
        toolset=toolset,
    )


def host(settings: Settings, client: Client, scope: Scope) -> Host:
    return Host(client, scope, project_folder(settings).root, Path.home(), os.environ)


def _store_options(args: Namespace, settings: Settings) -> list[str]:
    """What was said about the store, here or in the environment: hosts may be started without that."""
    given = given_settings(args)
    told = []
    if "data_dir" in given or os.environ.get("THOUGHTBOX_DATA_DIR"):
        told += ["--data-dir", str(settings.data_dir)]
    if "project" in given or os.environ.get("THOUGHTBOX_PROJECT"):
        told += ["--project", settings.project]
    return told


def _has_gateway(toolset: str) -> bool:
    """Whether an agent with this toolset has one tool that leads to all; there must be such a toolset."""
    from thoughtbox import domains

    table = domains.known()
    if toolset not in (known := table.toolsets()):
        raise UsageError(f"there is no toolset `{toolset}`; there are {', '.join(known)}")
    return any(operation.gateway is not None for operation in table.shown_in(toolset).values())


def show(out: Output, plan: Plan, notes: Sequence[str], *, dry_run: bool) -> int:
    if out.as_json:
        out.json(_as_json(plan, notes, dry_run=dry_run))
        return 0
    if dry_run:
        for line in plan.diff().splitlines():
            out.say(Styled(line, GOOD) if line.startswith("+") else line)
    name = NAMES[plan.host.client]
    for change in plan.changes:
        out.note(f"{change.path} {'would be' if dry_run else 'is'} {_what(change)}.")
    if not plan.changes:
        out.note(f"Nothing to change: the files of {name} are as they should be.")
    for note in notes:
        out.note(Styled(note, QUIET))
    return 0


def _what(change: Change) -> str:
    return "removed" if change.after is None else "made" if change.before is None else "changed"


def _as_json(plan: Plan, notes: Sequence[str], *, dry_run: bool) -> dict[str, Any]:
    changed = [
        {
            "path": str(change.path),
            "change": _what(change),
            "diff": change.diff(),
        }
        for change in plan.changes
    ]
    return {
        "client": plan.host.client,
        "scope": plan.host.scope,
        "dryRun": dry_run,
        "changes": changed,
        "notes": list(notes),
    }
