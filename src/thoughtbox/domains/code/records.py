"""What this room writes: records that a model authors, the calls around snippets, and variables. Pure logic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from thoughtbox.errors import InvalidRecord
from thoughtbox.ledger.ledger import Ledger
from thoughtbox.ledger.record import AUTHORED, Draft, Kind, Record, present, seq_of
from thoughtbox.operations import Name, RecordData, earlier, must_stand_in, redacted

AUTHORED_TOPIC: Final = "code.record"
CALLED: Final = "code.call"
ENDED: Final = "code.result"
VARIABLE: Final = "code.variable"

STREAMS = "code"

LONGEST_SUMMARY = 200


def stream_of(session: str) -> str:
    return f"{STREAMS}/{session}"


def authored(
    kind: Kind,
    text: str,
    *,
    session: str,
    branch: str,
    relations: Sequence[Mapping[str, str]],
    attrs: Mapping[str, Any],
    confidence: float | None,
    cipher: str | None,
    labels: Sequence[str],
    metrics: Mapping[str, float],
) -> Draft:
    """A record that a model writes. Relations may stand on any kind; a claim always has them, be they none."""
    own = {**attrs, "relations": list(relations)} if relations or kind == "claim" else attrs
    return Draft(
        kind=kind,
        topic=AUTHORED_TOPIC,
        text=redacted(text),
        session=session,
        branch=branch,
        attrs=redacted(dict(own)),
        confidence=confidence,
        cipher=cipher,
        labels=labels,
        metrics=metrics,
    )


def called(session: str, code: str, language: str) -> Draft:
    """That a snippet is run: all of it, for whoever asks later what was done."""
    return Draft(
        kind="tool_call",
        topic=CALLED,
        text=_first_line(code),
        session=session,
        attrs={"toolName": "execute", "args": {"code": redacted(code), "language": language}},
    )


def ended(
    session: str,
    call: Record,
    *,
    said: str,
    records: int = 0,
    error: Mapping[str, Any] | None = None,
) -> Draft:
    """How it has ended: well, with so many records of others between the two, or with an error."""
    status = "ok" if error is None else "error"
    return Draft(
        kind="tool_result",
        topic=ENDED,
        text=redacted(said),
        session=session,
        attrs={"callId": call.id, "status": status},
        data=present({"records": records, "error": redacted(dict(error)) if error is not None else None}),
    )


Change = Literal["set", "deleted"]


def variable(session: str, name: str, change: Change, value: Any = None) -> Draft:
    """That a variable has a value from now on, or none."""
    return Draft(
        kind="hub_event",
        topic=VARIABLE,
        text=name,
        session=session,
        attrs={"eventType": f"variable_{change}"},
        data={"name": name, "change": change, **({"value": value} if change == "set" else {})},
    )


class EndData(RecordData):
    """What the end of a snippet says beside its text."""

    records: int
    error: dict[str, Any] | None = None


class VariableData(RecordData):
    """What a change of a variable says."""

    name: Name
    change: Change


def opened(record: Record, before: Ledger) -> Record:
    """A record that comes from elsewhere; refuses one that could not be read later."""
    must_stand_in(record, stream_of(record.session))
    match record.topic:
        case "code.record":
            _check_authored(record)
        case "code.call":
            if record.kind != "tool_call":
                raise InvalidRecord("a snippet's call is a tool_call")
        case "code.result":
            if record.kind != "tool_result":
                raise InvalidRecord("a snippet's end is a tool_result")
            EndData.read(record.data)
            earlier(before, record, record.attrs["callId"], topic=CALLED)
        case _:
            VariableData.read(record.data)
            if record.data["change"] == "set" and "value" not in record.data:
                raise InvalidRecord("`data.value` is missing")
    return record


def _check_authored(record: Record) -> None:
    if record.kind not in AUTHORED:
        raise InvalidRecord(f"a {record.kind} is not written by a builder")
    for linked in record.envelope["refs"]:
        seq = seq_of(linked)
        if seq is None or seq >= record.seq:
            raise InvalidRecord(f"it refers to {linked}, which is no record before it")


def _first_line(code: str) -> str:
    lines = [line.strip() for line in code.splitlines() if line.strip()]
    said = redacted(lines[0][:LONGEST_SUMMARY]) if lines else "nothing"
    return said if len(lines) <= 1 else f"{said} … ({len(lines)} lines)"
