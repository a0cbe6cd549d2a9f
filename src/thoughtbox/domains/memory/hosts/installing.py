"""`install` and `uninstall`: what would be changed, and changing it.

A plan is made first, from what the files say now: whatever cannot be read is refused then, before anything is written.
"""

from __future__ import annotations

import difflib
import os
import stat
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from thoughtbox.domains.memory.hosts import clients
from thoughtbox.domains.memory.hosts.clients import EVENTS, SERVER, Client, Files, Scope
from thoughtbox.domains.memory.hosts.pieces import APPROVED, REGISTERED, Hooks, Kind, Piece, Servers, Settings
from thoughtbox.domains.memory.project import write_text
from thoughtbox.errors import ConfigInvalid

KEPT = ".before-thoughtbox"
"""What the name of a file's copy ends with."""

TRUST = "Codex runs a new hook when you have looked at it and trusted it: type /hooks in Codex."
TRUSTED_PROJECT = "Codex reads the .codex folder of a project that it trusts, and of no other."


class Host(NamedTuple):
    """A client, and whose files are meant: a project's, or the user's for every project."""

    client: Client
    scope: Scope
    root: Path
    home: Path
    environment: Mapping[str, str]

    @property
    def files(self) -> Files:
        return clients.files(self.client, self.scope, self.root, self.environment, self.home)

    @property
    def kinds(self) -> list[tuple[Path, Kind]]:
        approves = self.client == "claude-code" and self.scope == "project"
        servers = Servers() if self.client == "claude-code" else Settings()
        return [(self.files.hooks, Hooks(self.client, approves=approves)), (self.files.servers, servers)]


class Change(NamedTuple):
    """A file as it is and as it will be; None is no file."""

    path: Path
    before: str | None
    after: str | None
    keeps: bool
    """Whether what was there before is kept in a copy beside it."""

    @property
    def copy(self) -> Path:
        return self.path.with_name(self.path.name + KEPT)

    def diff(self) -> str:
        before, after = ((text or "").splitlines(keepends=True) for text in (self.before, self.after))
        names = ["/dev/null" if text is None else str(self.path) for text in (self.before, self.after)]
        lines = [
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
            for line in difflib.unified_diff(before, after, fromfile=names[0], tofile=names[1])
        ]
        return "".join(lines)


class Plan(NamedTuple):
    """What is to be changed for a host, and what its user should know."""

    host: Host
    changes: tuple[Change, ...]
    notes: tuple[str, ...]

    def diff(self) -> str:
        return "".join(change.diff() for change in self.changes)


def install(
    host: Host,
    program: Sequence[str],
    *,
    options: Sequence[str] = (),
    hook_options: Sequence[str] | None = None,
    toolset: str | None = None,
) -> Plan:
    """Have a host run our hooks and our server. `options` say which store is meant, and go with both."""
    hooks, servers = host.kinds
    notes = _notes(host)
    told = options if hook_options is None else hook_options
    entries = [
        Piece(("hooks", event.name), clients.entry(event, host.client, program, told)) for event in EVENTS[host.client]
    ]
    changes = []
    if _is_by_hand(*servers, REGISTERED[host.client]):
        notes.append(f"A server named {SERVER} is registered in {servers[0]} already; it was left as it is.")
    else:
        shown = ["--toolset", toolset] if toolset is not None else []
        own = Piece(REGISTERED[host.client], clients.server(host.client, program, [*options, *shown]))
        changes.append(_with(*servers, [own]))
        entries += [Piece(APPROVED, SERVER)] * (host.client == "claude-code" and host.scope == "project")
    changes.insert(0, _with(*hooks, entries))
    return Plan(host, tuple(change for change in changes if change.before != change.after), tuple(notes))


def uninstall(host: Host) -> Plan:
    """Take out of a host's files what `install` has put there, and nothing else."""
    changes = [_without(*each) for each in host.kinds]
    return Plan(host, tuple(change for change in changes if change.before != change.after), ())


