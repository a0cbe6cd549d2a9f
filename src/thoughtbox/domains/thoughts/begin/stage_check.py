"""How other rooms ask whether a caller has come as far as one of their operations needs."""

from typing import Annotated, ClassVar

from pydantic import Field

from thoughtbox.domains.thoughts.room import room
from thoughtbox.domains.thoughts.stages import refuse_or_hint
from thoughtbox.errors import StageRequirementNotMet
from thoughtbox.operations import TABLE, CamelInput, CamelOutput, Example, Key, Tx


class CheckStage(CamelInput):
    name: Annotated[Key, Field(description="The operation that is to be run.")]
    stage: Annotated[int, Field(ge=0, le=3, description="The stage that it belongs to.")]


class StageChecked(CamelOutput):
    sparse: ClassVar[bool] = True

    hint: str | None = None
    """Where stages only guide: what the caller has not done yet."""


@room.operation(
    "stage_check",
    hidden=True,
    title="Check a caller's stage",
    errors=[StageRequirementNotMet],
    example=Example({"name": "notebook.create", "stage": 2}),
)
def stage_check(tx: Tx, call: CheckStage) -> StageChecked:
    """Refuse a caller who has not come to a stage, or have a hint where stages only guide."""
    return StageChecked(hint=refuse_or_hint(tx, TABLE.look_up(call.name), call, call.stage))
