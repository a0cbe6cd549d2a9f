"""Sessions read back from directories of files: ours, and those of the TypeScript Thoughtbox.

Nothing that stands in a file is believed before it is checked, and nothing outside of the directory that
the user named is opened. `docs/file-layout.md` says how the two programs' directories differ, and what
becomes of it.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from pathlib import Path
from typing import Annotated, NamedTuple, TypeVar

import orjson
from pydantic import AfterValidator, Field, ValidationError

from thoughtbox.domains.thoughts.files.writing import (
    DEEPEST_PROJECT,
    DEFAULT_PROJECT,
    LARGEST_NUMBER,
    MANIFEST,
    PARTITION,
    PROJECTS,
    SESSION_ID,
    SESSIONS,
    Blocked,
    Folder,
    InFile,
    Manifest,
    PlainText,
    Texts,
    Time,
    number_of,
    shown,
    without_nul,
)
from thoughtbox.domains.thoughts.model.session import LONGEST_TITLE, Session
from thoughtbox.domains.thoughts.model.thought import BRANCH_ID, Critique, node_id
from thoughtbox.errors import ImportRefused
from thoughtbox.operations import LONGEST_TEXT, CamelOutput

BRANCHES = "branches"
"""The folder in which the TypeScript program keeps the folders of its branches."""

LARGEST_SESSION = 256 << 20
"""Bytes of all files of a session together."""
MOST_ERRORS = 100

_MOST_NAMED = 5
_NOT_IN_A_BRANCH_ID = re.compile(r"[^a-z0-9]+")
_LONGEST_STEM = 56
"""Of a branch id that has to be made up; room for a number behind it."""

_Shape = TypeVar("_Shape", bound=InFile)


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


class IntegrityValidationResult(CamelOutput):
    """Whether a session's files are all there and hold what they should."""

    valid: bool
    session_exists: bool
    manifest_exists: bool
    manifest_valid: bool
    missing_thought_files: list[str]
    missing_branch_files: dict[str, list[str]]
    errors: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedThought:
    """A thought as its file has it. Links are places in the list of thoughts, and lead backward only."""

    text: str
    number: int
    total: int
    next_needed: bool
    timestamp: str
    branch_id: str | None
    needs_more: bool
    is_revision: bool
    revises_number: int | None
    branch_from: int | None
    """The number it forks from, on the first thought of a branch."""
    critique: Critique | None
    prev: int | None
    """The thought before it on its line; the fork point, for the first of a branch."""
    revises: int | None
    origin: int | None
    """The fork point of its branch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedSession:
    """A session read from files."""

    session: Session
    thoughts: list[ImportedThought]
    """Each behind the one before it on its line and, where that can be, behind its fork point and what it revises."""
    notices: tuple[str, ...]
    """What is not as it stands in the files, for the user to know."""


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


def validate(files: SessionFiles) -> IntegrityValidationResult:
    """Look at every file of a session, and say all that is wrong."""
    reading = _Reading(files)
    for _ in reading.nodes():
        pass
    return reading.result()


def read_session(files: SessionFiles) -> ImportedSession:
    """The session as it stands in its files; raises `ImportRefused`, with the validation, if anything is wrong."""
    reading = _Reading(files)
    found = list(reading.nodes())
    result = reading.result()
    if not result.valid or reading.manifest is None:
        raise ImportRefused(
            f"the session in {files.path} cannot be imported: {result.errors[0]}",
            recovery="Mend or remove what `details.errors` names; nothing of this session was imported.",
            details=result.answer(),
        )
    branch_ids = _branch_ids(reading.manifest.branch_files)
    thoughts = _imported(_Lines(found, reading.manifest), branch_ids)
    return ImportedSession(
        session=_session(files, reading.manifest, thoughts),
        thoughts=thoughts,
        notices=(*_changes(reading.manifest, branch_ids), *reading.notices),
    )


def _in_projects(root: Path, folders: tuple[str, ...]) -> Iterator[SessionFiles]:
    """The sessions of the projects in a folder. A project's name may lead through several folders."""
    try:
        with _opened(root, folders) as folder:
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
        with _opened(root, folders) as folder:
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


