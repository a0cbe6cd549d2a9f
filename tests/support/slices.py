"""Slices for the reasoning engine, written in a line each; times are in days, and seq follows them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from thoughtbox.domains.mind.engine.engine import considered
from thoughtbox.domains.mind.slice import Card, Link, Place, TraceEntry

DAY = 86_400_000
FOLDER = Path(__file__).resolve().parents[1] / "corpus" / "mind_slices"
BRANCH = Place("acme", None, "main", "trace", "graph")
TASK = Place("acme", "TASK-001", "task/TASK-001", "TASK-001-trace", "TASK-001-graph")
STEP = Place(
    "acme",
    "TASK-001",
    "task/TASK-001",
    "TASK-001-trace",
    "TASK-001-graph",
    step="STEP-0000000A",
    step_tag="step:step-0000000a",
)
MANY = 1_000


def card(
    id: str,
    type: str,
    *tags: str,
    day: float = 0,
    seq: int | None = None,
    title: str | None = None,
    text: str | None = None,
    status: str | None = "open",
    meta: Mapping[str, Any] | None = None,
) -> Card:
    ts = round(day * DAY)
    return Card(id, type, title, text, status, tags, meta or {}, seq if seq is not None else ts // 1000, ts)


def links(*said: str) -> list[Link]:
    """Each as `source supports target`."""
    return [Link(*one.split(" "), last_seq=number, last_ts_ms=0) for number, one in enumerate(said, 1)]


def entry(seq: int, *, type: str | None = None, event: str | None = None, day: float = 0) -> TraceEntry:
    """A card's entry when a type is given, an event when one is named, a note otherwise."""
    meta = {"card_id": f"CARD-{seq}", "type": type} if type else {}
    return TraceEntry(seq, round(day * DAY), "event" if event else "note", "think_card" if type else None, meta, event)


def engine(
    cards: Iterable[Card],
    said: Iterable[Link] = (),
    trace: Iterable[TraceEntry] = (),
    place: Place = BRANCH,
    *,
    signals: int = MANY,
    actions: int = MANY,
) -> dict[str, Any] | None:
    return considered(list(cards), list(said), list(trace), place, signals_limit=signals, actions_limit=actions)


def signals_of(block: dict[str, Any] | None, code: str | None = None) -> list[dict[str, Any]]:
    return [one for one in (block or {}).get("signals", []) if code in {None, one["code"]}]


def actions_of(block: dict[str, Any] | None, kind: str | None = None) -> list[dict[str, Any]]:
    return [one for one in (block or {}).get("actions", []) if kind in {None, one["kind"]}]


def subject(found: dict[str, Any]) -> str:
    """What a signal or an action is about."""
    return found["refs"][0]["id"]


def subjects(found: Iterable[dict[str, Any]]) -> list[str]:
    return [subject(one) for one in found]


def read_slice(name: str) -> dict[str, Any]:
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def slice_names() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.json"))
