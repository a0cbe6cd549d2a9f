"""A session written as a directory of files. `manifest.py` has their names, `reading.py` reads them back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from pydantic import ValidationError

from thoughtbox.domains.thoughts.files.documents import extension, nodes
from thoughtbox.domains.thoughts.files.folder import Blocked, Folder, shown
from thoughtbox.domains.thoughts.files.manifest import (
    MANIFEST,
    PROJECTS,
    SESSION_ID,
    SESSIONS,
    Granularity,
    Manifest,
    Metadata,
    file_name,
    number_of,
    partition_path,
    project_folders,
    refusal,
)
from thoughtbox.domains.thoughts.model.critique import Critique
from thoughtbox.domains.thoughts.model.session import Session
from thoughtbox.domains.thoughts.model.settling import Settling
from thoughtbox.domains.thoughts.model.thought import BRANCH_ID, Thought, line_and_number
from thoughtbox.errors import LedgerBroken

_WRITTEN_LIKE_THE_ORIGINAL = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE


def write_session(
    root: Path,
    project: str,
    granularity: Granularity,
    session: Session,
    thoughts: Iterable[Thought],
    critiques: Mapping[int, Critique],
    settlings: Sequence[Settling] = (),
) -> Path:
    """Write a session below `root` and give its directory; write nothing where it stands already.

    The thoughts are gone through twice: give a list, or a `Rereadable`. The manifest comes last, so that it
    never names a file that is not there. Refuses what would lead out of `root`, and a directory that holds
    somebody else's session.
    """
    partition = partition_path(session.created_at, granularity)
    if not SESSION_ID.fullmatch(session.id):
        raise refusal("sessionId", f"{shown(session.id)} is no name for a directory", "Only a-z, 0-9 and - are.")
    projects = project_folders(project)
    folders = (PROJECTS, *projects, SESSIONS, *([partition] if partition else []), session.id)
    path = root.joinpath(*folders)
    root.mkdir(parents=True, exist_ok=True)
    try:
        with ExitStack() as held:
            folder = held.enter_context(Folder.at(root))
            for depth, name in enumerate(folders):
                if 0 < depth <= len(projects):
                    _refuse_a_twin(folder, name)
                folder = held.enter_context(folder.made(name))
            _write(folder, session, nodes(thoughts, critiques), settlings)
    except Blocked as blocked:
        raise refusal("directory", f"{path}: {blocked}", "Remove it, or export to another directory.") from None
    return path


def _write(folder: Folder, session: Session, found: Iterable[Mapping[str, Any]], settlings: Sequence[Settling]) -> None:
    earlier = _earlier_manifest(folder, session.id)
    written = list(_write_nodes(folder, session.id, found))
    manifest = _manifest(session, written, settlings)
    for branch_id in manifest.branch_files:
        with folder.opened(branch_id) as branch:
            branch.sync()
    folder.sync()
    folder.write(MANIFEST, _json(manifest.model_dump(by_alias=True, exclude_none=True)))
    if earlier is not None:
        _remove_stale(folder, earlier, manifest)
    folder.sync()


class NodePlace(NamedTuple):
    branch_id: str | None
    number: int


def _write_nodes(folder: Folder, session_id: str, found: Iterable[Mapping[str, Any]]) -> Iterator[NodePlace]:
    seen: set[NodePlace] = set()
    for node in found:
        branch_id, number = written = NodePlace(node["branchId"], node["data"]["thoughtNumber"])
        if written in seen:
            raise LedgerBroken(f"session {session_id} has two thoughts of the id {node['id']}")
        seen.add(written)
        if branch_id is None:
            folder.write(file_name(number), _json(node))
        elif not BRANCH_ID.fullmatch(branch_id):
            raise refusal("branchId", f"{shown(branch_id)} is no name for a directory", "Only a-z, 0-9 and - are.")
        else:
            with folder.made(branch_id) as branch:
                branch.write(file_name(number), _json(node))
        yield written


def _manifest(session: Session, written: Iterable[NodePlace], settlings: Sequence[Settling]) -> Manifest:
    numbers: dict[str | None, list[int]] = defaultdict(list)
    order = []
    for branch_id, number in written:
        numbers[branch_id].append(number)
        order.append(line_and_number(branch_id, number))
    files = {branch_id: [file_name(number) for number in sorted(found)] for branch_id, found in numbers.items()}
    return Manifest(
        id=session.id,
        thought_files=files.pop(None, []),
        branch_files={str(branch_id): names for branch_id, names in files.items()},
        metadata=Metadata(
            title=session.title,
            description=session.description,
            tags=list(session.tags),
            created_at=session.created_at,
            updated_at=session.updated_at,
        ),
        thoughtbox=extension(session, settlings, order),
    )


def _earlier_manifest(folder: Folder, session_id: str) -> Manifest | None:
    """What an earlier export of this session wrote here; refuses what anybody else wrote."""
    try:
        manifest = Manifest.model_validate(orjson.loads(folder.read(MANIFEST)))
    except FileNotFoundError:
        return None
    except (orjson.JSONDecodeError, ValidationError):
        raise Blocked(MANIFEST, "was not written by an export") from None
    if manifest.thoughtbox is None or manifest.id != session_id:
        raise Blocked(MANIFEST, "was not written by an export of this session")
    return manifest


def _remove_stale(folder: Folder, earlier: Manifest, now: Manifest) -> None:
    """Remove what the earlier manifest names and this one does not; what no manifest names is not ours."""
    _remove_files(folder, set(earlier.thought_files) - set(now.thought_files))
    for branch_id, names in earlier.branch_files.items():
        stale = set(names) - set(now.branch_files.get(branch_id, ()))
        if not stale or not BRANCH_ID.fullmatch(branch_id):
            continue
        with suppress(FileNotFoundError), folder.opened(branch_id) as branch:
            _remove_files(branch, stale)
        folder.remove_folder(branch_id)


def _remove_files(folder: Folder, names: Iterable[str]) -> None:
    for name in names:
        if number_of(name) is not None:
            folder.remove(name)


def _refuse_a_twin(folder: Folder, name: str) -> None:
    """Where the cases are not told apart, two names that differ in nothing else are one directory."""
    for entry in folder.entries():
        if entry.name != name and entry.name.lower() == name.lower():
            raise refusal(
                "project",
                f"{shown(name)} and {shown(entry.name)}, which is there already, differ only in case",
                f"Export to {shown(entry.name)}, or to another directory.",
            )


def _json(value: Any) -> bytes:
    return orjson.dumps(value, option=_WRITTEN_LIKE_THE_ORIGINAL)