@contextmanager
def _opened(root: Path, folders: Iterable[str]) -> Generator[Folder]:
    with ExitStack() as held:
        folder = held.enter_context(Folder.at(root))
        for name in folders:
            folder = held.enter_context(folder.opened(name))
        yield folder


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


def _some(names: list[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(map(shown, names[:_MOST_NAMED])) + (f" and {more} more" if more > 0 else "")


_Number = Annotated[int, Field(ge=1, le=LARGEST_NUMBER)]
_Text = Annotated[str, Field(max_length=LONGEST_TEXT), AfterValidator(without_nul)]


class _Critique(InFile):
    text: _Text
    model: PlainText
    timestamp: Time


class _Data(InFile):
    """The ThoughtData of the document. A critique that was asked for and never came may stand there as `true`."""

    thought: _Text
    thought_number: _Number
    total_thoughts: _Number
    next_thought_needed: bool
    timestamp: Time
    is_revision: bool | None = None
    revises_thought: _Number | None = None
    branch_from_thought: _Number | None = None
    branch_id: str | None = None
    needs_more_thoughts: bool | None = None
    critique: _Critique | bool | None = None


class _Node(InFile):
    """The ThoughtNode of the document. What follows a node is known from those that follow it."""

    id: str
    data: _Data
    prev: str | None = None
    next: Texts = Field(default_factory=list)
    revises_node: str | None = None
    branch_origin: str | None = None
    branch_id: str | None = None


class _Found(NamedTuple):
    branch: str | None
    """As its folder is called, which need not be a branch id."""
    node: _Node


class _Reading:
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

    def nodes(self) -> Iterator[_Found]:
        """The nodes, line by line."""
        try:
            with _opened(self._files.root, self._files.folders) as folder:
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

    def _nodes(self, folder: Folder, manifest: Manifest) -> Iterator[_Found]:
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

    def _line(self, folder: Folder, branch: str | None, names: list[str]) -> Iterator[_Found]:
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
            yield _Found(branch, node)
        self._say_missing(branch, missing)
        files = "Files" if branch is None else f"Files of branch {shown(branch)}"
        self._left_out(files, {name for name, *_ in folder.entries() if number_of(name) is not None} - listed)

    def _node(self, where: str, branch: str | None, name: str, data: bytes) -> _Node | None:
        node = self._parsed(where, data, _Node)
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
            for fault in faults[:_MOST_NAMED]:
                place = shown(".".join(map(str, fault["loc"])) or "the file")
                self._wrong(f"{shown(where)}: {place}: {fault['msg'].removeprefix('Value error, ')}")
        return None

    def _say_missing(self, branch: str | None, names: list[str]) -> None:
        if names:
            self._missing[branch] += names
            line = "the main line" if branch is None else f"branch {shown(branch)}"
            self._wrong(f"{len(names)} files of {line} are missing: {_some(names)}")

    def _left_out(self, what: str, names: set[str]) -> None:
        if names:
            self.notices.append(f"{what} that {MANIFEST} does not name were left out: {_some(sorted(names))}.")

    def _wrong(self, error: str) -> None:
        if len(self._errors) < MOST_ERRORS:
            self._errors.append(error)
        else:
            self._more_errors += 1


class _Lines:
    """The nodes of a session, chained to lines, and linked as far as their links lead anywhere. All by id."""

    def __init__(self, found: Iterable[_Found], manifest: Manifest) -> None:
        self.nodes: dict[str, _Node] = {}
        self.branch_of: dict[str, str | None] = {}
        self.heads: set[str] = set()
        self.before: dict[str, str] = {}
        self.origin: dict[str, str] = {}
        self.revised: dict[str, str] = {}
        self._session_id = manifest.id
        order = manifest.thoughtbox.order if manifest.thoughtbox is not None else []
        self._recorded = {f"{manifest.id}:{name}": place for place, name in enumerate(order)}
        lines: dict[str | None, list[_Node]] = defaultdict(list)
        for branch, node in found:
            self.nodes[node.id] = node
            self.branch_of[node.id] = branch
            lines[branch].append(node)
        for branch, line in lines.items():
            self._link(branch, _chained(line) or sorted(line, key=_by_time if branch is None else _by_number))

    def order(self) -> list[str]:
        """The ids as recorded, where that is known; else the main line first, then by time and number.

        A thought always comes behind the one before it on its line, and also behind its fork point and what
        it revises, unless these wait for each other in a circle.
        """
        waits: dict[str, int] = {}
        waited_for: dict[str | None, list[str]] = defaultdict(list)
        for name in self.nodes:
            targets = {self.before.get(name), self.revised.get(name)}
            if name in self.heads:
                targets.add(self.origin.get(name))
            waits[name] = len(targets - {None})
            for target in targets:
                waited_for[target].append(name)
        ready = sorted((self._rank(name), name) for name, count in waits.items() if count == 0)
        next_on_a_line = sorted((self._rank(name), name) for name in self.heads)
        follower = {before: name for name, before in self.before.items()}
        placed: dict[str, None] = {}
        while ready or next_on_a_line:
            _, name = heappop(ready or next_on_a_line)
            if name in placed:
                continue
            placed[name] = None
            for waiting in waited_for[name]:
                waits[waiting] -= 1
                if waits[waiting] == 0:
                    heappush(ready, (self._rank(waiting), waiting))
            if name in follower:
                heappush(next_on_a_line, (self._rank(follower[name]), follower[name]))
        return list(placed)

    def _link(self, branch: str | None, chain: list[_Node]) -> None:
        """Link the thoughts of one line. A target that is not before a thought on its own line is none."""
        head, to_come = chain[0], {node.id for node in chain}
        fork = None if branch is None else self._fork_point(head, to_come)
        self.heads.add(head.id)
        for before, node in zip([None, *chain], chain, strict=False):
            if before is not None:
                self.before[node.id] = before.id
            if fork is not None:
                self.origin[node.id] = fork
            revised = self._revised(branch, node, to_come)
            if revised is not None:
                self.revised[node.id] = revised
            to_come.remove(node.id)

    def _fork_point(self, head: _Node, to_come: set[str]) -> str | None:
        number = head.data.branch_from_thought
        on_main = None if number is None else node_id(self._session_id, None, number)
        return self._first_known((head.branch_origin, head.prev, on_main), to_come)

    def _revised(self, branch: str | None, node: _Node, to_come: set[str]) -> str | None:
        """What a thought revises: what it says, or that number on its own line, or on the main line."""
        number = node.data.revises_thought
        numbered = () if number is None else (node_id(self._session_id, line, number) for line in (branch, None))
        return self._first_known((node.revises_node, *numbered), to_come)

    def _first_known(self, names: Iterable[str | None], to_come: set[str]) -> str | None:
        return next((name for name in names if name is not None and name in self.nodes and name not in to_come), None)

    def _rank(self, name: str) -> tuple[float, bool, str, int]:
        data = self.nodes[name].data
        is_on_a_branch = self.branch_of[name] is not None
        return self._recorded.get(name, math.inf), is_on_a_branch, data.timestamp, data.thought_number


def _chained(line: list[_Node]) -> list[_Node] | None:
    """A line in the order that `prev` gives it; None when that is no chain but a fan, a circle or in pieces."""
    ids = {node.id for node in line}
    heads = [node for node in line if node.prev not in ids]
    following = {node.prev: node for node in line if node.prev in ids}
    if len(heads) != 1:
        return None
    chain = heads
    while follower := following.get(chain[-1].id):
        chain.append(follower)
    return chain if len(chain) == len(line) else None


def _by_number(node: _Node) -> int:
    return node.data.thought_number


def _by_time(node: _Node) -> tuple[str, int]:
    return node.data.timestamp, node.data.thought_number


def _imported(lines: _Lines, branch_ids: Mapping[str | None, str]) -> list[ImportedThought]:
    thoughts: list[ImportedThought] = []
    # Grows along with the thoughts, so that no link leads forward.
    places: dict[str | None, int] = {}
    for name in lines.order():
        data = lines.nodes[name].data
        is_first_of_branch = name in lines.heads and lines.branch_of[name] is not None
        origin = places.get(lines.origin.get(name))
        places[name] = len(thoughts)
        thoughts.append(
            ImportedThought(
                text=data.thought,
                number=data.thought_number,
                total=data.total_thoughts,
                next_needed=data.next_thought_needed,
                timestamp=data.timestamp,
                branch_id=branch_ids.get(lines.branch_of[name]),
                needs_more=bool(data.needs_more_thoughts),
                is_revision=bool(data.is_revision),
                revises_number=data.revises_thought,
                branch_from=data.branch_from_thought if is_first_of_branch else None,
                critique=_critique(data),
                prev=origin if is_first_of_branch else places.get(lines.before.get(name)),
                revises=places.get(lines.revised.get(name)),
                origin=origin,
            )
        )
    return thoughts


def _critique(data: _Data) -> Critique | None:
    found = data.critique
    if not isinstance(found, _Critique):
        return None
    return Critique(text=found.text, model=found.model, timestamp=found.timestamp)


def _session(files: SessionFiles, manifest: Manifest, thoughts: list[ImportedThought]) -> Session:
    metadata, ours = manifest.metadata, manifest.thoughtbox
    session = Session(
        id=manifest.id,
        title=metadata.title[:LONGEST_TITLE],
        description=metadata.description,
        tags=tuple(metadata.tags),
        created_at=metadata.created_at,
        updated_at=metadata.updated_at,
        last_accessed_at=metadata.updated_at,
        thought_count=len(thoughts),
        branch_count=len({thought.branch_id for thought in thoughts} - {None}),
    )
    if ours is None:
        main = [thought for thought in thoughts if thought.branch_id is None]
        is_completed = bool(main) and not main[-1].next_needed
        project = None if files.project == DEFAULT_PROJECT else files.project
        return replace(session, project=project, status="completed" if is_completed else "active")
    return replace(
        session,
        last_accessed_at=ours.last_accessed_at,
        project=ours.project,
        task=ours.task,
        aspect=ours.aspect,
        domain=ours.domain,
        stage=ours.stage,
        status=ours.status,
    )


def _branch_ids(branches: Iterable[str]) -> dict[str | None, str]:
    """An id for each branch: its own, or one made of it that no other branch has."""
    ids: dict[str | None, str] = {branch: branch for branch in branches if BRANCH_ID.fullmatch(branch)}
    taken, uses = set(ids.values()), Counter[str]()
    for branch in sorted(set(branches) - taken):
        stem = _NOT_IN_A_BRANCH_ID.sub("-", branch.lower()).strip("-")[:_LONGEST_STEM] or "branch"
        name = stem
        while name in taken:
            uses[stem] += 1
            name = f"{stem}-{uses[stem] + 1}"
        taken.add(name)
        ids[branch] = name
    return ids


def _changes(manifest: Manifest, branch_ids: Mapping[str | None, str]) -> Iterator[str]:
    if len(manifest.metadata.title) > LONGEST_TITLE:
        yield f"The title was cut to {LONGEST_TITLE} characters."
    for branch, name in branch_ids.items():
        if branch is not None and name != branch:
            yield f"Branch {shown(branch)} became `{name}`."
