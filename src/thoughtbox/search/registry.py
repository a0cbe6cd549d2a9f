"""What can be found: rooms say which of their records have a text worth looking through.

A room says so beside its topics:

    searchable("thoughts.thought")
    searchable("thoughts.session", of_data("title", "description", "tags"))
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, NamedTuple

from thoughtbox.ledger.record import Record

logger = logging.getLogger(__name__)

Reading = Callable[[Record], str]
"""Makes the text of a record that is looked through; an empty one is not."""


class Searchable(NamedTuple):
    """The records of one topic, and the text of each that is looked through."""

    topic: str
    text: Reading
    version: int = 1
    """Raise it when `text` changes its mind: the index is then made anew."""


SEARCHABLE: dict[str, Searchable] = {}
"""All that can be found, by topic."""


def searchable(topic: str, text: Reading = lambda record: record.text, *, version: int = 1) -> None:
    """Let the records of a topic be found: by their own text, or by what `text` makes of them."""
    SEARCHABLE[topic] = Searchable(topic=topic, text=text, version=version)


def of_data(*names: str) -> Reading:
    """The text of these fields of a record's `data`, one below the other: texts, and lists of texts."""
    return lambda record: "\n".join(part for name in names for part in _parts(record.data.get(name)))


def text_of(record: Record) -> str:
    """The text that a record is found by; none when it has none."""
    known = SEARCHABLE.get(record.topic)
    if known is None:
        return ""
    try:
        return known.text(record)
    except Exception:
        # An odd record, from an import perhaps, must not keep all that follow it from being found.
        logger.warning("no text could be made of %s in workspace %s", record.id, record.workspace, exc_info=True)
        return ""


def _parts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [part for part in value if isinstance(part, str)] if isinstance(value, list) else []
