"""Which files are read, and in which order: the newest first (decision 0072)."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import PurePath
from typing import NamedTuple

from thoughtbox.domains.mind.transcripts.projects import Scope
from thoughtbox.domains.mind.transcripts.roots import Root

MOST_ENTRIES = 100_000
"""Files and folders looked at below all roots: a root as large as a disk is not walked to its end."""

ENDING = ".jsonl"
_TIME = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d)-(\d\d)-(\d\d)")


class Listed(NamedTuple):
    """A file that may be a transcript, and when it began as far as one can tell without opening it."""

    began: float
    below: PurePath
    root: Root


class Listing(NamedTuple):
    """The files of all roots, the newest first."""

    files: list[Listed]
    complete: bool


def newest_first(roots: Sequence[Root], scope: Scope) -> Listing:
    """Every *.jsonl below the roots, but for links and for folders that are named after other projects."""
    found: list[Listed] = []
    left = MOST_ENTRIES
    for root in roots:
        for below, entry in _walk(root, scope):
            left -= 1
            if left < 0:
                break
            if entry is not None:
                found.append(Listed(_began(below.name, entry), below, root))
    found.sort(key=lambda listed: (listed.began, listed.below.parts, str(listed.root.path)), reverse=True)
    return Listing(found, complete=left >= 0)


def _walk(root: Root, scope: Scope) -> Iterator[tuple[PurePath, os.DirEntry[str] | None]]:
    """Each entry below a root, with the entry itself where it is a file of ours."""
    folders = [PurePath()]
    while folders:
        folder = folders.pop()
        inner = []
        for entry in _entries(root, folder):
            below = folder / entry.name
            if entry.is_file(follow_symlinks=False):
                yield below, entry if entry.name.endswith(ENDING) else None
                continue
            yield below, None
            foreign = root.by_project and not folder.parts and not scope.may_be_in(entry.name)
            if entry.is_dir(follow_symlinks=False) and not foreign:
                inner.append(below)
        folders += sorted(inner)


def _entries(root: Root, folder: PurePath) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(root.path / folder) as entries:
            yield from (entry for entry in entries if _can_be_named(entry.name))
    except OSError:
        return


def _can_be_named(name: str) -> bool:
    """Whether an answer can hold the name: one that is not UTF-8 could not be sent back to open it."""
    return not any("\ud800" <= character <= "\udfff" for character in name)


def _began(name: str, entry: os.DirEntry[str]) -> float:
    """The time in the name, which copying does not change; a name without one has only the file's own."""
    if told := _TIME.search(name):
        try:
            return datetime(*map(int, told.groups()), tzinfo=UTC).timestamp()
        except ValueError:
            pass
    try:
        return entry.stat(follow_symlinks=False).st_mtime
    except OSError:
        return 0.0
