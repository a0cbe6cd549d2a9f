"""Taking experiences in from elsewhere: some at a time, each once, with its date and what it revises."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from thoughtbox.domains.memory.folder import confined
from thoughtbox.domains.memory.knowledge.duplicates import duplicate_of
from thoughtbox.domains.memory.knowledge.exporting import has_tags
from thoughtbox.domains.memory.knowledge.incoming import Fault, Incoming, read_rows
from thoughtbox.domains.memory.knowledge.likeness import fingerprint, identity, normalized
from thoughtbox.domains.memory.knowledge.models import ExperiencesImported, ExportFilter, ImportExperiences, Skipped
from thoughtbox.domains.memory.knowledge.recording import write_experience
from thoughtbox.domains.memory.view.experiences import Experiences
from thoughtbox.errors import FileMissing, ImportRefused
from thoughtbox.operations import Slices, Steps, Tx

AT_ONCE = 20
"""Experiences that one slice takes in."""

LARGEST = 256 << 20
"""Bytes of a file."""

SHOWN_ERRORS = 5

Key = int | str


class Taken(NamedTuple):
    """What became of a row: the experience it is here, and whether it is new."""

    item: Incoming
    id: int
    is_new: bool


class _Read(NamedTuple):
    items: list[Incoming]
    faults: list[Fault]
    total: int


def imported(slices: Slices, call: ImportExperiences) -> Steps[ExperiencesImported]:
    """Take in a file of the project."""
    read: _Read = yield slices.read(lambda tx: _from_file(confined(tx, call.filename), call.filename), long=True)
    wanted = [item for item in read.items if _is_wanted(item, call.filter)]
    taken = yield from take_in(slices, wanted)
    new = sum(each.is_new for each in taken)
    skipped = read.total - len(wanted)
    return ExperiencesImported(
        imported=new,
        skipped=skipped,
        duplicates=len(taken) - new,
        total=read.total,
        errors=shown_errors(read.faults),
        message=f"{new} of {read.total} experiences were imported; {len(taken) - new} were known, {skipped} skipped.",
    )


def shown_errors(faults: Sequence[Fault]) -> list[Skipped]:
    return [Skipped(row=fault.row, error=fault.error) for fault in faults[:SHOWN_ERRORS]]


def take_in(slices: Slices, items: Sequence[Incoming]) -> Steps[list[Taken]]:
    """Take in rows, in order, some at a time: others read and write in between."""
    taken: list[Taken] = []
    known: dict[Key, int] = {}
    for start in range(0, len(items), AT_ONCE):
        some = items[start : start + AT_ONCE]
        done: list[Taken] = yield slices.write(lambda tx, some=some: _taken(tx, some, known))
        taken += done
        known.update((each.item.key, each.id) for each in done if each.item.key is not None)
        slices.report(len(taken), len(items))
    return taken


def _taken(tx: Tx, items: Sequence[Incoming], known: Mapping[Key, int]) -> list[Taken]:
    here = dict(known)
    taken = []
    for item in items:
        revised = here.get(item.revises) if item.revises is not None else None
        one = _take(tx, item, revised)
        taken.append(one)
        if item.key is not None:
            here[item.key] = one.id
    return taken


def _take(tx: Tx, item: Incoming, revised: int | None) -> Taken:
    """Take in one row, unless it is here: as a copy, or, of what revises nothing, as something that says the same."""
    experiences = tx.ask(Experiences)
    entry = item.entry
    if entry.created_at is not None:
        own = identity(entry.type, entry.domain, entry.texts, entry.confidence, entry.created_at)
        if (copy := experiences.copy_of(own)) is not None:
            return Taken(item, copy, is_new=False)
    before = experiences.experience(revised) if revised is not None else None
    if before is not None:
        entry = entry._replace(revision_of=before.id, original_id=before.line)
        said = fingerprint(entry.type, entry.domain, normalized(entry.texts))
        same = experiences.same_in_line(before.line, said, entry.confidence) if entry.created_at is None else None
        if same is not None:
            return Taken(item, same, is_new=False)
    elif (duplicate := duplicate_of(tx, entry)) is not None:
        return Taken(item, duplicate.id, is_new=False)
    id, _ = write_experience(tx, entry)
    return Taken(item, id, is_new=True)


def _is_wanted(item: Incoming, wanted: ExportFilter) -> bool:
    entry = item.entry
    if wanted.domain not in (None, entry.domain) or wanted.type not in (None, entry.type):
        return False
    return has_tags(entry.tags, wanted)


def _from_file(path: Path, named: str) -> _Read:
    rows = _rows(_json(_bytes(path, named), named), named)
    items, faults = read_rows(rows)
    return _Read(items, faults, len(rows))


def _bytes(path: Path, named: str) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except (FileNotFoundError, NotADirectoryError):
        raise missing(named) from None
    except OSError as error:
        raise _refused(named, f"cannot be read: {error.strerror}") from None
    if len(data) > LARGEST:
        raise _refused(named, f"has more than {LARGEST >> 20} MB")
    return data


def _json(data: bytes, named: str) -> Any:
    try:
        return json.loads(data.removeprefix(b"\xef\xbb\xbf"))
    except (ValueError, RecursionError) as error:
        raise _refused(named, f"is no JSON: {str(error)[:200]}") from None


def _rows(found: Any, named: str) -> list[Any]:
    rows = found.get("experiences") if isinstance(found, dict) else found
    if not isinstance(rows, list):
        raise _refused(named, "holds neither an array of experiences nor an object with one")
    return rows


def missing(named: str) -> FileMissing:
    return FileMissing(
        f"there is no file `{named[:200]}`",
        recovery="Name a file as it is called from the project's folder.",
        details={"fields": ["filename"], "path": named[:200]},
    )


def _refused(named: str, why: str) -> ImportRefused:
    return ImportRefused(
        f"`{named[:200]}` {why}; nothing was imported",
        recovery="Send a file that export_experiences has written as json, or one of its form.",
        details={"path": named[:200]},
    )
