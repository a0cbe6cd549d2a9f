"""What can be found: rooms say which of their records have a text worth looking through, and until when.

A room says so beside its topics:

    searchable("thoughts.thought")
    searchable("thoughts.session", fields("title", "description", "tags"))
    searchable("thoughts.session_changed", fields("title", "description", "tags"), withdraws=is_deleted)

A record is found by one text or by several parts. A part with a name stands until its session says something else
under that name; a record may also take its whole session out of the index, and another one may bring it back.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from thoughtbox.loading import declaring, loaded

if TYPE_CHECKING:
    from thoughtbox.ledger.record import Record

logger = logging.getLogger(__name__)

MOST_PARTS = 8
"""Parts of one record that can be found."""


class Part(NamedTuple):
    """A text that a record is found by. One without a word only ends what stood under its name."""

    text: str
    name: str = ""
    """What it says of its session: it takes the place of what was said under that name. Without one it stands."""
    marks: tuple[str, ...] = ()
    """What it is, in words that no text has: a search may ask for those with certain marks only."""


Reading = Callable[["Record"], str | Sequence[Part]]
"""Makes the text of a record that is looked through, or its parts; an empty one is not."""

Condition = Callable[["Record"], bool]


def _never(record: Record) -> bool:
    return False


class Searchable(NamedTuple):
    """The records of one topic, and what of each is looked through."""

    topic: str
    text: Reading
    version: int = 1
    """Raise it when `text` or a condition changes its mind: the index is then made anew."""
    withdraws: Condition = _never
    """Whether a record takes its session out of the index, with all that was and will be said in it."""
    restores: Condition = _never
    """Whether a record brings its session back."""
    module: str = ""
    """Where that was said."""


SEARCHABLE: dict[str, Searchable] = {}
"""What can be found, by topic, as far as the rooms that say so are imported."""

ELSEWHERE: dict[str, tuple[int, str]] = {}
"""What else can be found: the version, and the module that says how."""


def searchable(
    topic: str,
    text: Reading = lambda record: record.text,
    *,
    version: int = 1,
    withdraws: Condition = _never,
    restores: Condition = _never,
) -> None:
    """Let the records of a topic be found: by their own text, or by what `text` makes of them."""
    SEARCHABLE[topic] = Searchable(topic, text, version, withdraws, restores, declaring())


def know(said: Mapping[str, tuple[int, str]]) -> None:
    """Have it known what is searchable, by topic: the version, and the module that says how, imported when needed."""
    ELSEWHERE.update(said)


def versions() -> dict[str, int]:
    """By topic: the version of what is looked through. The index holds all of it, whichever rooms are imported."""
    known = {topic: version for topic, (version, _) in ELSEWHERE.items()}
    return known | {topic: found.version for topic, found in SEARCHABLE.items()}


def _found(topic: str) -> Searchable | None:
    if topic not in SEARCHABLE and topic in ELSEWHERE:
        loaded(ELSEWHERE[topic][1])
    return SEARCHABLE.get(topic)


def of_data(*names: str) -> Callable[[Record], str]:
    """The text of these fields of a record's `data`, one below the other: texts, and lists of texts."""
    return lambda record: "\n".join(part for name in names for part in _parts(record.data.get(name)))


def fields(*names: str) -> Reading:
    """Each of these fields of a record's `data`, as far as it has them, as a part of that name."""
    return lambda record: [Part(of_data(name)(record), name) for name in names if name in record.data]


def parts_of(record: Record) -> list[Part]:
    """What a record is found by; nothing when it has no text."""
    known = _found(record.topic)
    if known is None:
        return []
    try:
        text = known.text(record)
        return [Part(text)] if isinstance(text, str) else list(text)[:MOST_PARTS]
    except Exception:
        # An odd record, from an import perhaps, must not keep all that follow it from being found.
        logger.warning("no text could be made of %s in workspace %s", record.id, record.workspace, exc_info=True)
        return []


def withdraws(record: Record) -> bool:
    known = _found(record.topic)
    return known is not None and _holds(known.withdraws, record)


def restores(record: Record) -> bool:
    known = _found(record.topic)
    return known is not None and _holds(known.restores, record)


def _holds(condition: Condition, record: Record) -> bool:
    try:
        return condition(record)
    except Exception:
        # As above: one odd record must not stop the index.
        logger.warning("what %s in workspace %s does to its session cannot be told", record.id, record.workspace)
        return False


def _parts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [part for part in value if isinstance(part, str)] if isinstance(value, list) else []
