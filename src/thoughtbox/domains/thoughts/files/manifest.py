"""How a session is laid out in files: the names of folders and files, and its manifest (spec 1, Directory Structure).

`docs/file-layout.md` has the layout and its rules.
"""

from __future__ import annotations

import operator
import re
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, FailFast, Field
from pydantic.alias_generators import to_camel

from thoughtbox.domains.thoughts.files.folder import shown
from thoughtbox.domains.thoughts.model.session import Status
from thoughtbox.errors import InvalidPayload

Granularity = Literal["monthly", "weekly", "daily", "none"]
PROJECTS = "projects"
SESSIONS = "sessions"
MANIFEST = "manifest.json"
DEFAULT_PROJECT = "_default"

DEEPEST_PROJECT = 8
"""Folders that a project's name may lead through, as `team/app` leads through two."""
LARGEST_NUMBER = 2**53

SESSION_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
"""A UUID, or what is as harmless; lower case only, since some file systems do not tell the cases apart."""
PARTITION = re.compile(r"[0-9]{4}-(?:[0-9]{2}(?:-[0-9]{2})?|W[0-9]{2})")
_PROJECT_FOLDER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,127}")
_THOUGHT_FILE = re.compile(r"([0-9]{3,16})\.json")
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?(?:Z|[+-][0-9]{2}:[0-9]{2})")


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
        raise refusal(
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
Time = Annotated[str, AfterValidator(lambda time: in_utc(moment(time)))]


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


class SettledBranch(InFile):
    """That a branch was adopted or rejected, said outside of thoughts."""

    branch_id: PlainText
    fate: Literal["adopted", "rejected"]
    why: PlainText | None = None
    timestamp: Time
    after: PlainText | None = None
    """The node recorded before it, by its id without the session's."""


class Extension(InFile):
    """What the document's manifest and SessionExport have no place for. Other programs pass over it."""

    layout: Literal[1] = 1
    last_accessed_at: Time
    status: Status
    stage: Annotated[int, Field(ge=0, le=3)]
    project: PlainText | None = None
    task: PlainText | None = None
    aspect: PlainText | None = None
    domain: PlainText | None = None
    order: Texts = Field(default_factory=list, exclude_if=operator.not_)
    """The nodes in order of recording, by their ids without the session's; a SessionExport has them in it."""
    settled: Annotated[list[SettledBranch], FailFast()] = Field(default_factory=list, exclude_if=operator.not_)


class Manifest(InFile):
    """The SessionManifest of the document, as under "Export & Integrity Types"."""

    id: str
    version: Annotated[str, AfterValidator(_known_version)] = "1.0.0"
    thought_files: Texts
    branch_files: Annotated[dict[str, Any], AfterValidator(_lists_of_texts)]
    metadata: Metadata
    thoughtbox: Extension | None = None


def in_utc(time: datetime) -> str:
    return time.isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"


def refusal(field: str, message: str, recovery: str) -> InvalidPayload:
    return InvalidPayload(message, recovery=recovery, details={"fields": [field]})
