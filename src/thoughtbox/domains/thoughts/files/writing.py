"""A session as a directory of files (spec 1, Directory Structure): names, the manifest, and writing.

`docs/file-layout.md` has the layout and its rules; `reading.py` reads it back. All that touches
the disk goes through `Folder`, which stays below the directory that the user named.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import orjson
from pydantic import AfterValidator, BaseModel, ConfigDict, FailFast, Field, ValidationError
from pydantic.alias_generators import to_camel

from thoughtbox.domains.thoughts.files.documents import nodes
from thoughtbox.domains.thoughts.model.session import Session, Status
from thoughtbox.domains.thoughts.model.thought import BRANCH_ID, Critique, Thought
from thoughtbox.errors import InvalidPayload, LedgerBroken

Granularity = Literal["monthly", "weekly", "daily", "none"]

PROJECTS = "projects"
SESSIONS = "sessions"
MANIFEST = "manifest.json"
DEFAULT_PROJECT = "_default"
DEEPEST_PROJECT = 8
"""Folders that a project's name may lead through, as `team/app` leads through two."""

LARGEST_FILE = 4 << 20
"""Bytes; larger files are neither written nor read."""
LARGEST_NUMBER = 2**53

SESSION_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
"""A UUID, or what is as harmless; lower case only, since some file systems do not tell the cases apart."""
PARTITION = re.compile(r"[0-9]{4}-(?:[0-9]{2}(?:-[0-9]{2})?|W[0-9]{2})")

_PROJECT_FOLDER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,127}")
_THOUGHT_FILE = re.compile(r"([0-9]{3,16})\.json")
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?(?:Z|[+-][0-9]{2}:[0-9]{2})")
_SHOWN = 80

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_WRITTEN_LIKE_THE_ORIGINAL = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE


def write_session(
    root: Path,
    project: str,
    granularity: Granularity,
    session: Session,
    thoughts: Iterable[Thought],
    critiques: Mapping[int, Critique],
) -> Path:
    """Write a session below `root` and give its directory; write nothing where it stands already.

    The thoughts are gone through twice: give a list, or a `Rereadable`. The manifest comes last, so that it
    never names a file that is not there. Refuses what would lead out of `root`, and a directory that holds
    somebody else's session.
    """
    partition = partition_path(session.created_at, granularity)
    if not SESSION_ID.fullmatch(session.id):
        raise _refusal("sessionId", f"{shown(session.id)} is no name for a directory", "Only a-z, 0-9 and - are.")
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
            _write(folder, session, thoughts, critiques)
    except Blocked as blocked:
        raise _refusal("directory", f"{path}: {blocked}", "Remove it, or export to another directory.") from None
    return path


def partition_path(created_at: str, granularity: Granularity) -> str | None:
    """The folder of a session's time, in UTC; None where all sessions stand together."""
    day = moment(created_at).date()
    match granularity:
        case "monthly":
            return day.isoformat()[:7]
        case "weekly":
            # The year that the week belongs to, which is not always the day's.
            year, week, _ = day.isocalendar()
            return f"{year:04}-W{week:02}"
        case "daily":
            return day.isoformat()
        case "none":
            return None


def project_folders(project: str) -> tuple[str, ...]:
    """The folders that a project's name leads through; refuses a name that could lead anywhere else."""
    folders = tuple(project.split("/"))
    is_safe = len(folders) <= DEEPEST_PROJECT and all(_PROJECT_FOLDER.fullmatch(folder) for folder in folders)
    if not is_safe or SESSIONS in map(str.lower, folders[1:]):
        raise _refusal(
            "project",
            f"{shown(project)} is no name for a project's directory",
            f"Use letters, digits, `.`, `_` and `-`, beginning with a letter, a digit or `_`; up to {DEEPEST_PROJECT}"
            f" folders with `/` between them, none but the first called `{SESSIONS}`.",
        )
    return folders


def file_name(number: int) -> str:
    return f"{number:03}.json"


def number_of(name: str) -> int | None:
    """The number of the thought that a file of this name holds; None when it is no such name."""
    found = _THOUGHT_FILE.fullmatch(name)
    number = int(found[1]) if found else 0
    return number if 1 <= number <= LARGEST_NUMBER and name == file_name(number) else None


def moment(time: str) -> datetime:
    """A date-time of the document, in UTC; raises `ValueError`."""
    if not _TIME.fullmatch(time):
        raise ValueError("it must be a date and time such as 2025-12-07T10:30:00.000Z")
    try:
        return datetime.fromisoformat(time).astimezone(UTC)
    except OverflowError:
        raise ValueError("it lies outside of the calendar") from None


