"""What this room says of itself in the description of the gateway, to a caller at every stage.

Some clients read the description once and never again. So it names all there is at every stage, and the stages differ
in what they say of the way on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from thoughtbox.domains.thoughts.standing import Standing

if TYPE_CHECKING:
    from thoughtbox.operations import Focus

_BEGIN = "Go on: session.resume_latest. Begin: start_new {title?, domain?}, cipher, then thought."
_ALL = (
    "thought {thought, revisesThought?, branchFromThought?}; read_thoughts {last?}; get_thought {id};"
    " get_structure; critique; session.list, .get, .brief, .search {query}, .resume, .export, .analyze,"
    " .extract_learnings; knowledge.write_note; mental_models.list_models, .get_model {modelId}, .list_tags"
)

_BY_STAGE = (
    f"{_BEGIN} Open: list_sessions, session.brief.\n{_ALL}",
    f"Next: cipher, which opens thought and mental_models. Another session: session.resume_latest.\n{_ALL}",
    f"All is open. Another session: session.resume_latest, start_new.\n{_ALL}",
    f"All is open; mental_models shows those of your domain.\n{_ALL}",
)
_FORGETFUL = f"{_BEGIN} Send sessionId every time.\n{_ALL}"


def gateway_lines(focus: Focus) -> str:
    """Where to go from here, and all there is."""
    return _BY_STAGE[focus.of(Standing).stage] if focus.lasts else _FORGETFUL
