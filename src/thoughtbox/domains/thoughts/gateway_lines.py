"""What this room says of itself in the description of the gateway, to a caller at every stage."""

from __future__ import annotations

from thoughtbox.domains.thoughts.standing import Standing
from thoughtbox.operations import Focus

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

_ALL = f"Now: {_THINKING} | {_SESSIONS} | {_OPEN} | cipher."

_BY_STAGE = (
    f"Begin with start_new or load_context.\nNow: {_OPEN}.\nLater: cipher, session, thought.",
    f"Next: cipher, which opens thought.\nNow: {_OPEN} | cipher | {_SESSIONS}.",
    _ALL,
    f"mental_models shows those of your domain.\n{_ALL}",
)
_FORGETFUL = f"start_new first; send sessionId every time.\n{_ALL}"


def gateway_lines(focus: Focus) -> str:
    """What can be done from here; to those of whom nothing is remembered, all of it."""
    return _BY_STAGE[focus.of(Standing).stage] if focus.lasts else _FORGETFUL
