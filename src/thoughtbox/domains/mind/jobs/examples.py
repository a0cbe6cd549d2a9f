"""Calls that examples begin with."""

from __future__ import annotations

CREATE = ("tasks_jobs_create", {"title": "Measure cold reads", "prompt": "Run the bench twice; report the median."})
CLAIM = ("tasks_jobs_claim", {"job": "JOB-001", "runner_id": "runner-1"})
HELD = {"job": "JOB-001", "runner_id": "runner-1", "claim_revision": 1}
DONE = ("tasks_jobs_complete", {**HELD, "summary": "Cold reads take 4 ms.\nCMD: make bench"})
