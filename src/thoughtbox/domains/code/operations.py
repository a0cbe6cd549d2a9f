"""The way in: importing this enters all of the room's operations into the table."""

from thoughtbox.domains.code import authoring, execute, reading, search, variables

__all__ = ["authoring", "execute", "reading", "search", "variables"]
