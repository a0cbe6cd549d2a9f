"""The gateway: one tool that leads to every operation, described anew at every stage."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import ConfigDict, Field

from thoughtbox.domains.thoughts.room import room
from thoughtbox.errors import InvalidOperation, StageRequirementNotMet
from thoughtbox.operations import CamelInput, Example, Output, Tx
from thoughtbox.operations.gateway import route

_ALWAYS = (
    "Thoughtbox keeps your reasoning: thoughts, branches, revisions, decisions, in a ledger that people can check. "
    "Arguments go beside `operation` or in `args`; sub-operations as `session.get` or in `subOperation`."
)
_OPEN = (
    "get_state | start_new {sessionTitle, domain?} | load_context {sessionId} | list_sessions {tags?, search?} | "
    "navigate {project?, task?, domain?} | list_roots | bind_root {rootUri}"
)
_SESSIONS = (
    "session: list, get, search {query}, resume, resume_latest, export {format}, analyze, extract_learnings, rename, "
    "tag, complete, delete, verify | knowledge: write_note, list_patterns {search?}, promote"
)
_THINKING = (
    "thought {thought, thoughtNumber?, nextThoughtNeeded?, revisesThought?, branchId?, branchFromThought?, critique?}"
    " | read_thoughts {last?, thoughtNumber?, branchId?, kind?, refersTo?} | get_structure"
    " | critique {thoughtNumber, text} | mental_models: list_models {tag?}, get_model {modelId}, list_tags"
)
_ANY = "Operations of other rooms go by their name, such as thought_record or ledger_verify."

_ALL = f"Now: {_THINKING} | {_SESSIONS} | {_OPEN} | cipher."

DESCRIPTIONS: dict[int | None, str] = {
    None: f"{_ALWAYS}\nBegin with start_new, then cipher; send sessionId every time.\n{_ALL}\n{_ANY}",
    0: f"{_ALWAYS}\nBegin with start_new or load_context.\nNow: {_OPEN}.\nLater: cipher, session, thought.\n{_ANY}",
    1: f"{_ALWAYS}\nNext: cipher, which opens thought.\nNow: {_OPEN} | cipher | {_SESSIONS}.\n{_ANY}",
    2: f"{_ALWAYS}\n{_ALL}\n{_ANY}",
    3: f"{_ALWAYS}\nmental_models shows those of your domain.\n{_ALL}\n{_ANY}",
}


class GatewayCall(CamelInput):
    model_config = ConfigDict(extra="allow")

    operation: Annotated[str, Field(description="What to do.")]
    sub_operation: Annotated[str | None, Field(description="Of session, knowledge, mental_models.")] = None
    args: Annotated[dict[str, Any] | None, Field(description="Its arguments, if not beside `operation`.")] = None


class Routed(Output):
    """The answer of the operation that was meant."""

    model_config = ConfigDict(extra="allow")


@room.operation(
    "thoughtbox_gateway",
    writes=True,
    title="Thoughtbox",
    route=route,
    described=DESCRIPTIONS,
    errors=[InvalidOperation, StageRequirementNotMet],
    example=Example({"operation": "start_new", "sessionTitle": "Slow pages"}),
)
def thoughtbox_gateway(tx: Tx, call: GatewayCall) -> Routed:
    """Run any operation by its name."""
    raise InvalidOperation("the gateway leads to other operations and does nothing itself")
