"""The way in: importing this enters all of the room's operations into the table."""

from thoughtbox.domains.thoughts.begin import operations as begin
from thoughtbox.domains.thoughts.begin import stage_check
from thoughtbox.domains.thoughts.content import completions, mental_models, prompts, resources
from thoughtbox.domains.thoughts.knowledge import notes, patterns
from thoughtbox.domains.thoughts.room import room
from thoughtbox.domains.thoughts.sessions import importing
from thoughtbox.domains.thoughts.sessions import operations as sessions
from thoughtbox.domains.thoughts.think import branches
from thoughtbox.domains.thoughts.think import operations as think

__all__ = [
    "begin",
    "branches",
    "completions",
    "importing",
    "mental_models",
    "notes",
    "patterns",
    "prompts",
    "resources",
    "room",
    "sessions",
    "stage_check",
    "think",
]
