"""What goes in and comes out where notebooks are files."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from thoughtbox.domains.notebooks.arguments import NameOfNotebook, NotebookId
from thoughtbox.operations import CamelInput, CamelOutput, MaxChars

LONGEST_FILE = 8_000_000

Readable = Literal["src.md", "ipynb"]
_FileText = Annotated[str, Field(max_length=LONGEST_FILE)]


class ImportNotebook(CamelInput):
    content: Annotated[_FileText, Field(description="What notebook.export gave, put together: .src.md or .ipynb.")]
    format: Annotated[Readable | None, Field(description="Of which format; without it, what it looks like.")] = None
    name: Annotated[NameOfNotebook | None, Field(description="What it is called here; else its own name.")] = None
    trusted: Annotated[bool, Field(description="As in create: never taken from the file.")] = False
    max_chars: MaxChars = None


class LoadNotebook(CamelInput):
    content: Annotated[_FileText | None, Field(description="A notebook as text: .src.md or .ipynb.")] = None
    path: Annotated[
        str | None,
        Field(max_length=4_000, description="A file in a folder of THOUGHTBOX_NOTEBOOK_FOLDERS, in place of content."),
    ] = None
    format: Annotated[Readable | None, Field(description="Of which format; without it, what it looks like.")] = None
    name: Annotated[NameOfNotebook | None, Field(description="What it is called here; else its own name.")] = None
    trusted: Annotated[bool, Field(description="As in create: never taken from the file.")] = False
    max_chars: MaxChars = None


class ExportNotebook(CamelInput):
    notebook_id: NotebookId
    format: Annotated[
        Literal["src.md", "ipynb", "markdown"],
        Field(description="src.md and ipynb can be imported again; markdown is for reading, with outputs."),
    ] = "src.md"
    cursor: Annotated[str | None, Field(description="Where the piece before ended.")] = None
    max_chars: MaxChars = None


class NotebookExported(CamelOutput):
    sparse: ClassVar[bool] = True

    notebook_id: str
    format: str
    content: str
    cursor: str | None = None
    """Where to go on: a long text comes in pieces that fit together."""


class GetOutput(CamelInput):
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$", description="Hash of an output, as run_cell names it.")]


class OutputRead(CamelOutput):
    sha256: str
    mime: str
    size: int
    encoding: Literal["utf-8", "base64"]
    content: str
