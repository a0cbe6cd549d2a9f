"""Reading as of then: a record's number, or a time."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta

from thoughtbox.domains.mind.refusals import invalid
from thoughtbox.ledger.record import seq_of
from thoughtbox.ledger.view import NOW
from thoughtbox.operations import Tx
from thoughtbox.world import milliseconds

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def as_of(tx: Tx, then: int | str | None) -> Tx:
    """The transaction as it stood then: its reads show what they would have shown."""
    if then is None:
        return tx
    seq = then if isinstance(then, int) else _seq(tx, then)
    if seq < 0:
        raise invalid("`as_of` must be 0 or more", recovery="Send a number such as 17, or a time.", field="as_of")
    return tx.at(seq)


def _seq(tx: Tx, then: str) -> int:
    if (seq := seq_of(then)) is not None:
        return seq
    if then.isdecimal() and len(then) < 16:
        return int(then)
    return _newest_before(tx, _time_in(then))


def _time_in(text: str) -> int:
    """Milliseconds since 1970; a day alone is its end, since all of it is meant."""
    try:
        if _DAY.fullmatch(text):
            end = datetime.combine(date.fromisoformat(text), time(), UTC) + timedelta(days=1)
            return milliseconds(end.isoformat()) - 1
        found = datetime.fromisoformat(text)
        return milliseconds((found if found.tzinfo else found.replace(tzinfo=UTC)).isoformat())
    except (ValueError, OverflowError):
        raise invalid(
            f"`as_of` is neither a record's number nor a time: {text[:80]}",
            recovery="Send a number such as 17, or a time such as 2026-01-31T12:00:00Z.",
            field="as_of",
        ) from None


def _newest_before(tx: Tx, moment: int) -> int:
    """The last record of that time or before. Records are in order of their numbers, and nearly so of their times."""
    low, high = 0, tx.ledger.last_seq()
    while low < high:
        middle = (low + high + 1) // 2
        record = tx.ledger.record(middle)
        if record is not None and milliseconds(record.ts) <= moment:
            low = middle
        else:
            high = middle - 1
    return low


def moment(tx: Tx) -> int:
    """What time it is: now, or that of the record as of which is read."""
    if tx.as_of >= NOW:
        return tx.now_ms
    record = tx.ledger.record(min(tx.as_of, tx.ledger.last_seq()))
    return milliseconds(record.ts) if record is not None else 0
