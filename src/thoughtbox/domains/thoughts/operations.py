"""The way in: importing this enters all of the room's operations into the table."""

from thoughtbox.domains.thoughts import gateway, mental_models, reference
from thoughtbox.domains.thoughts.knowledge import operations as knowledge
from thoughtbox.domains.thoughts.opening import operations as opening
from thoughtbox.domains.thoughts.room import room
from thoughtbox.domains.thoughts.session import operations as session
from thoughtbox.domains.thoughts.thinking import operations as thinking

__all__ = ["gateway", "knowledge", "mental_models", "opening", "reference", "room", "session", "thinking"]
