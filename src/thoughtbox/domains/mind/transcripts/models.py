"""What goes in and what comes out of transcripts."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from thoughtbox.domains.mind.arguments import BoundedInput
from thoughtbox.operations import Input, Output

KIB = 1024
MIB = 1024 * KIB

MOST_FILES = 10_000
MOST_BYTES = 1024 * MIB
MOST_HITS = 500
MOST_ITEMS = 50
MOST_CONTEXT = 4_000
MOST_LINES = 200
"""The most that a call may ask for."""

PathText = Annotated[str, Field(min_length=1, max_length=4096)]
RootDir = Annotated[
    PathText | None,
    Field(
        description="Folder of transcripts, read recursively. Without it: $CODEX_HOME/sessions (~/.codex/sessions) "
        "and $CLAUDE_CONFIG_DIR/projects (~/.claude/projects)."
    ),
]
CwdPrefix = Annotated[
    str | None,
    Field(
        max_length=4096,
        description="Only sessions whose working folder begins so; an empty text takes all. Without it: this project.",
    ),
]
MaxFiles = Annotated[int, Field(ge=1, le=MOST_FILES, description="Most files to open, the newest first.")]
MaxBytes = Annotated[int, Field(ge=1, le=MOST_BYTES, description="Most bytes to read, over all files.")]


Suggestion = dict[str, Any]
"""A call that can be sent as it stands: {action, target, reason, priority, validated, params}."""


class TranscriptsSearch(BoundedInput):
    root_dir: RootDir = None
    query: Annotated[str, Field(min_length=1, max_length=1000, description="Text to find, exactly as it is written.")]
    cwd_prefix: CwdPrefix = None
    role: Annotated[
        str | None, Field(min_length=1, max_length=64, description="Only messages of user, assistant, or another role.")
    ] = None
    dedupe: Annotated[bool, Field(description="Show a message that several files repeat once.")] = True
    max_files: MaxFiles = 50
    max_bytes_total: MaxBytes = 64 * MIB
    hits_limit: Annotated[int, Field(ge=1, le=MOST_HITS, description="Most messages to show.")] = 25
    context_chars: Annotated[
        int, Field(ge=16, le=MOST_CONTEXT, description="Longest snippet, in characters; what was found is inside.")
    ] = 240


class OpenRef(Input):
    path: Annotated[PathText, Field(description="The file, as a hit or a digest names it.")]
    root: Annotated[PathText | None, Field(description="Folder that the path is relative to, if not root_dir.")] = None
    line: Annotated[int | None, Field(ge=1, description="The line, counted from 1; or send byte.")] = None
    byte: Annotated[int | None, Field(ge=0, description="The offset at which the line begins; or send line.")] = None


class TranscriptsOpen(BoundedInput):
    root_dir: RootDir = None
    ref: Annotated[OpenRef, Field(description="What to open: a path, and either a line or a byte.")]
    before_lines: Annotated[int, Field(ge=0, le=MOST_LINES, description="Lines of the file to read before it.")] = 8
    after_lines: Annotated[int, Field(ge=0, le=MOST_LINES, description="Lines of the file to read after it.")] = 8


class TranscriptsDigest(BoundedInput):
    root_dir: RootDir = None
    cwd_prefix: CwdPrefix = None
    mode: Annotated[
        Literal["summary", "last"],
        Field(description="summary: the last message of a session that looks like one; last: its last message."),
    ] = "summary"
    max_files: MaxFiles = 720
    max_bytes_total: MaxBytes = 16 * MIB
    max_items: Annotated[int, Field(ge=1, le=MOST_ITEMS, description="Most messages to show.")] = 6


class Sparse(Output):
    """An answer that leaves out what is not known."""

    sparse: ClassVar[bool] = True


class Ref(Sparse):
    """Where a message stands. It can be sent to `transcripts_open` as it is."""

    path: str
    root: str | None = None
    line: int | None = None
    byte: int | None = None


class SessionShown(Sparse):
    id: str | None = None
    ts: str | None = None


class SessionOpened(SessionShown):
    cwd: str | None = None


class ProjectShown(Output):
    id: str
    name: str
    confidence: int


class ProjectFound(ProjectShown):
    files: int
    hits: int


class MessageFound(Sparse):
    role: str
    ts: str | None = None
    snippet: str


class MessageDigested(Sparse):
    role: Literal["assistant"] = "assistant"
    ts: str | None = None
    text: str


class Entry(Sparse):
    """One message of an opened window. `cut` is there when its text is longer than what is shown."""

    line: int | None = None
    byte: int
    role: str
    ts: str | None = None
    text: str
    cut: Literal[True] | None = None


class Hit(Output):
    ref: Ref
    session: SessionShown
    project: ProjectShown
    message: MessageFound


class DigestItem(Output):
    ref: Ref
    session: SessionShown
    message: MessageDigested


class Scanned(Output):
    files: int
    bytes: int
    truncated: bool


class SearchFilters(Sparse):
    cwd_prefix: str
    role: str | None = None
    dedupe: bool


class DigestFilters(Output):
    cwd_prefix: str
    mode: Literal["summary", "last"]


class TranscriptsFound(Output):
    root_dir: str
    roots: list[str]
    filters: SearchFilters
    scanned: Scanned
    projects: list[ProjectFound]
    hits: list[Hit]
    truncated: bool = False


class TranscriptOpened(Output):
    root_dir: str
    ref: Ref
    session: SessionOpened
    project: ProjectShown
    entries: list[Entry]
    truncated: bool = False


class TranscriptsDigested(Output):
    root_dir: str
    roots: list[str]
    filters: DigestFilters
    scanned: Scanned
    digest: list[DigestItem]
    truncated: bool = False
