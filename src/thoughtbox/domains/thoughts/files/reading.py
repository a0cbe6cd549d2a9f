"""Sessions read back from directories of files: ours, and those of the TypeScript Thoughtbox.

Nothing that stands in a file is believed before it is checked, and nothing outside of the directory that
the user named is opened. `docs/file-layout.md` says how the two programs' directories differ, and what
becomes of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from dataclasses import replace
from typing import TypeVar

import orjson
from pydantic import ValidationError

from thoughtbox.domains.thoughts.files.folder import MOST_NAMED, Blocked, Folder, opened, shown, some
from thoughtbox.domains.thoughts.files.imported import ImportedSession, Unfit, session_from
from thoughtbox.domains.thoughts.files.locations import SessionFiles
from thoughtbox.domains.thoughts.files.manifest import MANIFEST, SESSION_ID, InFile, Manifest, number_of
from thoughtbox.domains.thoughts.files.nodes import Node, NodeFile
from thoughtbox.domains.thoughts.model.thought import node_id
from thoughtbox.errors import ImportRefused
from thoughtbox.operations import CamelOutput

BRANCHES = "branches"
"""The folder in which the TypeScript program keeps the folders of its branches."""

LARGEST_SESSION = 256 << 20
"""Bytes of all files of a session together."""
MOST_ERRORS = 100
_Shape = TypeVar("_Shape", bound=InFile)


class IntegrityValidationResult(CamelOutput):
    """Whether a session's files are all there and hold what they should."""

    valid: bool
    session_exists: bool
    manifest_exists: bool
    manifest_valid: bool
    missing_thought_files: list[str]
    missing_branch_files: dict[str, list[str]]
    errors: list[str]


def validate(files: SessionFiles) -> IntegrityValidationResult:
    """Look at every file of a session, and say all that is wrong."""
    return _read(files)[0]


def read_session(files: SessionFiles) -> ImportedSession:
    """The session as it stands in its files; raises `ImportRefused`, with the validation, if anything is wrong."""
    result, session = _read(files)
    if session is None:
        raise ImportRefused(
            f"the session in {files.path} cannot be imported: {result.errors[0]}",
            recovery="Mend or remove what `details.errors` names; nothing of this session was imported.",
            details=result.answer(),
        )
    return session


def _read(files: SessionFiles) -> tuple[IntegrityValidationResult, ImportedSession | None]:
    """What there is to say of the files, and the session if that is nothing but good."""
    reading = Inspection(files)
    found = list(reading.nodes())
    result = reading.result()
    if not result.valid or reading.manifest is None:
        return result, None
    try:
        session = session_from(reading.manifest, found, reading.manifest.branch_files, project=files.project)
    except Unfit as unfit:
        result.valid, result.errors = False, [str(unfit)]
        return result, None
    return result, replace(session, notices=(*session.notices, *reading.notices))


def _branch_folder(folder: Folder, branch: str) -> Folder:
    """The folder of a branch: in `branches`, as the TypeScript program has it, or beside the thoughts."""
    with suppress(FileNotFoundError), folder.opened(BRANCHES) as branches:
        return branches.opened(branch)
    return folder.opened(branch)


def _branch_folders(folder: Folder, *, is_ours: bool) -> set[str]:
    """The folders that stand where those of branches do."""
    try:
        with nullcontext(folder) if is_ours else folder.opened(BRANCHES) as branches:
            return {name for name, is_folder, _ in branches.entries() if is_folder}
    except (FileNotFoundError, Blocked):
        return set()