def shown(name: str) -> str:
    """A name that somebody else chose, for a message: on one line, in ASCII and not too long."""
    return ascii(name if len(name) <= _SHOWN else name[:_SHOWN] + "…")


def without_nul(text: str) -> str:
    # The ledger has no NUL characters (docs/decisions/0007).
    if "\0" in text:
        raise ValueError("it holds a NUL character")
    return text


def _known_version(version: str) -> str:
    if not version.startswith("1."):
        raise ValueError(f"version {shown(version)} is not known; 1.0.0 is")
    return version


def _lists_of_texts(lists: dict[str, Any]) -> dict[str, list[str]]:
    # By hand: a validator that goes on after the first fault could be made to report millions of them.
    for texts in lists.values():
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise ValueError("it must hold lists of file names")
    return lists


PlainText = Annotated[str, AfterValidator(without_nul)]
Texts = Annotated[list[PlainText], FailFast()]
Time = Annotated[str, AfterValidator(lambda time: _in_utc(moment(time)))]


class InFile(BaseModel):
    """Part of a file that anybody may have written: keys that are not known are passed over."""

    model_config = ConfigDict(
        extra="ignore",
        strict=True,
        frozen=True,
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
    )


class Metadata(InFile):
    title: PlainText
    description: PlainText | None = None
    tags: Texts
    created_at: Time
    updated_at: Time


class Ours(InFile):
    """What the document's manifest has no place for. Other programs pass over it."""

    layout: Literal[1] = 1
    last_accessed_at: Time
    status: Status
    stage: Annotated[int, Field(ge=0, le=3)]
    project: PlainText | None = None
    task: PlainText | None = None
    aspect: PlainText | None = None
    domain: PlainText | None = None
    order: Texts
    """The nodes in order of recording, by their ids without the session's."""


class Manifest(InFile):
    """The SessionManifest of the document, as under "Export & Integrity Types"."""

    id: str
    version: Annotated[str, AfterValidator(_known_version)] = "1.0.0"
    thought_files: Texts
    branch_files: Annotated[dict[str, Any], AfterValidator(_lists_of_texts)]
    metadata: Metadata
    thoughtbox: Ours | None = None


class Blocked(Exception):
    """Something that is there, but is not read, written or followed."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"{shown(name)} {why}")


class Entry(NamedTuple):
    name: str
    is_folder: bool
    is_link: bool


class Folder:
    """A directory held open, so that nothing else can slip into its place. Links below it are never followed."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    @classmethod
    def at(cls, path: Path) -> Folder:
        """The directory that the user named; that one may be a link."""
        return cls(os.open(path, _DIRECTORY))

    def __enter__(self) -> Folder:
        return self

    def __exit__(self, *failure: object) -> None:
        os.close(self._descriptor)

    def opened(self, name: str) -> Folder:
        """A folder in this one; raises `FileNotFoundError` or `Blocked`."""
        return Folder(self._open(name, _DIRECTORY))

    def made(self, name: str) -> Folder:
        """A folder in this one, made if it is not there."""
        with suppress(FileExistsError):
            os.mkdir(_one(name), dir_fd=self._descriptor)
            self.sync()
        return self.opened(name)

    def entries(self) -> list[Entry]:
        """What stands here, by name; not what is hidden."""
        with os.scandir(self._descriptor) as found:
            return sorted(
                Entry(entry.name, entry.is_dir(follow_symlinks=False), entry.is_symlink())
                for entry in found
                if not entry.name.startswith(".")
            )

    def read(self, name: str) -> bytes:
        """A file in this folder; raises `FileNotFoundError` or `Blocked`."""
        # Without O_NONBLOCK, opening a pipe would wait for a writer.
        descriptor = self._open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise Blocked(name, "is not a plain file")
            with os.fdopen(descriptor, "rb", closefd=False) as file:
                data = file.read(LARGEST_FILE + 1)
        except OSError as error:
            raise Blocked(name, f"cannot be read: {error.strerror}") from None
        finally:
            os.close(descriptor)
        if len(data) > LARGEST_FILE:
            raise Blocked(name, f"is bigger than {LARGEST_FILE >> 20} MB")
        return data

    def write(self, name: str, data: bytes) -> None:
        """Put a file into this folder whole, or leave the old one; raises `Blocked`."""
        if len(data) > LARGEST_FILE:
            raise Blocked(name, f"would be bigger than {LARGEST_FILE >> 20} MB")
        with suppress(FileNotFoundError):
            if self.read(name) == data:
                return
        fresh = f".{_one(name)}.part"
        # Left behind by an export that was killed.
        with suppress(FileNotFoundError):
            os.unlink(fresh, dir_fd=self._descriptor)
        # O_EXCL: a link that somebody puts there now is not followed.
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666, dir_fd=self._descriptor)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(descriptor)
            os.rename(fresh, name, src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor)
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(fresh, dir_fd=self._descriptor)
            raise

    def remove(self, name: str) -> None:
        """Remove a plain file, if it is there."""
        with suppress(FileNotFoundError):
            if stat.S_ISREG(os.lstat(_one(name), dir_fd=self._descriptor).st_mode):
                os.unlink(name, dir_fd=self._descriptor)

    def remove_folder(self, name: str) -> None:
        """Remove a folder, if it is there and empty."""
        with suppress(OSError):
            os.rmdir(_one(name), dir_fd=self._descriptor)

    def sync(self) -> None:
        """What was made, renamed or removed here is on the disk from now on."""
        os.fsync(self._descriptor)

    def _open(self, name: str, flags: int) -> int:
        try:
            return os.open(_one(name), flags | os.O_NOFOLLOW, dir_fd=self._descriptor)
        except FileNotFoundError:
            raise
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENOTDIR) and self._is_link(name):
                raise Blocked(name, "is a symbolic link, and links are not followed") from None
            raise Blocked(name, f"cannot be opened: {error.strerror}") from None

    def _is_link(self, name: str) -> bool:
        with suppress(OSError):
            return stat.S_ISLNK(os.lstat(name, dir_fd=self._descriptor).st_mode)
        return False


