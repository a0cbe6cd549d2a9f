"""How much something in memory matters: the specification's formula, in whole numbers."""

from __future__ import annotations

STATE_WEIGHTS = {"unverified": 0, "observed": 50, "reinforced": 100, "stable": 150, "decaying": 25, "archived": 0}
BUCKETS = ((1, 5), (7, 4), (30, 3), (90, 2))
"""Up to how many days of age, how recent."""
OLDEST_BUCKET = 1
HIGHEST = 1000

DAY_MS = 86_400_000


def recency(updated_ms: int, now_ms: int) -> int:
    """5 for what is a day old at the most, down to 1 for what is older than 90 days."""
    age = now_ms - updated_ms
    return next((bucket for days, bucket in BUCKETS if age <= days * DAY_MS), OLDEST_BUCKET)


def salience(state: str, evidence: int, contradictions: int, trust: int, updated_ms: int, now_ms: int) -> int:
    """state weight + 60 per evidence + 20 per step of recency + 40 per trust - 120 per contradiction, in 0..1000."""
    found = (
        STATE_WEIGHTS.get(state, 0)
        + 60 * evidence
        + 20 * recency(updated_ms, now_ms)
        + 40 * trust
        - 120 * contradictions
    )
    return max(0, min(HIGHEST, found))


def episode_salience(trust: int) -> int:
    """The salience of an episode, for good: 100, 190, 280, 320 for trust 0 to 3."""
    state = "reinforced" if trust >= 2 else "observed" if trust == 1 else "unverified"
    return salience(state, 0, 0, trust, 0, 0)
