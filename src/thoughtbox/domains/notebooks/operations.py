"""The verbs of this room, each in the file of what it is about."""

from __future__ import annotations

from thoughtbox.domains.notebooks import cells, evidence, files, keeping, looking
from thoughtbox.domains.notebooks.running import installing, operations, replaying

__all__ = ["cells", "evidence", "files", "installing", "keeping", "looking", "operations", "replaying"]
