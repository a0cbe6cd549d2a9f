"""What goes into the knowledge zone and what comes out. The wire spells it in camelCase."""

import unicodedata
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field

from thoughtbox.domains.thoughts.arguments import (
    LISTED_BY_DEFAULT,
    Limit,
    Offset,
    SessionId,
    SortedBy,
    SortOrder,
    Tag,
    Tags,
    Title,
)
from thoughtbox.domains.thoughts.sessions.learnings.models import KeyMoment
from thoughtbox.operations import CamelInput, CamelOutput, Key, MaxChars, Text

LONGEST_ID = 100


def _id(text: str) -> str:
    letters = text.replace("-", "")
    if not text or text != text.lower() or any(unicodedata.category(letter)[0] not in "LMN" for letter in letters):
        raise ValueError("it has small letters, digits and - only")
    return text


_Id = Annotated[str, AfterValidator(_id), Field(max_length=LONGEST_ID)]
PatternId = Annotated[_Id, Field(description="The pattern's id, as list_patterns shows it.")]
NoteId = Annotated[_Id, Field(description="The note's id, as list_notes shows it.")]
Sentence = Annotated[Text, Field(max_length=1_000)]


class CreatePattern(CamelInput):
    title: Annotated[Title, Field(description="What to call it.")]
    description: Annotated[Sentence, Field(description="What it is about, in a sentence.")]
    content: Annotated[Text, Field(description="The pattern, in Markdown.")]
    tags: Annotated[Tags, Field(description="Tags to find it by.", default_factory=list)]
    derived_from_sessions: Annotated[
        list[Key], Field(max_length=100, description="Sessions it comes from.", default_factory=list)
    ]
    created_by: Annotated[Key | None, Field(description="Who found it; without it, the caller.")] = None
    session_id: SessionId = None


class UpdatePattern(CamelInput):
    pattern_id: PatternId
    title: Annotated[Title | None, Field(description="Its new title; the id stays.")] = None
    description: Annotated[Sentence | None, Field(description="Its new description.")] = None
    content: Annotated[Text | None, Field(description="What it says now.")] = None
    tags: Annotated[Tags | None, Field(description="All its tags, in place of those it has.")] = None
    derived_from_sessions: Annotated[
        list[Key] | None, Field(max_length=100, description="All sessions it comes from.")
    ] = None
    session_id: SessionId = None


class OnePattern(CamelInput):
    pattern_id: PatternId
    session_id: SessionId = None
    max_chars: MaxChars = None


class DeletePattern(CamelInput):
    pattern_id: PatternId
    session_id: SessionId = None


class ListPatterns(CamelInput):
    tags: Annotated[list[Tag], Field(max_length=20, description="All of these.", default_factory=list)]
    search: Annotated[str | None, Field(max_length=1_000, description="Words in title, description or content.")] = None
    limit: Limit = LISTED_BY_DEFAULT
    offset: Offset = 0
    sort_by: Annotated[
        SortedBy | None, Field(description="What the order goes by: with `search` how well they fit, else updatedAt.")
    ] = None
    sort_order: SortOrder = "desc"
    session_id: SessionId = None
    max_chars: MaxChars = None


class Promote(CamelInput):
    learning_id: Annotated[Key, Field(description="A proposal of session.extract_learnings, or `best` for its first.")]
    session_id: SessionId = None
    key_moments: Annotated[
        list[KeyMoment], Field(max_length=50, description="Those that steered it, if any.", default_factory=list)
    ]
    title: Annotated[Title | None, Field(description="In place of the proposal's.")] = None
    description: Annotated[Sentence | None, Field(description="In place of the proposal's.")] = None
    tags: Annotated[Tags, Field(description="Beside the session's.", default_factory=list)]


class PatternShown(CamelOutput):
    """A pattern as the document's KnowledgePattern has it."""

    sparse: ClassVar[bool] = True

    id: str
    title: str
    description: str
    tags: list[str]
    content: str | None = None
    derived_from_sessions: list[str]
    created_by: str | None = None
    created_at: str
    updated_at: str


class PatternKept(CamelOutput):
    success: Literal[True] = True
    pattern: PatternShown


class PatternsListed(CamelOutput):
    sparse: ClassVar[bool] = True

    patterns: list[PatternShown]
    count: int
    has_more: bool
    next_offset: int | None = None
    message: str | None = None


class WriteNote(CamelInput):
    title: Annotated[Title, Field(description="Its topic.")]
    content: Annotated[Text, Field(description="The note, in Markdown.")]
    note_id: Annotated[_Id | None, Field(description="Its id; without it, made from the title.")] = None
    append: Annotated[bool, Field(description="Add to what the note says, in place of replacing it.")] = False
    session_id: SessionId = None


class OneNote(CamelInput):
    note_id: NoteId
    session_id: SessionId = None
    max_chars: MaxChars = None


class DeleteNote(CamelInput):
    note_id: NoteId
    session_id: SessionId = None


class ListNotes(CamelInput):
    search: Annotated[str | None, Field(max_length=1_000, description="Words in title or content.")] = None
    limit: Limit = LISTED_BY_DEFAULT
    offset: Offset = 0
    session_id: SessionId = None
    max_chars: MaxChars = None


class NoteShown(CamelOutput):
    """A note as the document's ScratchpadNote has it."""

    sparse: ClassVar[bool] = True

    id: str
    title: str
    content: str | None = None
    created_at: str
    updated_at: str


class NoteKept(CamelOutput):
    success: Literal[True] = True
    note: NoteShown


class NotesListed(CamelOutput):
    sparse: ClassVar[bool] = True

    notes: list[NoteShown]
    count: int
    has_more: bool
    next_offset: int | None = None
    message: str | None = None


class KnowledgeDeleted(CamelOutput):
    success: Literal[True] = True
    id: str
    undo: dict[str, Any]
    """The call that brings it back; it can be sent as it stands."""
