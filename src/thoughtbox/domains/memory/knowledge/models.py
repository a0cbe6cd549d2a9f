"""What goes in and what comes out of the knowledge tools."""

from typing import Annotated, Any, Literal

from pydantic import Field

from thoughtbox.domains.memory.knowledge.experience import Domain, Scope, Type
from thoughtbox.operations import Input, MaxChars, Output, Text

TypeOf = Annotated[Type, Field(description="Whether it worked: effective or ineffective.")]
DomainOf = Annotated[Domain, Field(description="What it is about.")]
Situation = Annotated[Text, Field(description="What was to be done, and in which circumstances.")]
Approach = Annotated[Text, Field(description="What was tried.")]
OutcomeOf = Annotated[Text, Field(description="What came of it.")]
Reasoning = Annotated[Text, Field(description="Why it came so: what to learn from it.")]
Sureness = Annotated[float, Field(ge=0, le=1, description="How sure this is, from 0 to 1.")]
Tag = Annotated[Text, Field(max_length=100)]
Tags = Annotated[list[Tag], Field(max_length=50, description="Words to find and group it by.")]
ScopeOf = Annotated[Scope, Field(description="Whether it is for this project, or for all: project or global.")]
Stated = Annotated[
    Literal["agent", "user"],
    Field(description="Whose knowledge it is: an agent's own, or what a user has stated, which is trusted more."),
]
ExperienceId = Annotated[int, Field(ge=1, description="The number of an experience.")]
ProjectPath = Annotated[Text, Field(max_length=4096, description="A file inside the project's folder.")]


class RecordExperience(Input):
    type: TypeOf
    domain: DomainOf
    situation: Situation
    approach: Approach
    outcome: OutcomeOf
    reasoning: Reasoning
    confidence: Sureness | None = Field(default=None, description="How sure this is, from 0 to 1.")
    tags: Annotated[Tags, Field(default_factory=list)]
    revision_of: Annotated[int | None, Field(ge=1, description="The experience that this takes the place of.")] = None
    scope: ScopeOf = "project"
    source: Stated = "agent"


class ExperienceRecorded(Output):
    sparse = True

    recorded: bool
    experience_id: int | None = None
    trust: Annotated[int | None, Field(description="How far it is trusted to begin with, from 0 to 3.")] = None
    duplicate_id: Annotated[int | None, Field(description="The experience that says nearly the same.")] = None
    similarity: Annotated[float | None, Field(description="How nearly, from 0 to 1.")] = None
    message: str


class SearchExperiences(Input):
    query: Annotated[
        str, Field(min_length=1, max_length=10_000, description="Words, any of which is looked for; best fits first.")
    ]
    domain: Annotated[Domain | None, Field(description="Only experiences about this.")] = None
    type: Annotated[Type | None, Field(description="Only what worked, or only what did not.")] = None
    min_confidence: Annotated[
        float | None, Field(ge=0, le=1, description="Only experiences that are at least as sure as this.")
    ] = None
    scope: Annotated[
        Scope, Field(description="project shows what is the project's own and what is global; global shows only that.")
    ] = "project"
    limit: Annotated[int, Field(ge=1, le=100, description="How many in one answer.")] = 20
    offset: Annotated[int, Field(ge=0, le=10_000, description="next_offset of the page before.")] = 0
    include_superseded: Annotated[
        bool, Field(description="Also what newer versions have taken the place of, and what is archived.")
    ] = False
    max_chars: MaxChars = None


class ExperienceShown(Output):
    """An experience with all its columns. Times are milliseconds since 1970."""

    id: int
    type: str
    domain: str
    situation: str
    approach: str
    outcome: str
    reasoning: str
    confidence: float | None
    tags: list[str]
    scope: str
    created_at: int
    original_id: Annotated[int | None, Field(description="The first of its line; none for the first itself.")]
    revision_of: int | None
    revision_reason: str | None
    updated_at: int
    archived_at: int | None
    archive_reason: str | None
    trust: Annotated[int, Field(description="0 untrusted, 1 unverified, 2 stated by a user, 3 verified.")]
    source: Annotated[str, Field(description="Where it comes from: agent, user or import.")]
    access_count: int
    last_accessed_at: int | None


class ExperienceFound(ExperienceShown):
    rank: Annotated[float, Field(description="BM25, negated: the lower, the better it fits.")]
    superseded_by: Annotated[int | None, Field(description="The newest version, if this is not it.")]


class SearchFilters(Output):
    domain: str | None
    type: str | None
    min_confidence: float | None
    scope: str


class ExperiencesFound(Output):
    results: list[ExperienceFound]
    count: Annotated[int, Field(description="How many are shown here.")]
    query: str
    filters: SearchFilters
    has_more: bool
    next_offset: int | None
    message: Annotated[str | None, Field(description="What there is to say of what was asked or found.")]


class GetExperience(Input):
    id: ExperienceId


