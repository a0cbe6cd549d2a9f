"""`init`: a project from nothing to its gates, in three questions or in none."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence

from thoughtbox.domains.memory.configuration import BUILT_IN_NAMES, DEFAULT_PRESET, MEMORY_DEFAULTS, active_config
from thoughtbox.domains.memory.hosts import installing
from thoughtbox.domains.memory.hosts.clients import CLIENTS, Client
from thoughtbox.domains.memory.project import ProjectFolder, read_object, signing_key, write_object
from thoughtbox.doors.cli.install import NAMES, planned
from thoughtbox.doors.cli.output import GOOD, Output, Styled
from thoughtbox.doors.cli.projects import apply_preset, preset_named, project_folder
from thoughtbox.doors.cli.store import settings_of


def init(args: Namespace) -> int:
    settings, out = settings_of(args), Output(args)
    folder = project_folder(settings)
    asks = sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty() and not args.yes and not out.as_json
    preset = _preset(args, folder, out, asks=asks)
    client: Client | None = _client(args, out, asks=asks)
    plan = None if client is None else planned(args, settings, client, "project")  # refused before anything is written
    said = [apply_preset(settings, preset)] if preset is not None else [f"The preset {_current(folder)} stays."]
    said += [_memory_defaults(folder), _key(folder)]
    if plan is not None:
        installing.apply(plan)
        said += [f"{change.path} is {'made' if change.before is None else 'changed'}." for change in plan.changes]
        said += plan.notes
    if out.as_json:
        files = [str(change.path) for change in plan.changes] if plan is not None else []
        out.json({"root": str(folder.root), "preset": _current(folder), "client": client, "files": files})
        return 0
    for line in filter(None, said):
        out.say(line)
    out.say(Styled(_next(client), GOOD))
    return 0


def _preset(args: Namespace, folder: ProjectFolder, out: Output, *, asks: bool) -> str | None:
    """The preset to apply; None where the project keeps the one it has."""
    if args.preset is not None:
        return preset_named(folder, args.preset).name
    current = _current(folder) if folder.config.exists() else None
    if not asks:
        return DEFAULT_PRESET if current is None else None
    chosen = _chosen(out, "Preset", BUILT_IN_NAMES, current if current in BUILT_IN_NAMES else DEFAULT_PRESET)
    return None if chosen == current else chosen


def _client(args: Namespace, out: Output, *, asks: bool) -> Client | None:
    if args.no_hooks:
        return None
    if args.client is not None or not asks:
        return args.client or CLIENTS[0]
    answer = _chosen(out, "Hooks for", (*CLIENTS, "none"), CLIENTS[0])
    return next((client for client in CLIENTS if client == answer), None)


def _chosen(out: Output, what: str, choices: Sequence[str], default: str) -> str:
    """Ask until one of the choices is named, by its number, its name, or an empty line for the default."""
    for number, choice in enumerate(choices, 1):
        out.note(f"  {number}. {choice}{' (default)' if choice == default else ''}")
    while True:
        sys.stderr.write(f"{what}: ")
        sys.stderr.flush()
        line = sys.stdin.readline()
        answer = line.strip()
        if not answer:
            return default  # an empty line, or nobody there any more
        if answer in choices:
            return answer
        if answer.isdecimal() and 1 <= int(answer) <= len(choices):
            return choices[int(answer) - 1]
        out.note(f"One of {', '.join(choices)}, or its number.")


def _current(folder: ProjectFolder) -> str:
    return str(active_config(folder).get("name"))


def _memory_defaults(folder: ProjectFolder) -> str:
    """Have the memory settings stand where they can be changed; those that are there stay."""
    found = read_object(folder.config) or {}
    missing = {name: value for name, value in MEMORY_DEFAULTS.items() if name not in found}
    if missing:
        write_object(folder.config, {**found, **missing})
    return ""


def _key(folder: ProjectFolder) -> str:
    is_there = folder.signing_key.exists()
    signing_key(folder)
    return "" if is_there else f"{folder.signing_key} is made: keep it out of version control."


def _next(client: Client | None) -> str:
    if client is None:
        return "Done. `thoughtbox install` has a host run the hooks."
    return f"Done. Start {NAMES[client]} in this folder: it has the hooks and the tools."
