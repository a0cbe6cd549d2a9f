"""What comes out: notebooks, cells and runs, in the shapes of the specification."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from thoughtbox.domains.notebooks.cell import Language, Status
from thoughtbox.operations import CamelOutput


class TitleCell(CamelOutput):
    id: str
    type: Literal["title"] = "title"
    text: str


class MarkdownCell(CamelOutput):
    id: str
    type: Literal["markdown"] = "markdown"
    text: str


class PackageJsonCell(CamelOutput):
    id: str
    type: Literal["package.json"] = "package.json"
    source: str
    filename: Literal["package.json"] = "package.json"
    status: Status
    output: str | None
    error: str | None


class CodeCell(CamelOutput):
    id: str
    type: Literal["code"] = "code"
    language: Language
    filename: str
    source: str
    status: Status
    output: str | None
    error: str | None


AnyCell = TitleCell | MarkdownCell | PackageJsonCell | CodeCell


class NotebookShown(CamelOutput):
    """A notebook with its cells."""

    id: str
    name: str
    cells: list[AnyCell]
    language: Language
    tsconfig_json: Annotated[str | None, Field(alias="tsconfig.json")]
    trusted: bool
    created_at: int
    updated_at: int


class OneNotebook(CamelOutput):
    sparse: ClassVar[bool] = True

    success: Literal[True] = True
    notebook_id: str
    notebook: NotebookShown
    notice: str | None = None


class OneCell(CamelOutput):
    sparse: ClassVar[bool] = True

    success: Literal[True] = True
    notebook_id: str
    cell_id: str
    cell: AnyCell
    position: int
    notice: str | None = None


class OutputShown(CamelOutput):
    """Something that a run has shown; all of it can be read at `uri`."""

    mime: str
    sha256: str
    uri: str
    size: int


class CellRun(CamelOutput):
    """What a run has come to."""

    notebook_id: str
    cell_id: str
    status: Status
    output: str
    error: str | None
    exit_code: int | None
    """0 or 1 of a cell in Python; null where it was ended from outside."""
    duration_ms: int
    truncated: bool
    """Whether `output` is not all that was printed: outputs have the rest."""
    run_id: str
    outputs: list[OutputShown]
    stderr: str
    note: str | None
    """What else there is to know, such as that a kernel's state is gone."""
