"""Taking a session in that was exported: as SessionExport JSON, or as text in cipher."""

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, ClassVar, Literal, TypeVar

from pydantic import Field

from thoughtbox.domains.thoughts.arguments import Title
from thoughtbox.domains.thoughts.files.cipher_reading import CipherText, read_cipher
from thoughtbox.domains.thoughts.files.imported import ImportedSession
from thoughtbox.domains.thoughts.files.session_export import read_export
from thoughtbox.domains.thoughts.files.transfer import ImportOutcome, take_cipher, take_session
from thoughtbox.domains.thoughts.room import room
from thoughtbox.errors import ImportRefused, InvalidPayload
from thoughtbox.operations import CamelInput, CamelOutput, Example, Text, Tx

MOST_THOUGHTS = 5_000
"""Of one call, which is one transaction; the command line takes more."""

Form = Literal["json", "cipher"]
_Found = TypeVar("_Found", ImportedSession, CipherText)


class ImportSession(CamelInput):
    content: Annotated[Text, Field(description="What session.export gave, put together: JSON or cipher.")]
    format: Annotated[Form | None, Field(description="Of which form; without it, what it looks like.")] = None
    title: Annotated[Title | None, Field(description="For a session that is new here; else its own.")] = None


class SessionImported(CamelOutput):
    """`added` thoughts of `thoughtCount` were not there before."""

    sparse: ClassVar[bool] = True

    success: Literal[True] = True
    session_id: str
    format: Form
    thought_count: int
    added: int
    notices: list[str] | None = None
    next: dict[str, str]


def form_of(content: str) -> Form:
    """What a text looks like: JSON begins with a brace, and a thought hardly ever."""
    return "json" if content.lstrip("\ufeff \t\r\n").startswith("{") else "cipher"


@room.operation(
    "session.import",
    writes=True,
    title="Import a session",
    example=Example({"content": "# Slow pages\nS1|O|User reports slow page loads\nS2|H|S1|An index is missing\n"}),
)
def session_import(tx: Tx, call: ImportSession) -> SessionImported:
    """Take in what session.export gave. JSON keeps its id, and adds what is missing; cipher begins a session."""
    form = call.format or form_of(call.content)
    taken = _take_json(tx, call) if form == "json" else _take_cipher(tx, call)
    return SessionImported(
        session_id=taken.session_id,
        format=form,
        thought_count=taken.thoughts,
        added=taken.added,
        notices=list(taken.notices) or None,
        next={"operation": "load_context", "sessionId": taken.session_id},
    )


def _take_json(tx: Tx, call: ImportSession) -> ImportOutcome:
    found = _read(read_export, call.content.removeprefix("\ufeff"))
    if call.title is not None:
        found = replace(found, session=replace(found.session, title=call.title))
    return take_session(tx, found)


def _take_cipher(tx: Tx, call: ImportSession) -> ImportOutcome:
    found = _read(read_cipher, call.content)
    return take_cipher(tx, found, call.title)


def _read(read: Callable[[str], _Found], content: str) -> _Found:
    """What the content says; what cannot be taken in is the caller's fault."""
    try:
        found = read(content)
    except ImportRefused as refused:
        details = {**refused.details, "fields": ["content"]}
        raise InvalidPayload(refused.message, recovery=refused.recovery, details=details) from None
    if len(found.thoughts) > MOST_THOUGHTS:
        raise InvalidPayload(
            f"there are {len(found.thoughts):,} thoughts in it; {MOST_THOUGHTS:,} are the most in one call",
            recovery="Write it to a file, and take it in on the command line: thoughtbox import FILE.",
            details={"thoughts": len(found.thoughts), "fields": ["content"]},
        )
    return found
