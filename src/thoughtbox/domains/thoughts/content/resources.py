"""Resources: what agents can read under an address."""

from __future__ import annotations

from thoughtbox import content
from thoughtbox.domains.thoughts.content.mental_models import directory
from thoughtbox.domains.thoughts.room import room
from thoughtbox.domains.thoughts.view.thoughts import Thoughts
from thoughtbox.operations import Resource, Tx

MARKDOWN = "text/markdown"


def _sessions(tx: Tx, after: str, limit: int) -> dict[str, str]:
    view = tx.ask(Thoughts)
    ids = view.session_ids("", limit, after=after)
    return {session_id: session.title if (session := view.session(session_id)) else session_id for session_id in ids}


for address, title, description, file in (
    ("init", "How to begin", "Stages, the calls to begin and to resume with.", "resources/init.md"),
    ("architecture", "How Thoughtbox is built", "Doors, operations, the ledger, views.", "resources/architecture.md"),
    ("cipher", "The cipher", "The notation for thoughts.", "cipher.md"),
    ("patterns-cookbook", "Patterns of reasoning", "Patterns with the calls to make.", "patterns-cookbook.md"),
    (
        "session-analysis-guide",
        "How to analyse sessions",
        "What the figures say, and how to learn from a session.",
        "resources/session-analysis-guide.md",
    ),
):
    room.resource(
        Resource(
            uri=f"thoughtbox://{address}",
            name=address,
            title=title,
            description=description,
            text=content.text(file),
            mime=MARKDOWN,
        )
    )

room.resource(
    Resource(
        uri="thoughtbox://mental-models",
        name="mental-models",
        title="Mental models",
        description="All mental models with their tags.",
        text=directory(),
    )
)
room.resource(
    Resource(
        uri="thoughtbox://mental-models/{tag}/{model}",
        name="mental-model",
        title="A mental model",
        description="One mental model in full, below one of its tags.",
        operation="mental_models.page",
        part="content",
        mime=MARKDOWN,
    )
)
room.resource(
    Resource(
        uri="thoughtbox://session/{sessionId}",
        name="session",
        title="A session of thought",
        description="A session with its thoughts.",
        operation="session.get",
        listed=_sessions,
        stream="thoughts/{sessionId}",
    )
)
room.resource(
    Resource(
        uri="thoughtbox://thought/{id}",
        name="thought",
        title="A thought",
        description="One thought, by its id (th:17) or its node id.",
        operation="get_thought",
    )
)
