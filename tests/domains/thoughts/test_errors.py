"""Whatever is sent, the answer is an answer or an error of the document's table, and a refusal writes nothing."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.box import Box
from tests.support.thinker import Client
from thoughtbox.domains.thoughts.view.thoughts import Thoughts
from thoughtbox.errors import StorageError, ThoughtboxError
from thoughtbox.operations.dispatch import fault
from thoughtbox.operations.models import wire_names
from thoughtbox.operations.registry import TABLE

TABLE_OF_THE_DOCUMENT = {
    "SESSION_NOT_FOUND",
    "THOUGHT_NOT_FOUND",
    "INVALID_OPERATION",
    "STAGE_REQUIREMENT_NOT_MET",
    "INTERNAL_ERROR",
    "INVALID_PAYLOAD",
    "STORAGE_ERROR",
    "SAMPLING_NOT_SUPPORTED",
}
CALLERS_FAULT = TABLE_OF_THE_DOCUMENT - {"INTERNAL_ERROR", "STORAGE_ERROR"}

ODD: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    1,
    1.5,
    2**53,
    2**70,
    float("nan"),
    float("inf"),
    "",
    " ",
    "latest",
    "x",
    "\0",
    "\ud800",
    "../../etc/passwd",
    "' OR 1=1; --",
    "思考🧠",
    "x" * 2_000,
    [],
    ["x"],
    [[["x"]]],
    [None],
    [1, 2],
    {},
    {"x": "y"},
    {"thoughtNumber": 1, "type": "decision"},
    {"\0": 1},
]


NAMES = [
    *(
        "thought",
        "subOperation",
        "args",
        "sessionId",
        "branchId",
        "branchFromThought",
        "thoughtNumber",
        "range",
        "last",
    ),
    *("cursor", "title", "query", "operation", "revisesThought", "isRevision", "patternId", "x"),
]


def ours() -> list[str]:
    """What agents call; hidden operations stand behind resources, and have the errors of those."""
    return [
        operation.name
        for operation in TABLE
        if operation.room == "thoughts" and operation.gateway is None and not operation.hidden
    ]


@pytest.fixture(scope="module")
def bold() -> Any:
    """A client that nothing is refused for its stage, in a session with a thought, a pattern and a note called `x`."""
    box = Box(THOUGHTBOX_STAGES="guide")
    client = Client(box).ready()
    client.think("first")
    client.call("knowledge.create_pattern", title="x", description="x", content="x")
    client.call("knowledge.write_note", title="x", content="x")
    yield client
    box.close()


def test_every_operation_of_the_room_declares_codes_of_the_table():
    declared = {error.code for name in ours() for error in TABLE.operations[name].errors}

    assert declared <= TABLE_OF_THE_DOCUMENT


@pytest.mark.sampled(2)
@pytest.mark.parametrize("operation", ours())
def test_an_argument_of_any_kind_is_answered_or_refused_as_the_callers_fault(bold: Client, operation: str):
    found = TABLE.operations[operation]
    example = dict(found.example.arguments)
    for field in (*wire_names(found.input), "unknown"):
        for value in ODD:
            before = bold.records()
            refused = bold.refusal(operation, **{**example, field: value})
            if refused is not None:
                assert refused.code in CALLERS_FAULT, (field, value)
                assert bold.records() == before, (field, value)
                json.dumps(refused.payload())


@given(
    operation=st.sampled_from(["thought", "session", "read_thoughts", "knowledge", "navigate", "mental_models"]),
    arguments=st.dictionaries(
        st.sampled_from(NAMES),
        st.recursive(
            st.none()
            | st.booleans()
            | st.integers()
            | st.floats()
            | st.text(max_size=8)
            | st.sampled_from(["get", "1"]),
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
            max_leaves=6,
        ),
        max_size=6,
    ),
)
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_call_to_the_gateway_is_answered_or_refused_as_the_callers_fault(
    bold: Client, operation: str, arguments: dict[str, Any]
):
    before = bold.records()

    refused = bold.refusal("thoughtbox_gateway", **{"operation": operation, **arguments})

    if refused is not None:
        assert refused.code in CALLERS_FAULT
        assert bold.records() == before


def test_every_error_says_what_to_send_instead(bold: Client):
    for call in (
        {"operation": "thought", "thought": ""},
        {"operation": "thought", "thought": "x", "revisesThought": 10**9},
        {"operation": "session.get", "sessionId": "nowhere"},
        {"operation": "session"},
        {"operation": "sesion.get"},
        {"operation": "knowledge.get_note", "noteId": "nowhere"},
        {"operation": "mental_models.get_model", "modelId": "nowhere"},
        {"operation": "read_thoughts", "cursor": "x"},
        {"operation": "bind_root", "rootUri": "x"},
    ):
        with pytest.raises(ThoughtboxError) as refused:
            bold.gateway(**call)
        assert refused.value.recovery, call


def test_what_goes_wrong_inside_is_an_internal_error_that_tells_nothing_of_the_inside(
    tom: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError("secret of the inside")

    monkeypatch.setattr(Thoughts, "line", broken)
    before = tom.records()
    with caplog.at_level(logging.CRITICAL), pytest.raises(RuntimeError) as raised:
        tom.think()
    told = fault(raised.value)

    assert told.code == "INTERNAL_ERROR"
    assert "secret" not in str(told.payload())
    assert tom.records() == before
    monkeypatch.undo()
    assert tom.think()["thoughtNumber"] == 1


def test_what_goes_wrong_in_the_store_is_a_storage_error(tom: Client):
    tom.box.close()

    with pytest.raises(StorageError) as refused:
        tom.think()

    assert refused.value.code == "STORAGE_ERROR"
