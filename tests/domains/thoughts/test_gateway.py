"""The gateway: one operation that leads to all others, however the arguments are folded."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.box import Box
from tests.support.thinker import Client
from thoughtbox.errors import InvalidOperation, InvalidPayload, StageRequirementNotMet
from thoughtbox.operations.registry import TABLE, tool_name


@pytest.fixture
def told(tom: Client) -> Client:
    """A session with a thought in it, at stage 2."""
    tom.think("the first")
    return tom


FORMS: dict[str, dict[str, Any]] = {
    "flat": {"operation": "session", "subOperation": "get", "sessionId": "latest"},
    "dotted": {"operation": "session.get", "sessionId": "latest"},
    "as a tool's name": {"operation": "session_get", "sessionId": "latest"},
    "arguments apart": {"operation": "session", "subOperation": "get", "args": {"sessionId": "latest"}},
    "dotted, arguments apart": {"operation": "session.get", "args": {"sessionId": "latest"}},
    "nested": {"operation": "session", "args": {"operation": "get", "args": {"sessionId": "latest"}}},
    "nested, arguments beside": {"operation": "session", "args": {"operation": "get", "sessionId": "latest"}},
    "sub-operation apart": {"operation": "session", "args": {"subOperation": "get", "sessionId": "latest"}},
    "arguments as text": {"operation": "session.get", "args": '{"sessionId": "latest"}'},
    "nested as text": {
        "operation": "session",
        "args": '{"operation": "get", "args": "{\\"sessionId\\": \\"latest\\"}"}',
    },
    "said twice, and the same": {"operation": "session.get", "sessionId": "latest", "args": {"sessionId": "latest"}},
    "with nothing in the rest": {"operation": "session.get", "subOperation": None, "args": None, "sessionId": "latest"},
    "with empty arguments": {"operation": "session.get", "args": {}, "sessionId": "latest"},
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_means_the_same_call(told: Client, form: str):
    assert told.gateway(**FORMS[form]) == told.session_get(sessionId="latest")


def test_flat_arguments_are_those_of_the_document(tom: Client):
    answer = tom.gateway(
        operation="thought", thought="flat", thoughtNumber=1, totalThoughts=3, nextThoughtNeeded=True, critique=False
    )

    assert (answer["thoughtNumber"], answer["totalThoughts"]) == (1, 3)


def test_nested_arguments_record_the_same_thought(tom: Client):
    assert tom.gateway(operation="thought", args={"thought": "nested"})["thoughtNumber"] == 1
    assert tom.read_thoughts()["thoughts"][0]["thought"] == "nested"


def test_an_argument_called_operation_reaches_the_one_that_has_none_of_it(tom: Client):
    with pytest.raises(InvalidPayload, match="unknown argument `operation`"):
        tom.gateway(operation="thought", args={"operation": "thought", "thought": "x"})


@pytest.mark.parametrize(
    "form",
    [
        {"operation": "thought", "thought": "a", "args": {"thought": "b"}},
        {"operation": "session", "subOperation": "get", "sessionId": "x", "args": {"sessionId": "y"}},
        {"operation": "session", "subOperation": "get", "args": {"subOperation": "list"}},
    ],
)
def test_what_is_said_twice_and_differently_is_refused(tom: Client, form: dict[str, Any]):
    before = tom.records()

    with pytest.raises(InvalidPayload, match="given twice, and differently"):
        tom.gateway(**form)

    assert tom.records() == before


def test_an_operation_that_is_not_there_is_refused_and_the_nearest_is_named(tom: Client):
    with pytest.raises(InvalidOperation, match="no operation `list_session`") as refused:
        tom.gateway(operation="list_session")

    assert "list_sessions" in str(refused.value.recovery)
    assert refused.value.details["nearest"] == ["list_sessions"]


@pytest.mark.parametrize(
    "name", ["THOUGHT", "thought ", "session.", ".get", "session.get.get", "workbook", "…", "x" * 9999]
)
def test_a_name_that_is_almost_one_is_refused_too(tom: Client, name: str):
    with pytest.raises(InvalidOperation):
        tom.gateway(operation=name)


def test_a_sub_operation_that_is_not_there_is_refused(tom: Client):
    with pytest.raises(InvalidOperation, match=r"session\.fetch"):
        tom.gateway(operation="session", subOperation="fetch")


@pytest.mark.parametrize("missing", [{}, {"operation": None}, {"operation": ""}, {"args": {"operation": "get_state"}}])
def test_a_call_without_an_operation_is_told_where_to_begin(tom: Client, missing: dict[str, Any]):
    with pytest.raises(InvalidPayload, match="`operation` is missing") as refused:
        tom.gateway(**missing)

    assert str(refused.value.recovery) == '{"operation":"describe"} shows all operations.'


@pytest.mark.parametrize("family", ["session", "knowledge", "mental_models"])
@pytest.mark.parametrize("rest", [{}, {"subOperation": ""}, {"args": {}}, {"args": {"sessionId": "latest"}}])
def test_a_family_without_its_sub_operation_lists_them(tom: Client, family: str, rest: dict[str, Any]):
    with pytest.raises(InvalidPayload, match="needs `subOperation`") as refused:
        tom.gateway(operation=family, **rest)

    members = {each.name.partition(".")[2] for each in TABLE if each.name.startswith(f"{family}.") and not each.hidden}
    assert all(member in str(refused.value.recovery) for member in members)


@pytest.mark.parametrize("wrong", [7, True, ["get_state"], {"name": "get_state"}])
@pytest.mark.parametrize("field", ["operation", "subOperation"])
def test_a_name_that_is_no_text_is_refused(tom: Client, field: str, wrong: Any):
    with pytest.raises(InvalidPayload, match=f"`{field}` must be a text"):
        tom.gateway(**{"operation": "session", field: wrong})


@pytest.mark.parametrize("wrong", ["not json", "[1]", "7", '"x"', "null", 8, [1], True, "[" * 100_000])
def test_arguments_that_are_no_object_are_refused(tom: Client, wrong: Any):
    with pytest.raises(InvalidPayload, match="`args` must be an object"):
        tom.gateway(operation="get_state", args=wrong)


def test_an_argument_that_the_operation_does_not_know_is_refused_by_name(tom: Client):
    with pytest.raises(InvalidPayload, match="unknown argument `sesionId`") as refused:
        tom.gateway(operation="session.get", sesionId="latest")

    assert "sessionId" in str(refused.value.recovery)


@pytest.mark.parametrize("name", ["thoughtbox_gateway"])
def test_the_gateway_does_not_lead_to_itself(tom: Client, name: str):
    with pytest.raises(InvalidOperation):
        tom.gateway(operation=name, args={"operation": "get_state"})


def test_operations_of_other_rooms_go_by_their_name(quick_box: Box):
    nobody = Client(quick_box, stateless=True)

    written = nobody.gateway(operation="thought_record", sessionId="s", thoughtType="plan", content="first look")
    assert written["success"] is True
    assert nobody.gateway(operation="thought_tree", args={"sessionId": "s"})["count"] == 1
    assert nobody.gateway(operation="ledger_verify")["valid"] is True


def test_every_operation_there_is_can_be_reached_by_its_name_and_by_its_tools_name():
    for operation in TABLE:
        if operation.gateway is not None:
            continue
        for name in (operation.name, tool_name(operation.name)):
            found, arguments = TABLE.resolve("thoughtbox_gateway", {"operation": name, "sessionId": "s"})
            assert (found.name, arguments) == (operation.name, {"sessionId": "s"})


def test_every_operation_of_the_document_and_the_decisions_is_there():
    simple = "get_state start_new load_context list_sessions navigate list_roots bind_root cipher thought"
    ours = "read_thoughts get_structure critique deep_analysis"
    families = {
        "session": "list get search resume export analyze extract_learnings rename tag complete delete resume_latest",
        "mental_models": "get_model list_models list_tags",
        "knowledge": "create_pattern get_pattern update_pattern list_patterns delete_pattern"
        " write_note get_note list_notes delete_note promote",
    }

    assert {*simple.split(), *ours.split()} <= set(TABLE.operations)
    for family, members in families.items():
        assert set(members.split()) <= set(TABLE.family(family))


def test_stages_hold_behind_the_gateway_too(quick_box: Box):
    with pytest.raises(StageRequirementNotMet):
        Client(quick_box).gateway(operation="thought", thought="too early")


def test_an_idempotency_key_covers_the_call_however_it_is_folded(tom: Client):
    first = tom.gateway(operation="thought", thought="once", key="k")

    assert tom.gateway(operation="thought", args={"thought": "once"}, key="k") == first
    assert tom.call("thought", thought="once", key="k") == first
    assert tom.session_get()["session"]["thoughtCount"] == 1


def test_reads_behind_the_gateway_can_be_made_as_of_an_earlier_record(tom: Client):
    tom.think()
    then = tom.records()
    tom.think()

    assert tom.gateway(operation="session.get", as_of=then)["session"]["thoughtCount"] == 1


def test_deeply_folded_arguments_are_unfolded_twice_and_no_further(tom: Client):
    form: dict[str, Any] = {"sessionId": "latest"}
    for _ in range(3):
        form = {"operation": "get", "args": form}

    with pytest.raises(InvalidPayload):
        tom.gateway(operation="session", args=json.dumps(form))
