"""The verbs of automation, by what they are for."""

from __future__ import annotations

from thoughtbox.domains.memory.automation import context, hooking, importing, standing

__all__ = ["context", "hooking", "importing", "standing"]
