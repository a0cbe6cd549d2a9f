"""Records: the only nouns that last (the Canonical IR of `5-code-mode.md`, layer B).

A room drafts; the ledger seals the draft with its number, time and hashes. `kind`
and `attrs` are one value: the shape of `attrs` is decided by `kind`, and checked
when a record is built and when it is read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeVar, get_args

from thoughtbox.errors import InvalidRecord

T = TypeVar("T")

Kind = Literal[
    "claim",
    "evidence",
    "question",
    "plan",
    "observation",
    "decision",
    "revision",
    "tool_call",
    "tool_result",
    "hub_event",
    "checkpoint",
]
KINDS: frozenset[str] = frozenset(get_args(Kind))

AUTHORED: frozenset[str] = KINDS - {"tool_call", "tool_result", "hub_event", "checkpoint"}
"""Kinds that a model may write; the others are emitted by the host alone."""

RELATION_MEANINGS: Mapping[str, str] = MappingProxyType(
    {
        "supports": "It is a reason to believe the other.",
        "contradicts": "If it holds, the other does not.",
        "revises": "It puts the other right, or takes its place.",
        "derived_from": "It follows from the other, or was made from it.",
        "answers": "It answers what the other asks.",
        "blocks": "As long as it stands, the other cannot go on.",
        "refines": "It says the other more precisely, or in more detail.",
        "relates_to": "It has to do with the other, in some way that has no name here.",
    }
)
"""What one record can be to another. Grow this table here, with a review, and nowhere else."""

RELATIONS = frozenset(RELATION_MEANINGS)

MAIN_BRANCH = "main"


_NOTHING: Mapping[str, Any] = MappingProxyType({})


# One of each is made for every record: a named tuple costs a third of a frozen dataclass.


class Draft(NamedTuple):
    """What a room wants to have written. `topic` says which views follow it."""

    kind: Kind
    topic: str
    text: str
    session: str
    branch: str = MAIN_BRANCH
    attrs: Mapping[str, Any] = _NOTHING
    data: Mapping[str, Any] = _NOTHING
    confidence: float | None = None
    cipher: str | None = None
    labels: Sequence[str] = ()
    metrics: Mapping[str, float] = _NOTHING


class Source(NamedTuple):
    """Where a record came from."""

    agent: str = "anonymous"
    surface: str | None = None
    operation: str | None = None
    transport: str | None = None
    model: str | None = None
    via: tuple[str, ...] = ()
    """The operations that called this one, the outermost first."""


class Record(NamedTuple):
    """A sealed record, with its place in the ledger."""

    workspace: str
    seq: int
    stream: str
    stream_index: int
    content_hash: bytes
    hash: bytes
    envelope: Mapping[str, Any]
    """The record itself, as its canonical bytes say it."""

    @property
    def id(self) -> str:
        return self.envelope["id"]

    @property
    def kind(self) -> Kind:
        return self.envelope["kind"]

    @property
    def topic(self) -> str:
        return self.envelope["data"]["topic"]

    @property
    def room(self) -> str:
        """The surface that has written it; of what the ledger writes by itself, the room of its stream."""
        return self.envelope["source"].get("surface") or self.stream.partition("/")[0]

    @property
    def ts(self) -> str:
        return self.envelope["ts"]

    @property
    def session(self) -> str:
        return self.envelope["session"]

    @property
    def agent(self) -> str:
        return self.envelope["agent"]

    @property
    def text(self) -> str:
        return self.envelope["body"]["text"]

    @property
    def attrs(self) -> Mapping[str, Any]:
        return self.envelope["attrs"]

    @property
    def data(self) -> Mapping[str, Any]:
        return self.envelope["data"]


def record_id(seq: int) -> str:
    return f"th:{seq}"


def seq_of(record_id: str) -> int | None:
    """The sequence number inside an id such as `th:17`; None when it is no such id."""
    digits = record_id.removeprefix("th:")
    if digits == record_id or not digits.isascii() or not digits.isdigit() or digits[0] == "0" or len(digits) > 18:
        return None
    return int(digits)


def envelope(draft: Draft, source: Source, *, seq: int, ts: str) -> dict[str, Any]:
    """The record as it will be stored; refuses a draft whose `attrs` do not fit its `kind`."""
    attrs = draft.attrs
    check_attrs(draft.kind, attrs)
    body: dict[str, Any] = {"text": draft.text}
    if draft.cipher is not None:
        body["cipher"] = draft.cipher
    if draft.labels:
        body["labels"] = list(draft.labels)
    if draft.metrics:
        body["metrics"] = dict(draft.metrics)
    record: dict[str, Any] = {
        "id": f"th:{seq}",
        "kind": draft.kind,
        "ts": ts,
        "session": draft.session,
        "branch": draft.branch,
        "agent": source.agent,
        "refs": refs(attrs) if attrs else [],
        "body": body,
        "source": _provenance(source),
        "attrs": dict(attrs),
        "data": {**draft.data, "topic": draft.topic},
    }
    if draft.confidence is not None:
        if not 0 <= draft.confidence <= 1:
            raise InvalidRecord(f"confidence is {draft.confidence}; it must lie between 0 and 1")
        record["confidence"] = draft.confidence
    return record


def _provenance(source: Source) -> dict[str, Any]:
    _, surface, operation, transport, model, via = source
    named: dict[str, Any] = {}
    if surface is not None:
        named["surface"] = surface
    if operation is not None:
        named["operation"] = operation
    if transport is not None:
        named["transport"] = transport
    if model is not None:
        named["model"] = model
    if via:
        named["via"] = list(via)
    return named


def present(values: Mapping[str, T | None]) -> dict[str, T]:
    """Those of the named values that there are: None stands for none."""
    return {name: value for name, value in values.items() if value is not None}


def refs(attrs: Mapping[str, Any]) -> list[str]:
    """Every id that `attrs` links to, once, in order: derived, for fast traversal."""
    linked: dict[str, None] = {}
    for relation in attrs.get("relations", ()):
        linked[relation["to"]] = None
    for name in ("replacesId", "callId"):
        if name in attrs:
            linked[attrs[name]] = None
    for id in attrs.get("answeredBy", ()):
        linked[id] = None
    return list(linked)


def check_envelope(found: Mapping[str, Any]) -> None:
    """Refuse a stored or decoded record whose parts do not fit together."""
    for name in ("id", "kind", "ts", "session", "branch", "agent", "body", "source", "attrs", "data"):
        if name not in found:
            raise InvalidRecord(f"a record has no `{name}`")
    if not isinstance(found["data"], dict) or not isinstance(found["data"].get("topic"), str):
        raise InvalidRecord(f"record {found['id']} has no `data.topic`, which says what follows it")
    if not isinstance(found["body"], dict) or not isinstance(found["body"].get("text"), str):
        raise InvalidRecord(f"record {found['id']} has no `body.text`")
    if not isinstance(found["attrs"], dict):
        raise InvalidRecord(f"record {found['id']} has no `attrs` object")
    if not isinstance(found["kind"], str):
        raise InvalidRecord(f"record {found['id']} has a `kind` that is no text")
    check_attrs(found["kind"], found["attrs"])


def check_attrs(kind: str, attrs: Mapping[str, Any]) -> None:
    """Refuse attributes that are not those of the kind."""
    shape = _SHAPES.get(kind)
    if shape is None:
        raise InvalidRecord(f"there is no kind `{kind}`; the kinds are {', '.join(sorted(KINDS))}")
    for name in shape.required:
        if name not in attrs:
            raise InvalidRecord(f"a {kind} needs `attrs.{name}`")
    for name, value in attrs.items():
        fits = shape.fields.get(name)
        if fits is None:
            raise InvalidRecord(f"a {kind} has no `attrs.{name}`; it has {', '.join(sorted(shape.fields))}")
        if not fits(value):
            raise InvalidRecord(f"`attrs.{name}` of a {kind} has the wrong shape")


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _are_texts(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(map(_is_text, value))


def _are_relations(value: Any) -> bool:
    if not isinstance(value, list | tuple):
        return False
    return not value or all(
        isinstance(relation, dict)
        and relation.keys() == {"type", "to"}
        and isinstance(relation["type"], str)
        and relation["type"] in RELATIONS
        and isinstance(relation["to"], str)
        for relation in value
    )


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def _is_status(value: Any) -> bool:
    return value in ("ok", "error")


@dataclass(frozen=True, slots=True)
class _Shape:
    fields: Mapping[str, Callable[[Any], bool]]
    required: tuple[str, ...] = ()


def _authored(required: tuple[str, ...] = (), **fields: Callable[[Any], bool]) -> _Shape:
    """Relations may stand on any authored kind."""
    return _Shape({"relations": _are_relations, **fields}, required)


_SHAPES: Mapping[str, _Shape] = {
    "claim": _authored(("relations",)),
    "plan": _authored(("steps",), steps=_are_texts),
    "evidence": _authored(sourceUrl=_is_text),
    "question": _authored(answeredBy=_are_texts),
    "observation": _authored(context=_is_text),
    "decision": _authored(alternativesConsidered=_are_texts),
    "revision": _authored(("replacesId",), replacesId=_is_text),
    "tool_call": _Shape({"toolName": _is_text, "args": _is_object}, ("toolName", "args")),
    "tool_result": _Shape({"callId": _is_text, "status": _is_status}, ("callId", "status")),
    "hub_event": _Shape({"eventType": _is_text}, ("eventType",)),
    "checkpoint": _Shape({"stateHash": _is_text}, ("stateHash",)),
}
