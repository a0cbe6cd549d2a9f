"""The seven builders: what a model writes, one record at a time or many; and how it is read back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Never, TypeVar

from pydantic import ValidationError

from thoughtbox.domains.code import records
from thoughtbox.domains.code.models import (
    Authored,
    AuthorRecords,
    Claim,
    Decision,
    Evidence,
    Handle,
    HostWritten,
    Kind,
    Observation,
    Plan,
    Question,
    RecordsWritten,
    Revision,
    Written,
)
from thoughtbox.domains.code.room import room
from thoughtbox.domains.code.signatures import HOST_ONLY
from thoughtbox.domains.code.standing import session_for
from thoughtbox.errors import HostOnly, InvalidPayload, RecordNotFound
from thoughtbox.ledger.record import MAIN_BRANCH, RELATIONS, Record, present, seq_of
from thoughtbox.operations import TABLE, Example, Tx

F = TypeVar("F", bound=Callable[..., Any])

MODELS: Mapping[str, type[Authored]] = {
    model.kind: model for model in (Claim, Evidence, Question, Plan, Observation, Decision, Revision)
}
"""The authored kinds, and what the builder of each takes."""

OWN: Mapping[str, Mapping[str, str]] = {
    kind: {field.alias or name: name for name, field in model.model_fields.items() if name not in Authored.model_fields}
    for kind, model in MODELS.items()
}
"""What only some kinds have: fields of their models, by the names that records give them."""

_CLAIM = ("claim", {"text": "Reads dominate writes 40 to 1.", "session": "s1"})


def _builder(kind: Kind, title: str, example: Example) -> Callable[[F], F]:
    return room.operation(kind, writes=True, title=title, errors=[RecordNotFound], example=example)


@_builder("claim", "Write a claim", Example({"text": "Reads dominate writes 40 to 1.", "confidence": 0.8}))
def claim(tx: Tx, call: Claim) -> Written:
    """Write what you hold to be true, and what it stands on: it can support or contradict other records."""
    return _written(tx, call)


@_builder(
    "evidence",
    "Write down evidence",
    Example({"text": "p99 fell from 80 to 9 ms.", "supports": ["th:1"], "sourceUrl": "bench/run-7"}, given=[_CLAIM]),
)
def evidence(tx: Tx, call: Evidence) -> Written:
    """Write down what speaks for or against something, and where it was found."""
    return _written(tx, call)


@_builder("question", "Ask a question", Example({"text": "What does a cold start cost?"}))
def question(tx: Tx, call: Question) -> Written:
    """Write down a question. A later record answers it with `answers`."""
    return _written(tx, call)


@_builder("plan", "Write a plan", Example({"text": "Move the cache", "steps": ["measure", "move", "measure again"]}))
def plan(tx: Tx, call: Plan) -> Written:
    """Write down what is going to be done, step by step."""
    return _written(tx, call)


@_builder("observation", "Write an observation", Example({"text": "The queue grows at night.", "context": "staging"}))
def observation(tx: Tx, call: Observation) -> Written:
    """Write down what was seen, without a judgement."""
    return _written(tx, call)


@_builder(
    "decision",
    "Write a decision",
    Example(
        {
            "text": "Use a read-through cache.",
            "derived_from": ["th:1"],
            "alternativesConsidered": ["write-through", "no cache"],
        },
        given=[_CLAIM],
    ),
)
def decision(tx: Tx, call: Decision) -> Written:
    """Write down what was decided, what it follows from, and what else could have been chosen."""
    return _written(tx, call)


@_builder(
    "revision",
    "Revise a record",
    Example({"text": "Reads dominate writes 30 to 1.", "replacesId": "th:1"}, given=[_CLAIM]),
)
def revision(tx: Tx, call: Revision) -> Written:
    """Write what stands in the place of an earlier record. That one stays as it was."""
    return _written(tx, call)


@room.operation(
    "author",
    writes=True,
    title="Write many records at once",
    errors=[RecordNotFound, HostOnly],
    example=Example(
        {"records": [{"kind": "claim", "text": "Reads dominate."}, {"kind": "plan", "text": "Move", "steps": ["go"]}]}
    ),
)
def author(tx: Tx, call: AuthorRecords) -> RecordsWritten:
    """Write records in order, all of them or none: each has its `kind`, its `text`, and the options of its builder."""
    session = session_for(tx, call.session)
    written = []
    for index, given in enumerate(call.records):
        own = _read(index, given)
        written.append(append(tx, own, own.session or session))
    return RecordsWritten.plainly(
        {"records": [{"id": record.id, "kind": record.kind} for record in written], "session": session}
    )


def _host_only(kind: str) -> None:
    @room.operation(
        kind,
        hidden=True,
        title="Refused: written by Thoughtbox alone",
        errors=[HostOnly],
        example=Example({}, fails_with=HostOnly),
    )
    def refused(tx: Tx, call: HostWritten) -> Handle:
        """Always refused: Thoughtbox writes records of this kind by itself."""
        raise host_only(kind)


for _kind in HOST_ONLY:
    _host_only(_kind)


def append(tx: Tx, call: Authored, session: str) -> Record:
    """Write one record. What it refers to must be there, and stands before it."""
    given = call.model_fields_set
    relations = [
        {"type": name, "to": to} for name in RELATIONS_IN_ORDER if name in given for to in getattr(call, name) or ()
    ]
    attrs = present({wire: getattr(call, name) for wire, name in OWN[call.kind].items()})
    for to in (*(relation["to"] for relation in relations), *attrs.get("answeredBy", ()), *_replaced(attrs)):
        _must_be_there(tx, to)
    return tx.append(
        records.authored(
            call.kind,
            call.text,
            session=session,
            branch=call.branch or MAIN_BRANCH,
            relations=relations,
            attrs=attrs,
            confidence=call.confidence,
            cipher=call.cipher,
            labels=call.labels or (),
            metrics=call.metrics or {},
        ),
        stream=records.stream_of(session),
    )


RELATIONS_IN_ORDER = tuple(name for name in Authored.model_fields if name in RELATIONS)


def host_only(kind: str) -> HostOnly:
    return HostOnly(
        f"records of kind {kind} are written by Thoughtbox itself",
        recovery=f"Write one of {', '.join(MODELS)}.",
        details={"kind": kind},
    )


def _written(tx: Tx, call: Authored) -> Written:
    session = session_for(tx, call.session)
    record = append(tx, call, session)
    return Written.plainly({"id": record.id, "kind": record.kind, "session": session})


def _read(index: int, given: Mapping[str, Any]) -> Authored:
    """One of many records, as its builder would have taken it."""
    kind = given.get("kind")
    if isinstance(kind, str) and kind in HOST_ONLY:
        raise host_only(kind)
    model = MODELS.get(kind) if isinstance(kind, str) else None
    if model is None:
        _refuse(f"records.{index}.kind", f"it is none of {', '.join(MODELS)}")
    own = {name: value for name, value in given.items() if name != "kind"}
    try:
        return model.model_validate(own, by_alias=True, by_name=False)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, ("records", index, *first["loc"])))
        _refuse(place, first["msg"].removeprefix("Value error, "))


def _refuse(place: str, why: str) -> Never:
    raise InvalidPayload(
        f"`{place}`: {why}; nothing was written",
        recovery=TABLE.guidance("author"),
        details={"fields": [place]},
    )


def _must_be_there(tx: Tx, to: str) -> None:
    """Records are numbered without gaps: whatever is not beyond the last one is there."""
    seq, last = seq_of(to), tx.ledger.last_seq_held()
    if seq is None or seq > last:
        raise RecordNotFound(
            f"there is no record {to}: the newest is th:{last}" if last else f"there is no record {to}, nor any other",
            recovery="Refer to a record that is there, or to the handle of one that was written before.",
            details={"id": to},
        )


def _replaced(attrs: Mapping[str, Any]) -> tuple[str, ...]:
    return (attrs["replacesId"],) if "replacesId" in attrs else ()
