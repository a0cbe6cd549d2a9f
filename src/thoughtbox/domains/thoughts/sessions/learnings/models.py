"""What goes into learning from a session and what comes out. The wire spells it in camelCase."""

from typing import Annotated, ClassVar, Literal, get_args

from pydantic import Field

from thoughtbox.operations import CamelInput, CamelOutput, Key, Text

LearningType = Literal["pattern", "anti-pattern", "signal"]
TYPES: tuple[LearningType, ...] = get_args(LearningType)
Form = Literal[
    "decision",
    "plan",
    "overturned",
    "rejection",
    "branch",
    "corrected",
    "untested",
    "question",
    "ending",
    "moment",
    "repetition",
]


class KeyMoment(CamelInput):
    """A thought that whoever asks holds to be important."""

    thought_number: Annotated[int, Field(ge=1, description="Number of the thought.")]
    branch_id: Annotated[Key | None, Field(description="Branch it stands on; the main line when left out.")] = None
    type: Annotated[
        Literal["decision", "insight", "pivot", "revision"] | None, Field(description="What kind of moment it was.")
    ] = None
    significance: Annotated[int | None, Field(ge=1, le=10, description="1 to 10; raises the maturity.")] = None
    summary: Annotated[Text | None, Field(max_length=2000, description="Why it matters, in a sentence.")] = None


Score = Annotated[int, Field(ge=1, le=10)]


class BehaviorCharacteristics(CamelOutput):
    specificity: Annotated[Score, Field(description="1, and one more for each figure or name in what is held.")]
    applicability: Annotated[Score, Field(description="1, and three more for each other session that said the same.")]
    complexity: Annotated[Score, Field(description="The steps of it, and the thoughts that it rests on.")]
    maturity: Annotated[Score, Field(description="Evidence that stands, done or not, less grounds that fell.")]


class LearningMetadata(CamelOutput):
    sparse: ClassVar[bool] = True

    source_session: str
    source_thoughts: Annotated[list[int], Field(description="Numbers of the thoughts it comes from.")]
    extracted_at: str
    behavior_characteristics: Annotated[
        BehaviorCharacteristics | None, Field(description="In the full form; docs/analysis.md has the formulas.")
    ] = None


class ExtractedLearning(CamelOutput):
    """A proposal: what a session teaches, and which of its thoughts say so."""

    sparse: ClassVar[bool] = True

    id: Annotated[str, Field(description="The same whenever the same thoughts are mined; promotes the learning.")]
    type: LearningType
    about: Annotated[list[str], Field(description="The thoughts it is about: `12`, or `alt:12` on a branch.")]
    content: Annotated[str, Field(description="Markdown. What stands behind `>` is quoted from thoughts.")]
    target_path: str
    metadata: LearningMetadata
    title: Annotated[str | None, Field(description="In the full form.")] = None
    description: Annotated[str | None, Field(description="In the full form.")] = None
