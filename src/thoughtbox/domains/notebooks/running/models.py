"""What goes in and comes out where cells are run."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from thoughtbox.domains.notebooks.answers import CellRun
from thoughtbox.domains.notebooks.arguments import CellId, NotebookId
from thoughtbox.domains.notebooks.cell import Status
from thoughtbox.operations import CamelInput, CamelOutput, Key

Pattern = Annotated[str, Field(min_length=1, max_length=500)]
Package = Annotated[Key, Field(max_length=200)]


class RunCell(CamelInput):
    notebook_id: NotebookId
    cell_id: CellId


class RunAll(CamelInput):
    notebook_id: NotebookId
    continue_on_error: Annotated[bool, Field(description="Run the others, too, when one fails.")] = False


class AllRun(CamelOutput):
    notebook_id: str
    status: Status
    runs: list[CellRun]
    count: int
    not_run: list[str]
    """Cells behind one that failed."""


class Interrupt(CamelInput):
    notebook_id: NotebookId


class Interrupted(CamelOutput):
    sparse: ClassVar[bool] = True

    success: Literal[True] = True
    notebook_id: str
    interrupted: bool
    """Whether anything was running."""
    run_id: str | None = None


class InstallPackages(CamelInput):
    notebook_id: NotebookId
    packages: Annotated[
        list[Package] | None,
        Field(
            max_length=100,
            description="Names, perhaps with a version: left-pad@1.3.0 for npm, attrs==25.1.0 for Python."
            " Without any, what the package.json cell names.",
        ),
    ] = None
    language: Annotated[
        Literal["javascript", "typescript", "python"] | None,
        Field(description="For which language; the notebook's when left out."),
    ] = None


class PackagesInstalled(CamelOutput):
    sparse: ClassVar[bool] = True

    success: bool
    notebook_id: str
    packages: list[str]
    manager: Literal["npm", "pip"]
    output: str
    error: str | None = None


class Replay(CamelInput):
    notebook_id: NotebookId
    mask: Annotated[
        list[Pattern] | None,
        Field(
            max_length=20,
            description=r"Patterns of what may differ, such as times and addresses: \d\d:\d\d:\d\d, 0x[0-9a-f]+.",
        ),
    ] = None


class CellReplayed(CamelOutput):
    sparse: ClassVar[bool] = True

    cell_id: str
    filename: str
    same: bool
    why: str | None = None
    """Where it is not the same: what differs."""
    before: str | None = None
    after: str | None = None


class Replayed(CamelOutput):
    notebook_id: str
    same: bool
    cells: list[CellReplayed]
    id: str
    """The record of the verdict."""
