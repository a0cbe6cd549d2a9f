"""What goes in and comes out where runs are cited."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from thoughtbox.domains.notebooks.arguments import NotebookId, RecordId, RunId
from thoughtbox.operations import CamelInput, CamelOutput, Key, Text


class Cite(CamelInput):
    run_id: RunId
    target: Annotated[
        RecordId, Field(description="Id of the thought, card, decision or claim that it is evidence for: th:17.")
    ]
    relation: Annotated[
        Literal["supports", "contradicts", "answers", "refines", "relates_to"],
        Field(description="What the run is to it."),
    ] = "supports"
    note: Annotated[Text | None, Field(max_length=10_000, description="What the run shows, in words.")] = None


class Cited(CamelOutput):
    success: Literal[True] = True
    id: str
    """The evidence itself: a record that others can refer to."""
    run_id: str
    run_hash: str
    target: str
    relation: str
    notebook_id: str
    cell_id: str
    uri: str


class Citations(CamelInput):
    targets: Annotated[
        list[RecordId] | None,
        Field(max_length=10_000, description="Runs that are evidence for any of these records."),
    ] = None
    notebook_id: Annotated[NotebookId | None, Field(description="Runs of this notebook that are evidence.")] = None


class CitationShown(CamelOutput):
    id: str
    run_id: str
    run_hash: str
    target: str
    relation: str
    notebook_id: str
    notebook: str
    text: str
    at: str


class CitationsListed(CamelOutput):
    sparse: ClassVar[bool] = True

    citations: list[CitationShown]
    count: int


class GetRun(CamelInput):
    run_id: RunId


class CitedFor(CamelInput):
    session: Annotated[Key, Field(description="The session of what the runs are evidence for.")]


class RunCited(CamelOutput):
    id: str
    run_id: str
    run_hash: str
    relation: str
    target: str


class NotebookCited(CamelOutput):
    notebook_id: str
    name: str
    runs: list[RunCited]


class NotebooksCited(CamelOutput):
    notebooks: list[NotebookCited]
