"""What goes in and comes out of notebooks and their cells: making, reading, changing."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from thoughtbox.domains.notebooks.answers import AnyCell
from thoughtbox.domains.notebooks.arguments import (
    AnyLanguage,
    CellId,
    Content,
    Filename,
    NameOfNotebook,
    NotebookId,
    Position,
)
from thoughtbox.domains.notebooks.cell import CellType, Language
from thoughtbox.operations import CamelInput, CamelOutput, MaxChars, Text

Limit = Annotated[int, Field(ge=1, le=200, description="How many in one answer.")]
FILENAME = "File of a code cell, such as main.js: others import it so."
LANGUAGE = "Language of a code cell; its filename's or the notebook's when left out."
POSITION = "Place that it gets, counted from 0."
Cursor = Annotated[str | None, Field(description="Where the page before ended.")]


class CreateNotebook(CamelInput):
    name: Annotated[NameOfNotebook | None, Field(description="What it is called.")] = None
    title: Annotated[NameOfNotebook | None, Field(description="The same as name.")] = None
    template: Annotated[
        Literal["blank", "sequential-feynman"],
        Field(description="blank has no cells; sequential-feynman explains a topic, finds the gaps, simplifies."),
    ] = "blank"
    language: Annotated[Language, Field(description="Language of code cells that name none.")] = "javascript"
    trusted: Annotated[
        bool, Field(description="Its cells may read all files and use the network; limits hold all the same.")
    ] = False
    tsconfig: Annotated[Content | None, Field(description="A TypeScript configuration, as JSON.")] = None
    max_chars: MaxChars = None


class ListNotebooks(CamelInput):
    limit: Limit = 20
    cursor: Cursor = None
    max_chars: MaxChars = None


class NotebookListed(CamelOutput):
    id: str
    name: str
    language: Language
    cells: int
    trusted: bool
    created_at: int
    updated_at: int


class NotebooksListed(CamelOutput):
    sparse: ClassVar[bool] = True

    notebooks: list[NotebookListed]
    count: int
    cursor: str | None = None


class GetNotebook(CamelInput):
    notebook_id: NotebookId
    max_chars: MaxChars = None


class DeleteNotebook(CamelInput):
    notebook_id: NotebookId


class NotebookDeleted(CamelOutput):
    success: Literal[True] = True
    notebook_id: str
    name: str


class AddCell(CamelInput):
    notebook_id: NotebookId
    type: Annotated[CellType | None, Field(description="What kind of cell.")] = None
    cell_type: Annotated[CellType | None, Field(description="The same as type.")] = None
    content: Annotated[Content, Field(description="Its text, or its code.")]
    filename: Annotated[Filename | None, Field(description=FILENAME)] = None
    language: Annotated[AnyLanguage | None, Field(description=LANGUAGE)] = None
    after_cell_id: Annotated[CellId | None, Field(description="The cell that it comes behind; else at the end.")] = None
    position: Annotated[Position | None, Field(description=POSITION)] = None


class UpdateCell(CamelInput):
    notebook_id: NotebookId
    cell_id: CellId
    content: Annotated[Content | None, Field(description="Its new text, or its new code.")] = None
    filename: Annotated[Filename | None, Field(description=FILENAME)] = None
    language: Annotated[AnyLanguage | None, Field(description=LANGUAGE)] = None


class MoveCell(CamelInput):
    notebook_id: NotebookId
    cell_id: CellId
    position: Annotated[Position | None, Field(description=POSITION)] = None
    after_cell_id: Annotated[CellId | None, Field(description="The cell that it comes behind.")] = None


class DeleteCell(CamelInput):
    notebook_id: NotebookId
    cell_id: CellId


class CellDeleted(CamelOutput):
    success: Literal[True] = True
    notebook_id: str
    cell_id: str
    cells: int


class ListCells(CamelInput):
    notebook_id: NotebookId
    max_chars: MaxChars = None


class CellsListed(CamelOutput):
    notebook_id: str
    cells: list[AnyCell]
    count: int


class GetCell(CamelInput):
    notebook_id: NotebookId
    cell_id: CellId
    max_chars: MaxChars = None


class History(CamelInput):
    notebook_id: NotebookId
    cell_id: Annotated[CellId | None, Field(description="Only what became of this cell.")] = None
    limit: Limit = 50
    cursor: Cursor = None
    max_chars: MaxChars = None


class HistoryEvent(CamelOutput):
    sparse: ClassVar[bool] = True

    id: str
    what: str
    at: str
    agent: str
    cell_id: str | None = None
    run_id: str | None = None
    status: str | None = None
    outcome: str | None = None
    duration_ms: int | None = None
    output: str | None = None
    error: str | None = None
    text: str | None = None
    same: bool | None = None
    cells: list[dict[str, Any]] | None = None
    packages: list[str] | None = None
    target: str | None = None


class HistoryRead(CamelOutput):
    sparse: ClassVar[bool] = True

    notebook_id: str
    events: list[HistoryEvent]
    count: int
    cursor: str | None = None


class SearchNotebooks(CamelInput):
    query: Annotated[Text, Field(max_length=1_000, description="A question, or words.")]
    notebook_id: Annotated[NotebookId | None, Field(description="Only in this notebook.")] = None
    limit: Annotated[int, Field(ge=1, le=100, description="How many in one answer.")] = 20
    offset: Annotated[int, Field(ge=0, le=1_000_000, description="How many to pass over.")] = 0
    max_chars: MaxChars = None


class NotebookHit(CamelOutput):
    sparse: ClassVar[bool] = True

    notebook_id: str
    notebook: str
    found_in: Literal["name", "cell", "output", "replay", "citation"]
    cell_id: str | None = None
    filename: str | None = None
    run_id: str | None = None
    id: str
    snippet: str


class NotebooksFound(CamelOutput):
    sparse: ClassVar[bool] = True

    query: str
    hits: list[NotebookHit]
    count: int
    next_offset: int | None = None
    message: str | None = None
