"""When the thoughts of a session were recorded, and where it paused."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from statistics import median

from thoughtbox.domains.thoughts.model.thought import Thought
from thoughtbox.domains.thoughts.sessions.analysis.models import MOST_PAUSES, Mention, Pause, Timeline, listed

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def timeline_of(thoughts: Sequence[Thought]) -> Timeline:
    """Gaps are taken in order of time, which an import need not share with the order of recording."""
    timed = sorted(_timed(thoughts), key=lambda moment: moment[0])
    gaps = [(later[0] - earlier[0], earlier[1], later[1]) for earlier, later in pairwise(timed)]
    lengths = [gap[0] for gap in gaps]
    longest = sorted((gap for gap in gaps if gap[0] > 0), key=lambda gap: -gap[0])
    left_out: dict[str, int] = {}
    return Timeline(
        first_at=timed[0][1].timestamp if timed else None,
        last_at=timed[-1][1].timestamp if timed else None,
        duration=sum(lengths),
        mean_gap=round(sum(lengths) / len(lengths)) if lengths else 0,
        median_gap=round(median(lengths)) if lengths else 0,
        gaps=listed(lengths, "gaps", left_out),
        longest_pauses=[
            Pause(milliseconds=length, after=Mention.of(after), before=Mention.of(before))
            for length, after, before in longest[:MOST_PAUSES]
        ],
        left_out=left_out,
    )


def duration_of(thoughts: Sequence[Thought]) -> int:
    times = [ms for ms, _ in _timed(thoughts)]
    return max(times) - min(times) if times else 0


def _timed(thoughts: Iterable[Thought]) -> list[tuple[int, Thought]]:
    """Each thought with its time in milliseconds; an imported one may have a time that cannot be read."""
    moments = ((_milliseconds(thought.timestamp), thought) for thought in thoughts)
    return [(ms, thought) for ms, thought in moments if ms is not None]


def _milliseconds(timestamp: str) -> int | None:
    try:
        at = datetime.fromisoformat(timestamp)
    except ValueError:
        return None
    if at.tzinfo is None:
        at = at.replace(tzinfo=UTC)
    return (at - _EPOCH) // timedelta(milliseconds=1)
