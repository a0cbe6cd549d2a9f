"""What a job is, and the states it goes through."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

JOB_TOPIC, RUNNER_TOPIC = "mind.job", "mind.runner"
JOBS_STREAM, RUNNERS_STREAM = "mind/jobs", "mind/runners"

JOB_ID = re.compile(r"JOB-[0-9]{3,15}")
EVENT_REF = re.compile(r"(?P<job>JOB-[0-9]{3,15})@(?P<seq>[1-9][0-9]{0,17})")
RUNNER_PREFIX = "runner:"

QUEUED, RUNNING = "QUEUED", "RUNNING"
TERMINAL = ("DONE", "FAILED", "CANCELED")
STATUSES = (QUEUED, RUNNING, *TERMINAL)
PRIORITIES = ("LOW", "MEDIUM", "HIGH")

LONGEST_TITLE, LONGEST_SUMMARY, LONGEST_PROMPT = 200, 800, 50_000
LONGEST_KIND, LONGEST_MESSAGE = 32, 400
LONGEST_REF, MOST_REFS = 128, 32

CLAIM_TTL_MS, LEASE_TTL_MS = 180_000, 20_000
SHORTEST_TTL_MS, LONGEST_TTL_MS = 1_000, 300_000

HEARTBEAT = "heartbeat"
OF_STATES = ("created", "claimed", "reclaimed", "completed", "failed", "requeued", "canceled", "message")
"""Kinds of events that the verbs write by themselves."""
NEEDS_MANAGER = ("question", "blocker", "needs_manager")
"""Kinds of events that wait for somebody's word; a message is one."""
NEEDS_PROOF = "needs_proof"
ERRORS = ("error", "failed")
FLAGS = ("needs_manager", "needs_proof", "has_error", "stale")
LAST_EVENTS = 20
"""Those that say what a job needs."""


class Job(NamedTuple):
    """A job as it stands."""

    id: str
    revision: int
    status: str
    title: str
    kind: str
    priority: str
    task: str | None
    anchor: str | None
    runner: str | None
    claim_expires_ms: int | None
    claim_ttl_ms: int | None
    summary: str | None
    meta: dict[str, Any]
    created_ms: int
    updated_ms: int
    completed_ms: int | None
    created_seq: int
    last_seq: int

    def is_stale(self, now_ms: int) -> bool:
        """Whether whoever works on it has not been heard of for as long as it was to be."""
        return self.status == RUNNING and self.claim_expires_ms is not None and self.claim_expires_ms <= now_ms


class Runner(NamedTuple):
    """What a runner last said of itself."""

    id: str
    status: str
    job: str | None
    meta: dict[str, Any]
    ttl_ms: int
    expires_ms: int
    created_ms: int
    updated_ms: int

    def is_active(self, now_ms: int) -> bool:
        return self.expires_ms > now_ms

    def status_at(self, now_ms: int) -> str:
        """Offline is who has not been heard of in time, and nothing else."""
        return self.status if self.is_active(now_ms) else "offline"


class EventKind(NamedTuple):
    """An event, as far as it says what the job needs."""

    seq: int
    kind: str
    proof: bool
    """Whether it refers to a command or a link."""


def ttl_of(asked: int | None, default: int) -> int:
    """How long a lease lasts: what was asked for, within bounds."""
    return min(max(default if asked is None else asked, SHORTEST_TTL_MS), LONGEST_TTL_MS)


def is_due(ttl_ms: int, expires_ms: int, now_ms: int) -> bool:
    """Whether a lease is to be renewed: half of it has passed."""
    return 2 * (expires_ms - now_ms) <= ttl_ms


def attention(job: Job, events: Sequence[EventKind], now_ms: int) -> dict[str, bool]:
    """What a job needs, from its last events, the newest first."""
    flags = dict.fromkeys(FLAGS, False) | {"stale": job.is_stale(now_ms)}
    is_answered = is_proved = False
    for event in events:
        is_proved = is_proved or event.proof
        if event.kind in NEEDS_MANAGER and not is_answered:
            flags["needs_manager"] = True
        if event.kind == NEEDS_PROOF and not is_proved:
            flags["needs_proof"] = True
        if event.kind == "completed" and not event.proof:
            flags["needs_proof"] = True
        if event.kind in ERRORS:
            flags["has_error"] = True
        is_answered = is_answered or event.kind == "message"
        if event.kind == "requeued":
            break  # what was before has been dealt with
    return flags
