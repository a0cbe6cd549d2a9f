"""Arguments that several operations of this room take."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from thoughtbox.domains.notebooks.cell import LONGEST_FILENAME
from thoughtbox.ledger.record import seq_of
from thoughtbox.operations import LONGEST_TEXT, Key

LONGEST_NAME = 200


def _is_run(text: str) -> str:
    if seq_of(text) is None:
        raise ValueError("it must be the id of a run, such as th:17")
    return text


def _is_record(text: str) -> str:
    if seq_of(text) is None:
        raise ValueError("it must be the id of a record, such as th:17")
    return text


NotebookId = Annotated[Key, Field(description="Id of the notebook, or `latest`: the one that changed last.")]
CellId = Annotated[Key, Field(description="Id of the cell, or its filename.")]
NameOfNotebook = Annotated[Key, Field(max_length=LONGEST_NAME)]
Filename = Annotated[Key, Field(max_length=LONGEST_FILENAME)]
AnyLanguage = Literal["javascript", "typescript", "python"]
Content = Annotated[str, Field(max_length=LONGEST_TEXT)]
Position = Annotated[int, Field(ge=0, le=1_000_000)]
RunId = Annotated[str, AfterValidator(_is_run), Field(description="Id of a run, such as th:17.")]
RecordId = Annotated[str, AfterValidator(_is_record)]
