"""What the answer to a thought says of it: how it was read, what rests on what it replaced, what was odd. Briefly."""

from __future__ import annotations

from collections.abc import Sequence

from thoughtbox.domains.thoughts.cutting import cut
from thoughtbox.domains.thoughts.model.reasoning import replaced_by
from thoughtbox.domains.thoughts.model.thought import Thought
from thoughtbox.domains.thoughts.numbers import name_of
from thoughtbox.domains.thoughts.think.models import LineRecorded, ThoughtRecorded
from thoughtbox.domains.thoughts.think.recording import Recorded
from thoughtbox.domains.thoughts.view.thoughts import Thoughts
from thoughtbox.ledger.record import Record
from thoughtbox.operations import size

LONGEST_LINE = 240
"""Characters of what is said of one of several lines."""
LONGEST_NOTE = 90
SHORTEST = 12
"""Characters below which a part says nothing."""
MOST_NAMED = 5


def tell(
    reply: ThoughtRecorded | LineRecorded, view: Thoughts, session_id: str, recorded: Recorded, *, longest: int
) -> None:
    """Add to a reply what there is to say of its thought, as far as there is room; all is kept with the thought."""
    record = recorded.record
    notes = record.data.get("notes", [])
    resting = _resting(view, session_id, Thought.of(record)) if _points_at_others(record) else []
    if not (notes or resting or recorded.reading):
        return
    room = longest - size(reply.answer())
    kept = size(resting) + len(',"resting":') if resting else 0
    kept += min(LONGEST_NOTE, len(notes[0])) + len(',"notes":["",""]') if notes else 0
    for_reading = max(room - kept, room // 3) - len(',"read":""')
    if recorded.reading and (read := _cut(recorded.reading, for_reading)) is not None:
        reply.read = read
        room -= size(read) + len(',"read":')
    if resting and size(resting) + len(',"resting":') <= room:
        reply.resting = resting
        room -= size(resting) + len(',"resting":')
    if notes:
        reply.notes = _shown_notes(notes, room)


def line_recorded(view: Thoughts, session_id: str, recorded: Recorded) -> LineRecorded:
    """What there is to say of one of several lines."""
    told = LineRecorded(id=recorded.record.id, thought_number=recorded.record.data["thoughtNumber"])
    tell(told, view, session_id, recorded, longest=LONGEST_LINE)
    return told


def _points_at_others(record: Record) -> bool:
    return bool(record.envelope["refs"]) or "revises" in record.data


def _cut(text: str, longest: int) -> str | None:
    """A text within so many characters; None when no more than a scrap would be left of it."""
    short = cut(text, max(longest, 1))
    return short if len(text) <= longest or len(short) >= SHORTEST else None


def _resting(view: Thoughts, session_id: str, thought: Thought) -> list[str]:
    """The thoughts that rest on what this one has replaced."""
    fallen = replaced_by(thought)
    if not fallen:
        return []
    nodes = view.nodes_at(session_id, view.resting_on(fallen))
    names = [name_of(nodes[seq]) for seq in sorted(nodes)]
    return names if len(names) <= MOST_NAMED else [*names[:MOST_NAMED], f"and {len(names) - MOST_NAMED} more"]


def _shown_notes(notes: Sequence[str], room: int) -> list[str] | None:
    """Enough of them to see what is wrong."""
    more = [f"and {len(notes) - 1} more"] if len(notes) > 1 else []
    longest = min(room - len(',"notes":["",""]') - len("".join(more)), LONGEST_NOTE)
    first = _cut(notes[0], longest)
    if first is not None:
        return [first, *more]
    return [f"{len(notes)} notes"] if room >= len(',"notes":["1000 notes"]') else None
