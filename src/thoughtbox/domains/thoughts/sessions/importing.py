"""Taking a session in that was exported: as SessionExport JSON, or as text in cipher."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from thoughtbox.domains.thoughts.arguments import Title
from thoughtbox.domains.thoughts.room import room
from thoughtbox.operations import CamelInput, CamelOutput, Example, Text, Tx

Form = Literal["json", "cipher"]


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
    from thoughtbox.domains.thoughts.files.taking import take_content  # no server waits for it at its start

    form = call.format or form_of(call.content)
    taken = take_content(tx, form, call.content, call.title)
    return SessionImported(
        session_id=taken.session_id,
        format=form,
        thought_count=taken.thoughts,
        added=taken.added,
        notices=list(taken.notices) or None,
        next={"operation": "load_context", "sessionId": taken.session_id},
    )
