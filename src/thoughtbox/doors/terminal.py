"""What a terminal is shown: nothing that it would obey, and nothing that hides what stands there."""

from __future__ import annotations

import logging
import re

# Escape sequences and other controls drive a terminal; bidirectional ones show text in an order in which it was
# not written. Tabs and line ends stay.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    """The text with controls written out, such as `\\x1b` or `\\u202e`."""
    return _CONTROLS.sub(_written_out, text)


def printable_json(text: str) -> str:
    """JSON that means the same, with controls written out the way JSON does it."""
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _written_out(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


class PrintableFormatter(logging.Formatter):
    """Lines of the log, which may repeat what a client sent."""

    def format(self, record: logging.LogRecord) -> str:
        return printable(super().format(record))
