"""What goes in and what comes out. The wire spells it as the records do: camelCase, and relations by their names."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field

from thoughtbox.domains.code.signatures import RELATION_OPTIONS, options_of
from thoughtbox.ledger.record import seq_of
from thoughtbox.operations import CamelInput, CamelOutput, Key, MaxChars, Output, Text
from thoughtbox.sandbox.protocol import Language

LONGEST_LABEL = 200
MOST_REFERENCES = 100
MOST_RECORDS = 1_000


def _is_reference(text: str) -> str:
    if seq_of(text) is None:
        raise ValueError("it must be the id of a record, such as th:17")
    return text


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


Reference = Annotated[str, AfterValidator(_is_reference), Field(description="Id of a record, such as th:17.")]
References = Annotated[
    list[Reference],
    BeforeValidator(_listed, json_schema_input_type=Reference | list[Reference]),
    Field(max_length=MOST_REFERENCES),
]
Label = Annotated[Key, Field(max_length=LONGEST_LABEL)]
Labels = Annotated[list[Label], Field(max_length=50)]
Lines = Annotated[list[Text], Field(max_length=200)]
Session = Annotated[Key | None, Field(description="Session it belongs to; without one, the one you are in.")]
Kind = Literal["claim", "evidence", "question", "plan", "observation", "decision", "revision"]
Relation = Literal[
    "supports", "contradicts", "revises", "derived_from", "answers", "blocks", "refines", "relates_to", "answered_by"
]


def _says(kind: Kind, name: str) -> Any:
    """What the table of builders says of an option: nothing of it is said twice."""
    return Field(description=options_of(kind)[name].says)


def _related(name: str) -> Any:
    return Field(alias=name, description=RELATION_OPTIONS[name].says)


class Authored(CamelInput):
    """What every builder takes beside what its kind has."""

    kind: ClassVar[Kind]

    text: Annotated[Text, Field(description="What it says, in words.")]
    supports: Annotated[References | None, _related("supports")] = None
    contradicts: Annotated[References | None, _related("contradicts")] = None
    revises: Annotated[References | None, _related("revises")] = None
    derived_from: Annotated[References | None, _related("derived_from")] = None
    answers: Annotated[References | None, _related("answers")] = None
    blocks: Annotated[References | None, _related("blocks")] = None
    refines: Annotated[References | None, _related("refines")] = None
    relates_to: Annotated[References | None, _related("relates_to")] = None
    confidence: Annotated[float | None, Field(ge=0, le=1), _says("claim", "confidence")] = None
    labels: Annotated[Labels | None, _says("claim", "labels")] = None
    cipher: Annotated[Text | None, _says("claim", "cipher")] = None
    metrics: Annotated[dict[Label, float] | None, _says("claim", "metrics")] = None
    session: Annotated[Key | None, _says("claim", "session")] = None
    branch: Annotated[Key | None, _says("claim", "branch")] = None


class Claim(Authored):
    kind = "claim"


class Evidence(Authored):
    kind = "evidence"

    source_url: Annotated[Key | None, Field(max_length=2_000), _says("evidence", "sourceUrl")] = None


class Question(Authored):
    kind = "question"

    answered_by: Annotated[References | None, _says("question", "answeredBy")] = None


class Plan(Authored):
    kind = "plan"

    steps: Annotated[Lines, Field(default_factory=list), _says("plan", "steps")]


class Observation(Authored):
    kind = "observation"

    context: Annotated[Text | None, _says("observation", "context")] = None


class Decision(Authored):
    kind = "decision"

    alternatives_considered: Annotated[Lines | None, _says("decision", "alternativesConsidered")] = None


class Revision(Authored):
    kind = "revision"

    replaces_id: Annotated[Reference, _says("revision", "replacesId")]


class HostWritten(CamelInput):
    """Whatever is sent: it is refused."""

    model_config = ConfigDict(extra="allow")


class Written(CamelOutput):
    id: str
    kind: Kind
    session: str


class AuthorRecords(CamelInput):
    records: Annotated[
        list[dict[str, Any]],
        Field(min_length=1, max_length=MOST_RECORDS, description="Each with its kind, text and options, in order."),
    ]
    session: Session = None


class Handle(CamelOutput):
    id: str
    kind: str


class RecordsWritten(CamelOutput):
    records: list[Handle]
    session: str


class ReadAuthored(CamelInput):
    session: Annotated[
        Key | None, Field(description="Records of this session; without one, of the one you are in.")
    ] = None
    about: Annotated[Reference | None, Field(description="Records that refer to this one, of any session.")] = None
    relation: Annotated[Relation | None, Field(description="Only those that refer to it so.")] = None
    kind: Annotated[Kind | None, Field(description="Only those of this kind.")] = None
    branch: Annotated[Key | None, Field(description="Only those of this branch.")] = None
    limit: Annotated[int, Field(ge=1, le=500, description="How many in one answer.")] = 50
    cursor: Annotated[str | None, Field(description="Where the page before ended.")] = None
    max_chars: MaxChars = None


class AuthoredShown(CamelOutput):
    sparse: ClassVar[bool] = True

    id: str
    kind: str
    text: str
    session: str
    branch: str | None = None
    ts: str
    agent: str
    refs: list[str] | None = None
    confidence: float | None = None
    labels: list[str] | None = None
    attrs: dict[str, Any] | None = None


class AuthoredListed(CamelOutput):
    sparse: ClassVar[bool] = True

    records: list[AuthoredShown]
    cursor: str | None = None


class FindAuthored(CamelInput):
    query: Annotated[Text, Field(max_length=1_000, description="A question, or words.")]
    limit: Annotated[int, Field(ge=1, le=100, description="How many in one answer.")] = 20
    offset: Annotated[int, Field(ge=0, le=1_000_000, description="How many to pass over.")] = 0
    max_chars: MaxChars = None


class AuthoredHit(CamelOutput):
    id: str
    kind: str
    session: str
    ts: str
    snippet: str


class AuthoredFound(CamelOutput):
    sparse: ClassVar[bool] = True

    records: list[AuthoredHit]
    next_offset: int | None = None
    message: str | None = None


class SetVariable(CamelInput):
    name: Annotated[Key, Field(max_length=100, description="What it is called in this session.")]
    value: Annotated[Any, Field(description="Any JSON; null counts as a value.")] = None
    session: Session = None


class NameVariable(CamelInput):
    name: Annotated[Key, Field(max_length=100, description="What it is called.")]
    session: Session = None


class ListVariables(CamelInput):
    session: Session = None


class VariableShown(Output):
    name: str
    value: Any
    found: bool


class VariableSet(Output):
    name: str
    value: Any
    session: str


class VariablesListed(Output):
    vars: list[str]
    """Their names."""


class VariableDeleted(Output):
    name: str
    deleted: bool


class ReadDeclarations(CamelInput):
    language: Annotated[Literal["typescript", "python"], Field(description="In which language.")]
    names: Annotated[
        list[Key] | None, Field(max_length=100, description="Rooms, families or operations; without them, all.")
    ] = None


class Declared(CamelOutput):
    language: str
    text: str


class Search(CamelInput):
    query: Annotated[str | None, Field(description="Words.")] = None
    code: Annotated[str | None, Field(description="Or a snippet.")] = None
    language: Annotated[Language | None, Field(description="Of it.")] = None
    limit: Annotated[int, Field(ge=1, le=50, description="Of hits.")] = 8


class Searched(CamelOutput):
    sparse: ClassVar[bool] = True
    listed: ClassVar[bool] = False

    result: Any = None
    logs: list[str] | None = None
    language: Language | None = None


class Execute(CamelInput):
    code: Annotated[str, Field(description="The snippet.")]
    language: Annotated[Language | None, Field(description="Else detected.")] = None
    session: Annotated[Key | None, Field(description="Of its records.")] = None


class Executed(CamelOutput):
    listed: ClassVar[bool] = False

    result: Any
    logs: list[str]
    language: Language
    records: list[Any]
    """Those just written: id and kind; `last` where several of a kind follow each other."""
    session: Annotated[str | None, Field(description="Where they went, unless you named it or are in it.")] = None
