"""Prompts: texts that agents can start from."""

from __future__ import annotations

from thoughtbox import content
from thoughtbox.domains.thoughts.room import room
from thoughtbox.operations import Prompt

SHAPES = {"thoughts_limit": r"[0-9]+", "sessionId": r"latest|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"}

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
            shapes={name: shape for name, shape in SHAPES.items() if name in optional},
        )
    )
