"""Where the files of sessions are, below a data directory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from thoughtbox.domains.thoughts.files.folder import Blocked, Folder, opened
from thoughtbox.domains.thoughts.files.manifest import DEEPEST_PROJECT, MANIFEST, PARTITION, PROJECTS, SESSIONS
from thoughtbox.errors import ImportRefused


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFiles:
    """Where the files of a session are. There may be none, or none that can be read: `validate` tells."""

    root: Path
    folders: tuple[str, ...]
    """The names that lead to its directory, from `root` on."""
    project: str
    partition: str | None = None

    @property
    def path(self) -> Path:
        return self.root.joinpath(*self.folders)

    @property
    def session_id(self) -> str:
        return self.folders[-1]


def sessions_in(root: Path) -> Iterator[SessionFiles]:
    """Every session in a data directory, by project, partition and id; also those that cannot be read."""
    try:
        with Folder.at(root) as folder:
            has_projects = any(entry.name == PROJECTS for entry in folder.entries())
    except OSError as error:
        raise ImportRefused(
            f"{root} cannot be read: {error.strerror}",
            recovery=f"Name the directory that holds the folder `{PROJECTS}`.",
        ) from None
    if has_projects:
        yield from _in_projects(root, (PROJECTS,))


def _in_projects(root: Path, folders: tuple[str, ...]) -> Iterator[SessionFiles]:
    """The sessions of the projects in a folder. A project's name may lead through several folders."""
    try:
        with opened(root, folders) as folder:
            entries = folder.entries()
    except (Blocked, OSError):
        yield _files(root, folders)
        return
    for name, is_folder, is_link in entries:
        if not (is_folder or is_link):
            continue
        if name == SESSIONS and len(folders) > 1:
            yield from _in_sessions(root, (*folders, name))
        elif len(folders) <= DEEPEST_PROJECT:
            yield from _in_projects(root, (*folders, name))


def _in_sessions(root: Path, folders: tuple[str, ...], partition: str | None = None) -> Iterator[SessionFiles]:
    """The sessions of one project, or of one partition. A folder that is no partition is taken for a session."""
    try:
        with opened(root, folders) as folder:
            entries = folder.entries()
    except (Blocked, OSError):
        yield _files(root, folders)
        return
    if partition is not None and any(entry.name == MANIFEST for entry in entries):
        yield _files(root, folders)
        return
    for name, is_folder, is_link in entries:
        if not (is_folder or is_link):
            continue
        if partition is None and is_folder and PARTITION.fullmatch(name):
            yield from _in_sessions(root, (*folders, name), name)
        else:
            yield _files(root, (*folders, name), partition)


def _files(root: Path, folders: tuple[str, ...], partition: str | None = None) -> SessionFiles:
    # The first folder is `projects`; a project may be called `sessions`, but not a folder within it.
    below = folders[1:]
    end = below.index(SESSIONS, 1) if SESSIONS in below[1:] else len(below)
    return SessionFiles(root=root, folders=folders, project="/".join(below[:end]), partition=partition)
