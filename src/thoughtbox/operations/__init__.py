"""Operations: the only verbs. Each is declared once and appears on every door.

Imports ledger and engine, never a room or a door. Way in: `registry.py` (how a verb
is declared), `dispatch.py` (the one way to run one).
"""

from thoughtbox.operations.budget import HARD_CEILING
from thoughtbox.operations.models import LONGEST_TEXT, CamelInput, CamelOutput, Input, Key, MaxChars, Output, Text
from thoughtbox.operations.paging import cursor, foreign_cursor, place_in
from thoughtbox.operations.registry import TABLE, Example, Operation, Prompt, Resource, Room, Sampling
from thoughtbox.operations.tx import Tx

__all__ = [
    "HARD_CEILING",
    "LONGEST_TEXT",
    "TABLE",
    "CamelInput",
    "CamelOutput",
    "Example",
    "Input",
    "Key",
    "MaxChars",
    "Operation",
    "Output",
    "Prompt",
    "Resource",
    "Room",
    "Sampling",
    "Text",
    "Tx",
    "cursor",
    "foreign_cursor",
    "place_in",
]
