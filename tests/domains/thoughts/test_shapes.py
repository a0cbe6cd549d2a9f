"""The types of the document: what is required is there, and everything has the type it says."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from tests.support.box import Box
from tests.support.thinker import Client
from thoughtbox.errors import ThoughtboxError

Check = Callable[[Any], bool]
Shape = dict[str, Check]

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
SLUG = re.compile(r"[a-z0-9-]+")
NODE_ID = re.compile(r"[a-f0-9-]+(:[a-z0-9-]{1,64})?:[0-9]+")


def text(value: Any) -> bool:
    return isinstance(value, str)


def texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(text, value))


def ours(value: Any) -> bool:
    """What the document has no place for stands under one key, which other programs pass over."""
    return isinstance(value, dict)


def switch(value: Any) -> bool:
    return isinstance(value, bool)


def whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def at_least(low: int) -> Check:
    return lambda value: whole(value) and value >= low


def number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def score(value: Any) -> bool:
    return whole(value) and 1 <= value <= 10


def share(value: Any) -> bool:
    return number(value) and 0 <= value <= 1


def moment(value: Any) -> bool:
    """An ISO 8601 date and time in UTC."""
    return text(value) and value.endswith("Z") and datetime.fromisoformat(value).tzinfo is not None


def like(pattern: re.Pattern[str]) -> Check:
    return lambda value: text(value) and pattern.fullmatch(value) is not None


def nothing_or(check: Check) -> Check:
    return lambda value: value is None or check(value)


def one_of(*values: str) -> Check:
    return lambda value: value in values


def listed(check: Check) -> Check:
    return lambda value: isinstance(value, list) and all(map(check, value))


def shaped(required: Shape, optional: Shape | None = None) -> Check:
    """An object that has what is required, and all that it has is known and right."""

    def check(value: Any) -> bool:
        known = {**required, **(optional or {})}
        assert isinstance(value, dict)
        assert required.keys() <= value.keys(), sorted(required.keys() - value.keys())
        assert value.keys() <= known.keys(), sorted(value.keys() - known.keys())
        wrong = {name: value[name] for name in value if not known[name](value[name])}
        assert not wrong, wrong
        return True

    return check


CRITIQUE = shaped({"text": text, "model": text, "timestamp": moment})
THOUGHT_DATA_REQUIRED = {
    "thought": text,
    "thoughtNumber": at_least(1),
    "totalThoughts": at_least(1),
    "nextThoughtNeeded": switch,
    "timestamp": moment,
}
THOUGHT_DATA_OPTIONAL = {
    "isRevision": switch,
    "revisesThought": nothing_or(whole),
    "branchFromThought": nothing_or(whole),
    "branchId": nothing_or(like(SLUG)),
    "needsMoreThoughts": switch,
    "includeGuide": switch,
    "critique": nothing_or(CRITIQUE),
}
THOUGHT_DATA = shaped(THOUGHT_DATA_REQUIRED, THOUGHT_DATA_OPTIONAL)
THOUGHT_READ = shaped(
    {
        **THOUGHT_DATA_REQUIRED,
        "id": like(re.compile(r"th:[0-9]+")),
        "nodeId": like(NODE_ID),
        "kind": text,
        "refs": texts,
        "relations": listed(shaped({"type": text, "to": text})),
    },
    {
        **THOUGHT_DATA_OPTIONAL,
        "labels": texts,
        "confidence": share,
        "notes": texts,
        "revisedBy": text,
        "rejectedBy": text,
        "answeredBy": text,
        "restsOn": text,
    },
)
SESSION_REQUIRED = {
    "id": like(UUID),
    "title": lambda value: text(value) and len(value) <= 200,
    "tags": texts,
    "thoughtCount": at_least(0),
    "branchCount": at_least(0),
    "createdAt": moment,
    "updatedAt": moment,
    "lastAccessedAt": moment,
}
SESSION_OPTIONAL = {"description": nothing_or(text), "partitionPath": nothing_or(text)}
SESSION = shaped(SESSION_REQUIRED, SESSION_OPTIONAL)
SESSION_READ = shaped(
    {**SESSION_REQUIRED, "status": one_of("active", "completed"), "stage": lambda value: value in range(4)},
    {**SESSION_OPTIONAL, **dict.fromkeys(("domain", "project", "task", "aspect", "boundRoot"), text)},
)
NODE = shaped(
    {"id": like(NODE_ID), "data": THOUGHT_DATA},
    {
        "prev": nothing_or(like(NODE_ID)),
        "next": listed(like(NODE_ID)),
        "revisesNode": nothing_or(like(NODE_ID)),
        "branchOrigin": nothing_or(like(NODE_ID)),
        "branchId": nothing_or(like(SLUG)),
        "thoughtbox": ours,
    },
)
EXPORT = shaped(
    {"version": one_of("1.0"), "session": SESSION, "nodes": listed(NODE), "exportedAt": moment}, {"thoughtbox": ours}
)
PATTERN_REQUIRED = {
    "id": like(SLUG),
    "title": text,
    "description": text,
    "tags": texts,
    "createdAt": moment,
    "updatedAt": moment,
}
PATTERN_OPTIONAL = {"derivedFromSessions": listed(like(UUID)), "createdBy": nothing_or(text)}
PATTERN = shaped({**PATTERN_REQUIRED, "content": text}, PATTERN_OPTIONAL)
NOTE_REQUIRED = {"id": like(SLUG), "title": text, "createdAt": moment, "updatedAt": moment}
NOTE = shaped({**NOTE_REQUIRED, "content": text})
ANALYSIS = shaped(
    {
        "sessionId": like(UUID),
        "metadata": shaped(
            {
                "title": text,
                "thoughtCount": at_least(0),
                "branchCount": at_least(0),
                "revisionCount": at_least(0),
                "duration": at_least(0),
                "createdAt": moment,
                "lastUpdatedAt": moment,
            },
            {"tags": nothing_or(texts)},
        ),
        "structure": shaped(
            {"linearityScore": share, "revisionRate": share, "maxDepth": at_least(0), "thoughtDensity": number}
        ),
        "quality": shaped({"critiqueRequests": at_least(0), "hasConvergence": switch, "isComplete": switch}),
    },
    {
        "linearity": share,
        "density": number,
        "completion": number,
        "branchCount": at_least(0),
        "decisions": texts,
        "overturned": texts,
        "rejected": texts,
        "openQuestions": texts,
        "untestedAssumptions": texts,
        "stale": texts,
        "carriedOut": texts,
        "branches": lambda value: isinstance(value, dict),
        "leftOut": lambda value: value == {},
    },
)
LEARNING = shaped(
    {
        "type": one_of("pattern", "anti-pattern", "signal"),
        "content": text,
        "targetPath": text,
        "metadata": shaped(
            {"sourceSession": like(UUID), "sourceThoughts": listed(whole), "extractedAt": moment},
            {
                "behaviorCharacteristics": shaped(
                    {}, {"specificity": score, "applicability": score, "complexity": score, "maturity": score}
                ),
            },
        ),
    },
    {"id": text, "about": texts, "title": text, "description": text},
)
ERROR = shaped(
    {
        "code": one_of(
            "SESSION_NOT_FOUND",
            "THOUGHT_NOT_FOUND",
            "INVALID_OPERATION",
            "STAGE_REQUIREMENT_NOT_MET",
            "INTERNAL_ERROR",
            "INVALID_PAYLOAD",
            "STORAGE_ERROR",
            "SAMPLING_NOT_SUPPORTED",
        ),
        "message": text,
    },
    {"recovery": nothing_or(text), "details": lambda value: value is None or isinstance(value, dict)},
)
FIELDS = {
    "project": "shop",
    "task": "checkout",
    "aspect": "speed",
    "description": "Since Monday",
    "sessionTags": ["web"],
}


@pytest.fixture
def told(box: Box) -> Client:
    """A session with every sort of thought in it."""
    mia = Client(box).ready(**FIELDS)
    mia.think("S1|O|Pages are slow (!)", needsMoreThoughts=True, totalThoughts=4)
    mia.think("S2|H|S1|It is the cache", critique=True)
    mia.critique(thoughtNumber=2, text="Which?", model="m")
    mia.think("aside", branchId="alt", branchFromThought=1)
    mia.think("S3|C|S1|∴ Look at the plan", revisesThought=2)
    return mia


def test_thoughts_are_thought_data_with_their_links(told: Client):
    assert listed(THOUGHT_READ)(told.session_get()["thoughts"])
    assert listed(THOUGHT_READ)(told.read_thoughts(last=9)["thoughts"])
    brief = shaped({"thought": text, "thoughtNumber": at_least(1)}, {"branchId": text, "stands": text})
    assert listed(brief)(told.load_context(sessionId=told.session_id)["lastThoughts"])


def _without_hits(found: dict[str, Any]) -> dict[str, Any]:
    """A session that was found, without what it was found by."""
    assert (found.pop("hits"), found.pop("best")) == (1, "S3|C|S1|∴ Look at the «plan»")
    return {name: value for name, value in found.items() if name not in ("thoughtNumber", "branchId")}


def test_sessions_are_sessions_everywhere(told: Client):
    assert SESSION_READ(told.session_get()["session"])
    assert listed(SESSION_READ)(told.list_sessions()["sessions"])
    assert SESSION_READ(told.get_state()["session"])
    assert SESSION_READ(_without_hits(told.session_search(query="plan")["sessions"][0]))
    assert SESSION_READ({**told.session_resume(sessionId=told.session_id)["session"], "stage": told.stage})
    assert SESSION_READ(told.session_complete()["session"])


def test_an_export_is_a_session_export_of_nodes(told: Client):
    exported = json.loads(told.exported())

    assert EXPORT(exported)
    assert all({"prev", "next", "revisesNode", "branchOrigin"} <= node.keys() for node in exported["nodes"])


def test_an_empty_session_is_exported_in_the_same_shape(tom: Client):
    assert EXPORT(json.loads(tom.exported()))


def test_patterns_are_knowledge_patterns(told: Client):
    created = told.call(
        "knowledge.create_pattern",
        title="P",
        description="d",
        content="c",
        tags=["t"],
        derivedFromSessions=[told.session_id],
    )["pattern"]

    assert PATTERN(created)
    assert PATTERN(told.call("knowledge.get_pattern", patternId=created["id"])["pattern"])
    assert PATTERN(told.call("knowledge.promote", learningId="best")["pattern"])
    assert listed(shaped(PATTERN_REQUIRED, PATTERN_OPTIONAL))(told.call("knowledge.list_patterns")["patterns"])


def test_notes_are_scratchpad_notes(told: Client):
    assert NOTE(told.call("knowledge.write_note", title="N", content="c")["note"])
    assert NOTE(told.call("knowledge.get_note", noteId="n")["note"])
    assert listed(shaped(NOTE_REQUIRED))(told.call("knowledge.list_notes")["notes"])


def test_an_analysis_is_a_session_analysis_with_the_tools_own_names(told: Client):
    assert ANALYSIS(told.session_analyze())
    assert ANALYSIS(Client(told.box).ready().session_analyze())


def test_learnings_are_extracted_learnings(told: Client):
    learnings = told.call("session.extract_learnings")["learnings"]

    assert learnings
    assert listed(LEARNING)(learnings)
    in_full = told.call("session.extract_learnings", maxChars=50_000)["learnings"]
    assert listed(LEARNING)(in_full)
    assert all("behaviorCharacteristics" in learning["metadata"] for learning in in_full)


def test_mental_models_have_the_shapes_of_their_responses(tom: Client):
    assert shaped({"name": like(re.compile("[a-z-]+")), "title": text, "tags": texts, "content": text})(
        tom.call("mental_models.get_model", modelId="five-whys")
    )
    model = shaped({"name": text, "title": text, "description": text, "tags": texts})
    assert shaped({"models": listed(model), "count": whole}, {"filter": text})(tom.call("mental_models.list_models"))
    tag = shaped({"name": text, "description": text})
    assert shaped({"tags": listed(tag), "count": whole})(tom.call("mental_models.list_tags"))


REFUSED: dict[str, dict[str, Any]] = {
    "SESSION_NOT_FOUND": {"operation": "session.get", "sessionId": "nowhere"},
    "THOUGHT_NOT_FOUND": {"operation": "read_thoughts", "thoughtNumber": 99},
    "INVALID_OPERATION": {"operation": "fly"},
    "INVALID_PAYLOAD": {"operation": "thought"},
}


@pytest.mark.parametrize("code", REFUSED)
def test_errors_are_error_payloads_with_a_code_of_the_table(tom: Client, code: str):
    with pytest.raises(ThoughtboxError) as refused:
        tom.gateway(**REFUSED[code])

    payload = refused.value.payload()
    assert ERROR(payload)
    assert payload["code"] == code
    assert payload["message"]


def test_a_stage_that_is_not_reached_is_an_error_payload_too(quick_box: Box):
    with pytest.raises(ThoughtboxError) as refused:
        Client(quick_box).think()

    assert ERROR(refused.value.payload())
    assert refused.value.code == "STAGE_REQUIREMENT_NOT_MET"
