"""The way in: importing this enters all of the room's operations into the table."""

from thoughtbox.domains.thoughts import (
    gateway,
    knowledge,
    mental_models,
    opening,
    reference,
    session_operations,
    thinking,
)
from thoughtbox.domains.thoughts.room import room

__all__ = ["gateway", "knowledge", "mental_models", "opening", "reference", "room", "session_operations", "thinking"]
