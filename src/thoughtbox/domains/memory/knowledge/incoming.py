"""Experiences from elsewhere, as they are before they are taken in: read, put right where that is safe, or refused."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple, get_args

from thoughtbox.domains.memory.knowledge.experience import TEXTS, Domain, Entry, Scope, Type
from thoughtbox.operations import LONGEST_TEXT
from thoughtbox.world import milliseconds

MOST_TAGS = 50
LONGEST_TAG = 100

_LATEST_MS = 253_402_300_799_999
"""The last millisecond that a calendar has."""
_SECONDS_UNTIL = 100_000_000_000
"""Numbers below this are taken for seconds: as milliseconds they would lie before 1973-03-04."""
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:\.\d+)?")
_UNWRITABLE = re.compile("[\x00\ud800-\udfff]")


class Unreadable(ValueError):
    """A row that cannot be taken in, and why."""


class Incoming(NamedTuple):
    """A row that can be taken in."""

    row: int
    """Which one it was, from 1."""
    key: int | str | None
    """What it is called where it comes from."""
    revises: int | str | None
    """What it took the place of there."""
    entry: Entry


class Fault(NamedTuple):
    row: int
    error: str


def read_rows(rows: Iterable[Any]) -> tuple[list[Incoming], list[Fault]]:
    """The rows that can be taken in, what others revise before those that revise it; and why others cannot."""
    found: list[Incoming] = []
    faults: list[Fault] = []
    for number, row in enumerate(rows, 1):
        try:
            found.append(_read(number, row))
        except Unreadable as why:
            faults.append(Fault(number, str(why)))
    return _in_order(found), faults


def _read(number: int, row: Any) -> Incoming:
    if not isinstance(row, dict):
        raise Unreadable("it is no object")
    missing = [name for name in ("type", "domain", *TEXTS) if row.get(name) in (None, "")]
    if missing:
        raise Unreadable(f"it has no {', '.join(missing)}")
    key = _key(row.get("id"))
    revises = _key(row.get("revision_of"))
    if revises is None and _key(row.get("original_id")) != key:
        revises = _key(row.get("original_id"))
    entry = Entry(
        type=_one_of(row, "type", get_args(Type)),
        domain=_one_of(row, "domain", get_args(Domain)),
        situation=_text(row, "situation"),
        approach=_text(row, "approach"),
        outcome=_text(row, "outcome"),
        reasoning=_text(row, "reasoning"),
        confidence=_confidence(row.get("confidence")),
        tags=tags_of(row.get("tags")),
        scope=_one_of({"scope": row.get("scope") or "project"}, "scope", get_args(Scope)),
        source="import",
        created_at=moment_of(row.get("created_at")),
        reason=_optional_text(row.get("revision_reason")),
        archived_at=moment_of(row.get("archived_at")),
        archive_reason=_optional_text(row.get("archive_reason")),
        context=row.get("context") if isinstance(row.get("context"), dict) else None,
    )
    return Incoming(number, key, revises, entry)


def _text(row: Mapping[str, Any], name: str) -> str:
    value = row[name]
    if not isinstance(value, str):
        raise Unreadable(f"its {name} is no text")
    if not value.strip():
        raise Unreadable(f"its {name} is empty")
    if len(value) > LONGEST_TEXT:
        raise Unreadable(f"its {name} has more than {LONGEST_TEXT:,} characters")
    if _UNWRITABLE.search(value):
        raise Unreadable(f"its {name} holds a character that no text may have")
    return value


def _optional_text(value: Any) -> str | None:
    return value[:4000] if isinstance(value, str) and value.strip() and not _UNWRITABLE.search(value) else None


def _one_of(row: Mapping[str, Any], name: str, allowed: Sequence[str]) -> str:
    value = row[name]
    if value not in allowed:
        raise Unreadable(f"its {name} is {str(value)[:80]!r}; it must be one of {', '.join(allowed)}")
    return value


def _confidence(value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise Unreadable(f"its confidence is {str(value)[:80]!r}; it must be a number from 0 to 1")
    return float(value)


def tags_of(value: Any) -> tuple[str, ...]:
    """Tags from a list, or from JSON text of one, which some have encoded twice."""
    for _ in range(3):
        if not isinstance(value, str):
            break
        try:
            value = json.loads(value) if value.strip() else []
        except ValueError:
            value = [value]
    given = value if isinstance(value, list) else []
    kept = (tag.strip()[:LONGEST_TAG] for tag in given if isinstance(tag, str) and not _UNWRITABLE.search(tag))
    return tuple(dict.fromkeys(tag for tag in kept if tag))[:MOST_TAGS]


def moment_of(value: Any) -> int | None:
    """Milliseconds from a number of them, of seconds, or from a date with or without a zone, which is then UTC."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        ms = int(value * 1000) if abs(value) < _SECONDS_UNTIL else int(value)
        return ms if 0 <= ms <= _LATEST_MS else None
    if not isinstance(value, str):
        return None
    text = value.strip()
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            if not _DAY.fullmatch(text):
                return None
            moment = moment.replace(tzinfo=UTC)
        ms = milliseconds(moment.isoformat())
    except (ValueError, OverflowError):
        return None
    return ms if 0 <= ms <= _LATEST_MS else None


def _key(value: Any) -> int | str | None:
    return value if isinstance(value, int | str) and not isinstance(value, bool) and value != "" else None


def _in_order(found: Sequence[Incoming]) -> list[Incoming]:
    """The oldest first, and each behind what it revises, however they stood."""
    by_key = {item.key: item for item in found if item.key is not None}
    order: dict[int, Incoming] = {}
    for item in sorted(found, key=lambda item: (item.entry.created_at or 0, -item.row)):
        chain: list[Incoming] = []
        rows: set[int] = set()
        step: Incoming | None = item
        while step is not None and step.row not in order and step.row not in rows:
            chain.append(step)
            rows.add(step.row)
            step = by_key.get(step.revises) if step.revises is not None else None
        order.update((each.row, each) for each in reversed(chain))
    return list(order.values())