def _one(name: str) -> str:
    """The name of one entry, which leads nowhere else."""
    if name in ("", ".", "..") or "/" in name or "\\" in name or "\0" in name:
        raise Blocked(name, "is no name for a file")
    return name


def _write(folder: Folder, session: Session, thoughts: Iterable[Thought], critiques: Mapping[int, Critique]) -> None:
    earlier = _earlier_manifest(folder, session.id)
    written = list(_write_nodes(folder, session.id, nodes(thoughts, critiques)))
    manifest = _manifest(session, written)
    for branch_id in manifest.branch_files:
        with folder.opened(branch_id) as branch:
            branch.sync()
    folder.sync()
    folder.write(MANIFEST, _json(manifest.model_dump(by_alias=True, exclude_none=True)))
    if earlier is not None:
        _remove_stale(folder, earlier, manifest)
    folder.sync()


class _Written(NamedTuple):
    branch_id: str | None
    number: int


def _write_nodes(folder: Folder, session_id: str, found: Iterable[Mapping[str, Any]]) -> Iterator[_Written]:
    seen: set[_Written] = set()
    for node in found:
        branch_id, number = written = _Written(node["branchId"], node["data"]["thoughtNumber"])
        if written in seen:
            raise LedgerBroken(f"session {session_id} has two thoughts of the id {node['id']}")
        seen.add(written)
        if branch_id is None:
            folder.write(file_name(number), _json(node))
        elif not BRANCH_ID.fullmatch(branch_id):
            raise _refusal("branchId", f"{shown(branch_id)} is no name for a directory", "Only a-z, 0-9 and - are.")
        else:
            with folder.made(branch_id) as branch:
                branch.write(file_name(number), _json(node))
        yield written


def _manifest(session: Session, written: Iterable[_Written]) -> Manifest:
    numbers: dict[str | None, list[int]] = defaultdict(list)
    order = []
    for branch_id, number in written:
        numbers[branch_id].append(number)
        order.append(str(number) if branch_id is None else f"{branch_id}:{number}")
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
        thoughtbox=Ours(
            last_accessed_at=session.last_accessed_at,
            status=session.status,
            stage=session.stage,
            project=session.project,
            task=session.task,
            aspect=session.aspect,
            domain=session.domain,
            order=order,
        ),
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
            raise _refusal(
                "project",
                f"{shown(name)} and {shown(entry.name)}, which is there already, differ only in case",
                f"Export to {shown(entry.name)}, or to another directory.",
            )


def _in_utc(time: datetime) -> str:
    return time.isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"


def _json(value: Any) -> bytes:
    return orjson.dumps(value, option=_WRITTEN_LIKE_THE_ORIGINAL)


def _refusal(field: str, message: str, recovery: str) -> InvalidPayload:
    return InvalidPayload(message, recovery=recovery, details={"fields": [field]})
