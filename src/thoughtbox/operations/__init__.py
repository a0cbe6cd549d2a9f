"""Operations: the only verbs. Each is declared once and appears on every door.

Imports ledger and engine, never a room or a door. Way in: `registry.py` (how a verb
is declared), `dispatch.py` (the one way to run one).
"""

from thoughtbox.operations.models import CamelInput, CamelOutput, Input, Output
from thoughtbox.operations.registry import Example, Prompt, Resource, Room
from thoughtbox.operations.tx import Tx

__all__ = ["CamelInput", "CamelOutput", "Example", "Input", "Output", "Prompt", "Resource", "Room", "Tx"]
