"""The verbs of jobs and runners, by what they are for."""

from __future__ import annotations

from thoughtbox.domains.mind.jobs import handing, reading, runners, working

__all__ = ["handing", "reading", "runners", "working"]
