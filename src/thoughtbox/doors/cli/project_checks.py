"""What `doctor` looks at in a project: its configuration and key, the hooks of its hosts, and what waits to come in."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from thoughtbox.domains.memory.configuration import active_config, enforcement_of, gates_of, memory_settings, ttl_of
from thoughtbox.domains.memory.hosts.clients import CLIENTS, HOOKS, SCOPES
from thoughtbox.domains.memory.hosts.installing import Host, hooks_in
from thoughtbox.domains.memory.project import ProjectFolder
from thoughtbox.doors.cli.checks import Finding
from thoughtbox.doors.cli.output import count
from thoughtbox.doors.hooks.host import Place
from thoughtbox.doors.hooks.spool import LARGEST, Spool
from thoughtbox.errors import ThoughtboxError
from thoughtbox.settings import Settings

MANY = 1_000
"""Lines that wait, when nothing has brought them in for long."""


def project(settings: Settings) -> Iterator[Finding]:
    """The project around, what it has decided, and whether its key is nobody else's."""
    if settings.project_root is None:
        yield Finding("project", "ok", "No project is around: gates and hooks have nothing to do here.")
        return
    folder = ProjectFolder(settings.project_root)
    if not folder.config.exists():
        yield Finding(
            "project", "ok", f"{folder.root} has no preset: no gate is kept.", "`thoughtbox init` sets one up."
        )
    else:
        yield from _config(folder)
    yield from _key(folder)


def _config(folder: ProjectFolder) -> Iterator[Finding]:
    try:
        config = active_config(folder)
        level, gates = enforcement_of(config), gates_of(config)
        ttl_of(config)
        memory_settings(folder)
    except ThoughtboxError as error:
        yield Finding(
            "project", "fail", f"{error.message}. Hooks keep no gate until it is right.", error.recovery or ""
        )
        return
    asked = ", ".join(gate.name for gate in gates if gate.required_tools) or "none"
    yield Finding("project", "ok", f"{folder.root}: preset {config['name']}, {level}; gates: {asked}.")


def _key(folder: ProjectFolder) -> Iterator[Finding]:
    path = folder.signing_key
    if not path.exists():
        return
    mode = path.stat().st_mode & 0o777
    if mode & 0o077:
        yield Finding("project", "fail", f"{path} can be read by others ({mode:o}).", f"chmod 600 {path}")
        return
    text = path.read_text(encoding="ascii", errors="replace").strip()
    if len(text) != 64 or any(character not in "0123456789abcdefABCDEF" for character in text):
        yield Finding(
            "project", "fail", f"{path} is no signing key.", "Put it back from a copy, or move it away: one is made."
        )


def hooks(settings: Settings) -> Iterator[Finding]:
    """The hooks that hosts run here, and whether what they run is there."""
    root = settings.project_root or Path.cwd()
    found = False
    for client in CLIENTS:
        for scope in SCOPES:
            host = Host(client, scope, root, Path.home(), os.environ)
            commands = [words for each in hooks_in(host).values() for words in each]
            if not commands:
                continue
            found = True
            yield _finding(host, commands)
    if not found:
        yield Finding("hooks", "ok", "No host runs hooks here.", "`thoughtbox install` has one run them.")


def _finding(host: Host, commands: list[list[str]]) -> Finding:
    where = f"{host.client}, for {'this project' if host.scope == 'project' else 'all projects'}"
    again = f"`thoughtbox install --client {host.client} --{host.scope}` puts it right."
    lost = sorted({words[0] for words in commands if not os.access(words[0], os.X_OK)})
    if lost:
        return Finding("hooks", "fail", f"{where}: {', '.join(lost)} is not there, and the hooks run it.", again)
    run = {word for words in commands for word in words if word in HOOKS}
    if lacking := [name for name in HOOKS if name not in run]:
        return Finding("hooks", "warn", f"{where}: {', '.join(lacking)} missing.", again)
    return Finding("hooks", "ok", f"{where}: all six, in {host.files.hooks}.")


def spool(settings: Settings) -> Iterator[Finding]:
    """What hooks have taken down and nothing has brought into the store."""
    place = Place(
        root=settings.project_root,
        data_dir=settings.data_dir,
        workspace=settings.project,
        database_url=settings.database_url or "",
        options=(),
        cwd=Path.cwd(),
    )
    waiting = Spool(place).waiting
    if waiting >= MANY:
        yield Finding(
            "spool",
            "warn",
            f"{waiting:,} notes of hooks wait to come into the store; above {LARGEST >> 20} MB none are kept.",
            "`thoughtbox hook drain` brings them in; if it does not, see to the store.",
        )
    elif waiting:
        yield Finding(
            "spool", "ok", f"{count(waiting, 'note')} of hooks wait for the store; the next hook brings them in."
        )