def apply(plan: Plan) -> None:
    """Write what was planned, all of it or nothing."""
    for change in plan.changes:
        if _text(change.path) != change.before:
            raise ConfigInvalid(
                f"{change.path} was changed while this was going on",
                recovery="Nothing was written. Do it again.",
                details={"file": str(change.path)},
            )
    done: list[Change] = []
    try:
        for change in plan.changes:
            done.append(change)
            if change.keeps and change.before is not None:
                _write(change.copy, change.before, like=change.path)
            _put(change.path, change.after)
    except OSError:
        for change in done:
            with suppress(OSError):
                _put(change.path, change.before)
        raise
    for change in plan.changes:
        if not change.keeps and change.after == _text(change.copy):
            change.copy.unlink(missing_ok=True)


def hooks_in(host: Host) -> dict[str, list[list[str]]]:
    """By event, the commands of ours that a host runs, in words."""
    path, kind = host.kinds[0]
    text = _text(path)
    found: dict[str, list[list[str]]] = {}
    for piece in [] if text is None else _read(path, kind, text):
        if piece.path != APPROVED:
            named = [words for handler in piece.value["hooks"] if (words := clients.words(handler)) is not None]
            found.setdefault(piece.path[-1], []).extend(named)
    return found


def _notes(host: Host) -> list[str]:
    if host.client != "codex":
        return []
    return [TRUST, TRUSTED_PROJECT] if host.scope == "project" else [TRUST]


def _with(path: Path, kind: Kind, pieces: list[Piece]) -> Change:
    before = _text(path)
    there = [] if before is None else _read(path, kind, before)
    if there == pieces:
        return Change(path, before, before, keeps=False)
    try:
        base = kind.empty if before is None else _base(path, kind, before, there)
        after = kind.put(kind.empty if base is None else base, pieces)
    except ValueError as error:
        raise _refused(path, str(error)) from None
    return Change(path, before, after, keeps=not there)


def _without(path: Path, kind: Kind) -> Change:
    before = _text(path)
    there = [] if before is None else _read(path, kind, before)
    if before is None or not there:
        return Change(path, before, before, keeps=False)
    return Change(path, before, _base(path, kind, before, there), keeps=False)


def _base(path: Path, kind: Kind, text: str, there: list[Piece]) -> str | None:
    """The text without our pieces. When nothing else has changed since they came, it is the one of then to the byte."""
    if not there:
        return text
    kept = _text(path.with_name(path.name + KEPT))
    with suppress(ValueError):
        if kind.put(kind.empty if kept is None else kept, there) == text:
            return kept
    return kind.taken(text)


def _read(path: Path, kind: Kind, text: str) -> list[Piece]:
    try:
        return kind.found(text)
    except ValueError as error:
        raise _refused(path, str(error)) from None


def _is_by_hand(path: Path, kind: Kind, registered: tuple[str, str]) -> bool:
    """Whether somebody else has registered a server under our name."""
    text = _text(path)
    if text is None or _read(path, kind, text):
        return False
    group = kind.read(text).get(registered[0])
    return isinstance(group, dict) and registered[1] in group


def _text(path: Path) -> str | None:
    try:
        return path.read_bytes().decode()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except UnicodeDecodeError:
        raise _refused(path, "it is no UTF-8") from None
    except OSError as error:
        raise _refused(path, error.strerror or str(error)) from None


def _put(path: Path, text: str | None) -> None:
    if text is None:
        path.unlink(missing_ok=True)
    else:
        _write(path, text, like=path)


def _write(path: Path, text: str, *, like: Path) -> None:
    """A file in the place of what was there, with its mode; where a link leads, not in the place of the link."""
    mode = stat.S_IMODE(like.stat().st_mode) if like.exists() else 0o644
    write_text(Path(os.path.realpath(path)), text, mode=mode)


def _refused(path: Path, why: str) -> ConfigInvalid:
    return ConfigInvalid(
        f"{path} cannot be changed: {why}",
        recovery="Put it right, and do it again. Nothing was written.",
        details={"file": str(path)},
    )
