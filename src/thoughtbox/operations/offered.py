"""All that a room may use of operations: `from thoughtbox.operations import Room, Tx`."""

from thoughtbox.operations.addressed import Prompt, Resource
from thoughtbox.operations.apart import Apart
from thoughtbox.operations.budget import HARD_CEILING, fit
from thoughtbox.operations.caller import Focus
from thoughtbox.operations.catalog import Gateway, KnownOperation, Mending
from thoughtbox.operations.lasting import Lasting
from thoughtbox.operations.misspelt import nearest
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
from thoughtbox.operations.operation import Envelope, Example, Guard, Operation, Outside, Sampling
from thoughtbox.operations.paging import Pages, cursor, fitting, fitting_text, foreign_cursor, place_in, size
from thoughtbox.operations.parts import Part, answer_of, arguments_of
from thoughtbox.operations.registry import Room
from thoughtbox.operations.repetition import LONGEST_KEY
from thoughtbox.operations.steps import Answered, Slices, Steps
from thoughtbox.operations.storable import unstorable
from thoughtbox.operations.table import TABLE, Table
from thoughtbox.operations.topics import Confidence, Name, RecordData, Time, earlier, must_stand_in
from thoughtbox.operations.tx import Tx
from thoughtbox.redaction import redacted

__all__ = [
    "HARD_CEILING",
    "LONGEST_KEY",
    "LONGEST_TEXT",
    "TABLE",
    "Answered",
    "Apart",
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
    "KnownOperation",
    "Lasting",
    "MaxChars",
    "Mending",
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
    "fitting_text",
    "foreign_cursor",
    "must_stand_in",
    "nearest",
    "place_in",
    "redacted",
    "size",
    "unstorable",
]
