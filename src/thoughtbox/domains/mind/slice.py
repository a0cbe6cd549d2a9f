"""What a read view hands to the reasoning engine: cards, links and trace entries, and where a suggested write lands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple


class Card(NamedTuple):
    """A live node of the graph."""

    id: str
    type: str
    title: str | None
    text: str | None
    status: str | None
    tags: tuple[str, ...]
    meta: Mapping[str, Any]
    last_seq: int
    last_ts_ms: int


class Link(NamedTuple):
    """A live edge of the graph."""

    source: str
    rel: str
    target: str
    last_seq: int
    last_ts_ms: int


class TraceEntry(NamedTuple):
    """An entry of the trace. That of a card has the format `think_card`, and `card_id` and `type` in its meta."""

    seq: int
    ts_ms: int
    kind: str
    """`note` or `event`."""
    format: str | None
    meta: Mapping[str, Any]
    event_type: str | None


@dataclass(frozen=True)
class Place:
    """Where a suggested write lands, so that it can be sent as it stands."""

    workspace: str
    target: str | None
    """The task or plan that the view was of; None when it was of a branch."""
    branch: str
    trace_doc: str
    graph_doc: str
    step: str | None = None
    """The step in focus, of a task as target."""
    step_tag: str | None = None
    shown: frozenset[str] | None = None
    """The tools that the caller is shown; None when nothing is hidden."""
    disclosing: Callable[[str], str | None] | None = None
    """For a hidden tool, the lowest toolset that shows it."""
