"""What the document says of those who watch, as schemas: "Observatory Types", "Event Types" and ErrorPayload."""

from __future__ import annotations

from typing import Any

from jsonschema import Draft202012Validator, FormatChecker

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
TEXT_OR_NONE: Schema = {"type": ["string", "null"]}
NUMBER: Schema = {"type": "integer"}
COUNTED: Schema = {"type": "integer", "minimum": 1}
TIME: Schema = {"type": "string", "format": "date-time", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$"}


def _object(required: str, **properties: Schema) -> Schema:
    return {"type": "object", "required": required.split(), "properties": properties}


def _of(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


DEFINITIONS: Schema = {
    "ObservatorySession": _object(
        "id createdAt status",
        id=TEXT,
        title=TEXT_OR_NONE,
        tags={"type": "array", "items": TEXT},
        createdAt=TIME,
        completedAt={"anyOf": [TIME, {"type": "null"}]},
        status={"enum": ["active", "completed", "abandoned"]},
    ),
    "ObservatoryThought": _object(
        "id thoughtNumber totalThoughts thought nextThoughtNeeded timestamp",
        id=TEXT,
        thoughtNumber=COUNTED,
        totalThoughts=COUNTED,
        thought=TEXT,
        nextThoughtNeeded={"type": "boolean"},
        timestamp=TIME,
        isRevision={"type": "boolean"},
        revisesThought=NUMBER,
        branchId=TEXT,
        branchFromThought=NUMBER,
    ),
    "ObservatoryBranch": _object(
        "id fromThoughtNumber thoughts",
        id=TEXT,
        name=TEXT_OR_NONE,
        fromThoughtNumber=NUMBER,
        thoughts={"type": "array", "items": _of("ObservatoryThought")},
    ),
    "session:snapshot": _object(
        "session thoughts branches seq truncated nextCursor",
        session=_of("ObservatorySession"),
        thoughts={"type": "array", "items": _of("ObservatoryThought")},
        branches={"type": "object", "additionalProperties": _of("ObservatoryBranch")},
        seq=NUMBER,
        truncated={"type": "boolean"},
        nextCursor=TEXT_OR_NONE,
    ),
    "thought:added": _object(
        "sessionId nodeId thought parentId seq",
        sessionId=TEXT,
        nodeId=TEXT,
        thought=_of("ObservatoryThought"),
        parentId=TEXT_OR_NONE,
        seq=NUMBER,
    ),
    "thought:revised": _object(
        "sessionId thought parentId revisedNodeId newNodeId originalThoughtNumber seq",
        sessionId=TEXT,
        thought=_of("ObservatoryThought"),
        parentId=TEXT_OR_NONE,
        revisedNodeId=TEXT,
        newNodeId=TEXT,
        originalThoughtNumber=NUMBER,
        seq=NUMBER,
    ),
    "thought:branched": _object(
        "sessionId thought parentId branchId originNodeId newNodeId fromThoughtNumber seq",
        sessionId=TEXT,
        thought=_of("ObservatoryThought"),
        parentId=TEXT_OR_NONE,
        branchId=TEXT,
        originNodeId=TEXT,
        newNodeId=TEXT,
        fromThoughtNumber=NUMBER,
        seq=NUMBER,
    ),
    "sessions:list": _object(
        "sessions seq", sessions={"type": "array", "items": _of("ObservatorySession")}, seq=NUMBER
    ),
    "session:started": _object(
        "session sessionId title seq", session=_of("ObservatorySession"), sessionId=TEXT, title=TEXT_OR_NONE, seq=NUMBER
    ),
    "session:updated": _object("session seq", session=_of("ObservatorySession"), seq=NUMBER),
    "session:ended": _object("sessionId finalThoughtCount seq", sessionId=TEXT, finalThoughtCount=NUMBER, seq=NUMBER),
    "record:added": _object(
        "seq id stream room kind record",
        seq=NUMBER,
        id=TEXT,
        stream=TEXT,
        room=TEXT,
        kind=TEXT,
        record={"type": "object"},
    ),
    "records:coalesced": _object("from to seq", **{"from": NUMBER, "to": NUMBER, "seq": NUMBER}),
    "error": _object("code message", code=TEXT, message=TEXT, details={"type": ["object", "null"]}),
}
CHANNEL_OF = {"session": "sessions", "sessions": "sessions", "thought": "reasoning", "record": "records"}


def check(event: dict[str, Any]) -> dict[str, Any]:
    """The same event; it is an error unless it is one of the document's, on its channel, with its number."""
    name = event["event"]
    schema = {"$defs": DEFINITIONS, "$ref": f"#/$defs/{name}"}
    Draft202012Validator(schema, format_checker=FormatChecker()).validate(event["data"])
    if name != "error":
        assert event["seq"] == event["data"]["seq"]
        assert set(event) == {"channel", "event", "seq", "data"}
        if name not in ("session:snapshot", "records:coalesced"):
            assert event["channel"] == CHANNEL_OF[name.partition(":")[0]]
    return event
