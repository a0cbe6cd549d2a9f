"""The verbs of plans, tasks and steps."""

from __future__ import annotations

from thoughtbox.domains.mind.tasks import leasing, looking, resuming, shaping, stepping

__all__ = ["leasing", "looking", "resuming", "shaping", "stepping"]
