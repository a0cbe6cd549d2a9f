"""What goes in and comes out. The wire spells it in camelCase."""

from typing import Annotated, Any, Literal, Self

from pydantic import Field

from thoughtbox.domains.trail.thoughts import DEEPEST, hash_of, shorten
from thoughtbox.ledger.record import Record
from thoughtbox.operations import CamelInput, CamelOutput, Key, MaxChars, Text

SHOWN_HASH = 16
SHOWN_IN_TREE = 100
SHOWN_IN_TRAIL = 150
SHOWN_FOR_ACTION = 200

SessionKey = Annotated[Key, Field(description="Session the thoughts belong to; it begins with its first thought.")]
ActionKey = Annotated[Key, Field(description="Action that the thought leads to.")]


class Links(CamelInput):
    """What a thought may be tied to, from the start and for good."""

    session_id: SessionKey
    context_id: Annotated[Key | None, Field(description="Context the thought was had in.")] = None
    action_id: Annotated[Key | None, Field(description="Action the thought leads to.")] = None
    parent_id: Annotated[Key | None, Field(description="Thought of the workspace that this one follows from.")] = None


class RecordThought(Links):
    thought_type: Annotated[Key, Field(max_length=64, description="plan, analysis, decision, reflection, or your own.")]
    content: Annotated[Text, Field(description="The thought, in words.")]


class RecordPlan(Links):
    plan_description: Annotated[Text, Field(description="What is going to be done, and how.")]


class RecordAnalysis(Links):
    analysis: Annotated[Text, Field(description="What was found out, and what it means.")]


class RecordDecision(Links):
    decision: Annotated[Text, Field(description="What was decided, and why.")]


class RecordReflection(Links):
    reflection: Annotated[Text, Field(description="What was learnt, looking back.")]


class ReadTree(CamelInput):
    session_id: Annotated[Key, Field(description="Session of the trail, of the thoughts room, or of both.")]
    include_content: Annotated[bool, Field(description="Give each thought whole, not its first 100 characters.")] = (
        False
    )
    include_children: Annotated[bool, Field(description="Nest each thought's children below it.")] = False
    max_chars: MaxChars = None


class ReadAction(CamelInput):
    action_id: ActionKey
    max_chars: MaxChars = None


class VerifyChain(CamelInput):
    session_id: SessionKey


class LinkThought(CamelInput):
    thought_id: Annotated[Key, Field(description="Thought that was recorded without the action.")]
    action_id: ActionKey


class Receipt(CamelOutput):
    """Proof that a thought was recorded. Hashes are shown in part."""

    thought_id: str
    thought_type: str
    step_index: int
    content_hash: str
    chain_hash: str


class ThoughtRecorded(CamelOutput):
    success: Literal[True] = True
    thought: Receipt

    @classmethod
    def of(cls, record: Record) -> Self:
        said = record.envelope
        return cls.plainly(
            {
                "success": True,
                "thought": {
                    "thoughtId": said["id"],
                    "thoughtType": said["data"]["thoughtType"],
                    "stepIndex": record.stream_index,
                    "contentHash": shorten(hash_of(said["body"]["text"]), SHOWN_HASH),
                    "chainHash": shorten(record.hash.hex(), SHOWN_HASH),
                },
            }
        )


class ThoughtTree(CamelOutput):
    success: Literal[True] = True
    count: Annotated[int, Field(description="Thoughts in the session.")]
    tree: Annotated[
        list[dict[str, Any]],
        Field(
            description="Roots in order of recording; "
            f"a branch deeper than {DEEPEST} goes on in an entry with `continues`."
        ),
    ]


class ActionThought(CamelOutput):
    thought_id: str
    thought_type: str
    session_id: str
    step_index: int
    content: str
    parent_id: str | None
    context_id: str | None
    recorded_at: str


class ThoughtsForAction(CamelOutput):
    success: Literal[True] = True
    action_id: str
    count: int
    thoughts: list[ActionThought]


class ChainVerdict(CamelOutput):
    success: Literal[True] = True
    valid: bool
    message: str
    thought_count: int
    broken_at: Annotated[int | None, Field(description="Step of the first bad thought; null when the chain is whole.")]


class TrailStep(CamelOutput):
    thought_id: str
    thought_type: str
    content: str
    step_index: int


class ReasoningTrail(CamelOutput):
    success: Literal[True] = True
    action_id: str
    has_reasoning: bool
    trail_count: int
    trails: Annotated[list[list[TrailStep]], Field(description="Paths from a root to a thought linked to the action.")]


class Linked(CamelOutput):
    """Never given: thoughts are not linked afterwards."""