class PreviousVersion(Output):
    id: int
    situation: str
    approach: str
    outcome: str
    created_at: int


class VersionShown(Output):
    id: int
    revision_of: int | None
    created_at: int
    reason: str | None


class ExperienceGot(ExperienceShown):
    context: Annotated[dict[str, Any] | None, Field(description="What led to it where it was imported from.")]
    previous_version: Annotated[PreviousVersion | None, Field(description="What it took the place of.")]
    newer_versions: Annotated[list[PreviousVersion], Field(description="What took its place, the newest first.")]
    revisions: Annotated[list[VersionShown], Field(description="All versions of its line, the newest first.")]


class Changes(Input):
    """What to say otherwise; the rest stays."""

    type: Annotated[Type | None, Field(description="Whether it worked.")] = None
    domain: Annotated[Domain | None, Field(description="What it is about.")] = None
    situation: Annotated[Text | None, Field(description="What was to be done, and in which circumstances.")] = None
    approach: Annotated[Text | None, Field(description="What was tried.")] = None
    outcome: Annotated[Text | None, Field(description="What came of it.")] = None
    reasoning: Annotated[Text | None, Field(description="Why it came so.")] = None
    confidence: Annotated[float | None, Field(ge=0, le=1, description="How sure this is; null for not said.")] = None
    tags: Annotated[list[Tag] | None, Field(max_length=50, description="All its tags, in place of those it had.")] = (
        None
    )


class UpdateExperience(Input):
    id: ExperienceId
    changes: Annotated[Changes, Field(description="The fields that change, with what they are to say.")]
    reason: Annotated[Text, Field(max_length=4000, description="Why: kept with the new version.")]
    source: Stated = "agent"


class ExperienceUpdated(Output):
    updated: bool
    original_id: Annotated[int, Field(description="The experience that was revised. It stays as it was.")]
    new_id: Annotated[int, Field(description="Its new version.")]
    message: str


class TagExperience(Input):
    id: ExperienceId
    tags: Annotated[list[Tag], Field(min_length=1, max_length=50, description="Tags to add to those it has.")]


class ExperienceTagged(Output):
    updated: Annotated[bool, Field(description="Whether it had not all of them before.")]
    experience_id: int
    tags: list[str]
    message: str


class ExportFilter(Input):
    domain: Annotated[Domain | None, Field(description="Only experiences about this.")] = None
    type: Annotated[Type | None, Field(description="Only what worked, or only what did not.")] = None
    tags: Annotated[
        list[Tag], Field(default_factory=list, max_length=50, description="Only experiences with all of these tags.")
    ]


class ExportExperiences(Input):
    format: Annotated[
        Literal["json", "markdown"], Field(description="json can be imported again; markdown is to read.")
    ]
    filter: Annotated[ExportFilter, Field(description="Which experiences; all, if not given.")] = ExportFilter()
    output_path: Annotated[
        str | None,
        Field(min_length=1, max_length=4096, description="A file inside the project to write; else they come back."),
    ] = None
    overwrite: Annotated[bool, Field(description="Whether a file that is there may be replaced.")] = False
    max_chars: MaxChars = None


class ExperiencesExported(Output):
    sparse = True

    exported: bool
    count: int
    format: str
    output: Annotated[list[ExperienceShown] | str | None, Field(description="The experiences, unless to a file.")] = (
        None
    )
    output_path: str | None = None
    message: str


class ImportExperiences(Input):
    filename: Annotated[
        Text, Field(max_length=4096, description="A JSON file inside the project: an array, or {experiences: [...]}.")
    ]
    filter: Annotated[ExportFilter, Field(description="Which of its experiences; all, if not given.")] = ExportFilter()


class Skipped(Output):
    row: Annotated[int, Field(description="Which one it was in the file, from 1.")]
    error: str


class ExperiencesImported(Output):
    imported: int
    skipped: Annotated[int, Field(description="Those that could not be taken in, or that the filter leaves out.")]
    duplicates: Annotated[int, Field(description="Those that were here already, or that say nearly the same.")]
    total: int
    errors: Annotated[list[Skipped], Field(description="Why some could not be taken in: the first five.")]
    message: str


class ImportStore(Input):
    path: ProjectPath


class TableImported(Output):
    table: str
    rows: int
    imported: int
    already_here: Annotated[int, Field(description="Rows that were brought over before, or that say nearly the same.")]
    left_out: int
    why: Annotated[str | None, Field(description="Why rows were left out.")]


class StoreImported(Output):
    source: str
    tables: list[TableImported]
    experiences: int
    episodes: int
    errors: Annotated[list[Skipped], Field(description="Rows that could not be read: the first five.")]
    message: str


class FindAlike(Input):
    text: Annotated[str, Field(description="A text.")]
    type: TypeOf
    domain: DomainOf


class AlikeFound(Output):
    records: Annotated[list[int], Field(description="Numbers of records that share rare words with it.")]
