"""Operations: the only verbs. Each is declared once and appears on every door.

Imports search, ledger and engine, never a room or a door. What stands here is all that a room may use; for the rest,
the way in is `registry.py` (how a verb is declared) and `dispatch.py` (the one way to run one).
"""

from thoughtbox.operations.budget import HARD_CEILING, fit
from thoughtbox.operations.caller import Focus
from thoughtbox.operations.models import (
    LONGEST_TEXT,
    CamelInput,
    CamelOutput,
    Input,
    Key,
    MaxChars,
    Output,
    Text,
)
from thoughtbox.operations.nearest import nearest
from thoughtbox.operations.operation import (
    Envelope,
    Example,
    Gateway,
    Guard,
    Operation,
    Outside,
    Prompt,
    Resource,
    Sampling,
)
from thoughtbox.operations.paging import Pages, cursor, fitting, foreign_cursor, place_in, size
from thoughtbox.operations.parts import Part, answer_of, arguments_of
from thoughtbox.operations.registry import TABLE, Room, Table
from thoughtbox.operations.repetition import LONGEST_KEY
from thoughtbox.operations.steps import Slices, Steps
from thoughtbox.operations.topics import Confidence, Name, RecordData, Time, earlier, must_stand_in
from thoughtbox.operations.tx import Tx
from thoughtbox.redaction import redacted

__all__ = [
    "HARD_CEILING",
    "LONGEST_KEY",
    "LONGEST_TEXT",
    "TABLE",
    "CamelInput",
    "CamelOutput",
    "Confidence",
    "Envelope",
    "Example",
    "Focus",
    "Gateway",
    "Guard",
    "Input",
    "Key",
    "MaxChars",
    "Name",
    "Operation",
    "Output",
    "Outside",
    "Pages",
    "Part",
    "Prompt",
    "RecordData",
    "Resource",
    "Room",
    "Sampling",
    "Slices",
    "Steps",
    "Table",
    "Text",
    "Time",
    "Tx",
    "answer_of",
    "arguments_of",
    "cursor",
    "earlier",
    "fit",
    "fitting",
    "foreign_cursor",
    "must_stand_in",
    "nearest",
    "place_in",
    "redacted",
    "size",
]
