"""What goes into learning from a session and what comes out. The wire spells it in camelCase."""

from typing import Annotated, Literal, get_args

from pydantic import Field

from thoughtbox.operations import CamelInput, CamelOutput, Key, Text

LearningType = Literal["pattern", "anti-pattern", "signal"]
TYPES: tuple[LearningType, ...] = get_args(LearningType)
Form = Literal["decision", "revision", "rejection", "plan", "moment", "repetition", "figures"]


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
    specificity: Annotated[Score, Field(description="1: very general, 10: very specific.")]
    applicability: Annotated[Score, Field(description="How broadly it applies.")]
    complexity: Annotated[Score, Field(description="How much there is to it.")]
    maturity: Annotated[Score, Field(description="How well it is proven.")]


class LearningMetadata(CamelOutput):
    source_session: str
    source_thoughts: Annotated[list[int], Field(description="Numbers of the thoughts it comes from.")]
    extracted_at: str
    behavior_characteristics: BehaviorCharacteristics


class ExtractedLearning(CamelOutput):
    """A proposal: what a session teaches, and which of its thoughts say so."""

    id: Annotated[str, Field(description="The same whenever the same thoughts are mined; promotes the learning.")]
    type: LearningType
    title: str
    description: str
    content: Annotated[str, Field(description="Markdown, or JSON where `targetPath` says so.")]
    target_path: str
    metadata: LearningMetadata
