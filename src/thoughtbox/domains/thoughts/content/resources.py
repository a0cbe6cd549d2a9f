"""What agents can read and start from: resources, prompts, and the values that complete an argument."""

from __future__ import annotations

from collections.abc import Iterable

from thoughtbox import content
from thoughtbox.domains.thoughts.content.mental_models import directory, models, tags
from thoughtbox.domains.thoughts.knowledge.view import Knowledge
from thoughtbox.domains.thoughts.room import room
from thoughtbox.domains.thoughts.view.thoughts import Thoughts
from thoughtbox.operations import Prompt, Resource, Tx

MARKDOWN = "text/markdown"


def _sessions(tx: Tx, after: str, limit: int) -> list[str]:
    return tx.ask(Thoughts).session_ids("", limit, after=after)


def _beginning(typed: str, names: Iterable[str], limit: int) -> list[str]:
    return [name for name in names if name.startswith(typed)][:limit]


def _tags(tx: Tx, typed: str, limit: int) -> list[str]:
    """Of mental models, and of sessions."""
    return _beginning(typed, dict.fromkeys([*tags(), *tx.ask(Thoughts).tags(typed, limit)]), limit)


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

for name, title, description, arguments, optional in (
    ("list_mcp_assets", "What there is", "Overview of all tools, operations, resources and prompts.", {}, {}),
    (
        "interleaved-thinking",
        "Think and act in turns",
        "Alternate reasoning with tool use, and record both.",
        {"task": "What is to be done."},
        {"thoughts_limit": "How many thoughts at most."},
    ),
    (
        "subagent-summarize",
        "Have a sub-agent read a session",
        "Get an answer from a session without reading it into your own context.",
        {},
        {"request": "What to find out.", "sessionId": "The session; the latest when left out."},
    ),
    (
        "evolution-check",
        "Which thoughts to revise",
        "Look which earlier thoughts a new one should revise or be linked to.",
        {"newThought": "The new thought."},
        {"sessionId": "The session; the latest when left out.", "priorThoughts": "Earlier thoughts, if at hand."},
    ),
):
    room.prompt(
        Prompt(
            name=name,
            title=title,
            description=description,
            text=content.text(f"prompts/{name}.md"),
            arguments=arguments,
            optional=optional,
        )
    )

room.completion("sessionId", lambda tx, typed, limit: tx.ask(Thoughts).session_ids(typed, limit))
room.completion("tag", _tags)
room.completion("model", lambda tx, typed, limit: _beginning(typed, models(), limit))
room.completion("modelId", lambda tx, typed, limit: _beginning(typed, models(), limit))
room.completion("patternId", lambda tx, typed, limit: tx.ask(Knowledge).ids("pattern", typed, limit))
room.completion("noteId", lambda tx, typed, limit: tx.ask(Knowledge).ids("note", typed, limit))