class Inspection:
    """One pass over the files of a session, and what was found wrong on the way."""

    def __init__(self, files: SessionFiles) -> None:
        self._files = files
        self.manifest: Manifest | None = None
        self.notices: list[str] = []
        self._session_exists = False
        self._manifest_exists = False
        self._missing: dict[str | None, list[str]] = defaultdict(list)
        self._errors: list[str] = []
        self._more_errors = 0
        self._bytes = 0

    def result(self) -> IntegrityValidationResult:
        """What there is to say, after all nodes were taken."""
        missing = dict(self._missing)
        more = [f"… and {self._more_errors} errors more"] if self._more_errors else []
        return IntegrityValidationResult(
            valid=not self._errors and not missing,
            session_exists=self._session_exists,
            manifest_exists=self._manifest_exists,
            manifest_valid=self.manifest is not None,
            missing_thought_files=missing.pop(None, []),
            missing_branch_files={str(branch): names for branch, names in missing.items()},
            errors=self._errors + more,
        )

    def nodes(self) -> Iterator[NodeFile]:
        """The nodes, line by line."""
        try:
            with opened(self._files.root, self._files.folders) as folder:
                self._session_exists = True
                self.manifest = self._read_manifest(folder)
                if self.manifest is not None:
                    yield from self._nodes(folder, self.manifest)
        except FileNotFoundError:
            self._wrong("the session's directory is missing")
        except Blocked as blocked:
            self._wrong(str(blocked))
        except OSError as error:
            self._wrong(f"the session's directory cannot be read: {error.strerror}")

    def _read_manifest(self, folder: Folder) -> Manifest | None:
        try:
            data = folder.read(MANIFEST)
        except FileNotFoundError:
            self._wrong(f"{MANIFEST} is missing")
            return None
        except Blocked as blocked:
            self._manifest_exists = True
            self._wrong(str(blocked))
            return None
        self._manifest_exists = True
        manifest = self._parsed(MANIFEST, data, Manifest)
        if manifest is not None and manifest.id != self._files.session_id:
            self._wrong(f"{MANIFEST} is of session {shown(manifest.id)}, not of {shown(self._files.session_id)}")
        if not SESSION_ID.fullmatch(self._files.session_id):
            self._wrong(f"{shown(self._files.session_id)} is no session id; those have only a-z, 0-9 and -")
        return manifest

    def _nodes(self, folder: Folder, manifest: Manifest) -> Iterator[NodeFile]:
        yield from self._line(folder, None, manifest.thought_files)
        for branch, names in manifest.branch_files.items():
            if self._bytes > LARGEST_SESSION:
                return
            try:
                with _branch_folder(folder, branch) as line:
                    yield from self._line(line, branch, names)
            except FileNotFoundError:
                self._say_missing(branch, names)
            except Blocked as blocked:
                self._wrong(f"the folder of branch {shown(branch)}: {blocked}")
        folders = _branch_folders(folder, is_ours=manifest.thoughtbox is not None)
        self._left_out("Branches", folders - manifest.branch_files.keys())

    def _line(self, folder: Folder, branch: str | None, names: list[str]) -> Iterator[NodeFile]:
        """The nodes of the main line or of a branch, whose files stand in one folder."""
        listed: set[str] = set()
        numbers: set[int] = set()
        missing = []
        for name in names:
            where = name if branch is None else f"{branch}/{name}"
            if number_of(name) is None:
                self._wrong(f"{MANIFEST} names {shown(where)}, which is no name for a thought's file")
                continue
            if name in listed:
                self._wrong(f"{MANIFEST} names {shown(where)} twice")
                continue
            listed.add(name)
            try:
                data = folder.read(name)
            except FileNotFoundError:
                missing.append(name)
                continue
            except Blocked as blocked:
                self._wrong(str(blocked) if branch is None else f"branch {shown(branch)}: {blocked}")
                continue
            self._bytes += len(data)
            if self._bytes > LARGEST_SESSION:
                self._wrong(f"the session is bigger than {LARGEST_SESSION >> 20} MB")
                return
            node = self._node(where, branch, name, data)
            if node is None:
                continue
            if node.data.thought_number in numbers:
                self._wrong(f"{shown(where)} is a second thought {node.data.thought_number}")
                continue
            numbers.add(node.data.thought_number)
            yield NodeFile(branch, node)
        self._say_missing(branch, missing)
        files = "Files" if branch is None else f"Files of branch {shown(branch)}"
        self._left_out(files, {name for name, *_ in folder.entries() if number_of(name) is not None} - listed)

    def _node(self, where: str, branch: str | None, name: str, data: bytes) -> Node | None:
        node = self._parsed(where, data, Node)
        if node is None:
            return None
        number = node.data.thought_number
        if number != number_of(name):
            self._wrong(f"{shown(where)} holds thought {number}")
        session_id = node.id.partition(":")[0]
        if session_id != self._files.session_id:
            self._wrong(f"{shown(where)} is of session {shown(session_id)}, not of {shown(self._files.session_id)}")
        elif node.id != node_id(session_id, branch, number):
            self._wrong(f"{shown(where)} has the id {shown(node.id)}, which is not its own")
        for told in (node.branch_id or branch, node.data.branch_id or branch):
            if told != branch:
                self._wrong(f"{shown(where)} says that it is on branch {shown(str(told))}")
        return node

    def _parsed(self, where: str, data: bytes, shape: type[_Shape]) -> _Shape | None:
        try:
            return shape.model_validate(orjson.loads(data))
        except orjson.JSONDecodeError as error:
            self._wrong(f"{shown(where)} is not JSON: {error}")
        except ValidationError as error:
            faults = error.errors(include_url=False, include_context=False, include_input=False)
            for fault in faults[:MOST_NAMED]:
                place = shown(".".join(map(str, fault["loc"])) or "the file")
                self._wrong(f"{shown(where)}: {place}: {fault['msg'].removeprefix('Value error, ')}")
        return None

    def _say_missing(self, branch: str | None, names: list[str]) -> None:
        if names:
            self._missing[branch] += names
            line = "the main line" if branch is None else f"branch {shown(branch)}"
            self._wrong(f"{len(names)} files of {line} are missing: {some(names)}")

    def _left_out(self, what: str, names: set[str]) -> None:
        if names:
            self.notices.append(f"{what} that {MANIFEST} does not name were left out: {some(sorted(names))}.")

    def _wrong(self, error: str) -> None:
        if len(self._errors) < MOST_ERRORS:
            self._errors.append(error)
        else:
            self._more_errors += 1
