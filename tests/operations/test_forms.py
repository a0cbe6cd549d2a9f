"""`format`: what lists something answers in the compact form, where a call asks for that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jsonschema
import orjson
import pytest

from tests.support.box import Box
from tests.support.thinker import Client
from thoughtbox import domains
from thoughtbox.errors import InvalidInput, InvalidPayload, SessionNotFound, ThoughtboxError
from thoughtbox.operations.forms import FORMAT
from thoughtbox.operations.models import wire_names
from thoughtbox.operations.operation import Operation, Outside
from thoughtbox.operations.parts import arguments_of
from thoughtbox.operations.registry import TABLE
from thoughtbox.operations.schemas import input_schema, output_schema
from thoughtbox.tbx import decode, is_tbx

domains.load()
LISTS = [operation for operation in TABLE if operation.lists]

CHANGING = ("timestamp", "extractedAt", "now")
"""Fields that tell the time."""


@pytest.fixture
def box() -> Iterator[Box]:
    box = Box()
    yield box
    box.close()


@pytest.fixture
def client(box: Box) -> Client:
    return Client(box, stateless=True)


def timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: timeless(part) for name, part in value.items() if name not in CHANGING}
    return list(map(timeless, value)) if isinstance(value, list) else value


def has_a_list(schema: Any, root: dict[str, Any], seen: frozenset[str] = frozenset()) -> bool:
    """Whether what a schema describes holds a list of objects somewhere."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return name not in seen and has_a_list(root["$defs"][name], root, seen | {name})
    if schema.get("type") == "array" and is_object(schema.get("items", {}), root):
        return True
    more = schema.get("additionalProperties")
    inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", []), schema.get("items"), more]
    return any(has_a_list(part, root, seen) for part in inner if isinstance(part, dict))


def is_object(schema: dict[str, Any], root: dict[str, Any]) -> bool:
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
    return schema.get("type") == "object" or any(is_object(each, root) for each in schema.get("anyOf", []))


def test_what_only_reads_and_answers_with_a_list_of_objects_takes_it_and_nothing_else_does():
    for operation in TABLE:
        schema = operation.output.model_json_schema(by_alias=True, mode="serialization")
        reads = not operation.writes and FORMAT not in wire_names(operation.input)
        expected = operation.name == "execute" or (reads and has_a_list(schema, schema))
        assert operation.lists is expected, operation.name
        assert (FORMAT in operation.arguments) is (expected or FORMAT in wire_names(operation.input))
        assert TABLE.known[operation.name].arguments == operation.arguments

    assert len(LISTS) > 60


def test_documents_keep_the_format_that_they_have():
    own = [operation for operation in TABLE if FORMAT in wire_names(operation.input)]

    assert {operation.name for operation in own if not operation.writes} == {
        "session.export",
        "anchors_export",
        "notebook.export",
    }
    assert not any(operation.lists for operation in own)


@pytest.mark.parametrize("operation", [each for each in LISTS if not each.writes], ids=lambda operation: operation.name)
def test_its_answer_means_the_same_in_both_forms_and_fits_its_schema(client: Client, operation: Operation):
    for name, arguments in operation.example.given:
        client.send(name, dict(arguments))
    given = dict(operation.example.arguments)
    if operation.example.fails_with is not None:
        with pytest.raises(operation.example.fails_with):
            client.send(operation.name, {**given, FORMAT: "tbx"})
        return

    plain = client.send(operation.name, given)
    message = client.send(operation.name, {**given, FORMAT: "tbx"})

    assert timeless(client.send(operation.name, {**given, FORMAT: "json"})) == timeless(plain)
    assert timeless(client.send(operation.name, {**given, FORMAT: None})) == timeless(plain)
    assert not is_tbx(plain)
    assert timeless(decode(message)) == timeless(plain)
    for answer in (plain, message):
        jsonschema.validate(answer, output_schema(operation))
    if operation.envelope is not None:
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({}, output_schema(operation))


def test_it_is_said_in_the_schema_and_wherever_arguments_are_told():
    for operation in LISTS:
        assert input_schema(TABLE, operation)["properties"][FORMAT]["enum"] == ["json", "tbx"]
        [part] = [part for part in arguments_of(operation) if part.name == FORMAT]
        assert (part.type, part.when_left_out) == ('"json" or "tbx"', 'default "json"')
    others = [operation for operation in TABLE if not operation.lists and FORMAT not in wire_names(operation.input)]
    assert not any(FORMAT in input_schema(TABLE, operation).get("properties", {}) for operation in others)


@pytest.mark.parametrize("value", ["xml", "TBX", "", 1, True, [], {}, ["tbx"]])
def test_another_value_is_refused_by_name(client: Client, value: Any):
    with pytest.raises(InvalidPayload) as refused:
        client.send("list_sessions", {FORMAT: value})

    assert refused.value.message == "`format` must be 'json' or 'tbx'"
    assert refused.value.recovery == "Send one of these."


def test_what_else_is_wrong_with_the_call_is_told_with_it(client: Client):
    with pytest.raises(InvalidInput) as refused:
        client.send("graph_query", {FORMAT: "xml", "limit": "many", "colour": "red"})

    assert refused.value.details["fields"] == ["format", "limit", "colour"]
    assert [hint["field"] for hint in refused.value.details["hints"]] == ["format", "limit", "colour"]


def test_what_lists_nothing_does_not_know_it(client: Client):
    for operation in ("ledger_status", "thought_plan"):
        refused = client.refusal(operation, format="tbx")
        assert isinstance(refused, InvalidPayload)
        assert "unknown argument `format`" in refused.message


def test_a_misspelt_one_is_put_right(client: Client):
    refused = client.refusal("list_sessions", fromat="tbx")

    assert refused is not None
    assert refused.recovery == "Did you mean `format`?"


def test_records_are_the_messages_records(client: Client):
    for number in range(5):
        client.call("thought_plan", sessionId="s1", planDescription=f"Step {number}")

    message = client.call("ledger_tail", format="tbx")

    assert (message["at"], message["m"]["cols"][0]) == ("records", "i#th:")
    assert decode(message) == client.call("ledger_tail")


def test_the_whole_envelope_of_a_room_is_one_message(client: Client):
    for number in range(5):
        client.call("notes_commit", content=f"Note {number}")

    message = client.call("show", doc_kind="notes", format="tbx")

    assert message.keys() >= {"v", "j"}
    assert message["j"]["success"] is True
    assert [entry["content"] for entry in decode(message)["result"]["entries"]] == [f"Note {n}" for n in range(5)]


def test_calls_in_a_batch_choose_each_for_itself(client: Client):
    client.call("thought_plan", sessionId="s1", planDescription="Move the cache")
    calls = [
        {"operation": "thought_tree", "arguments": {"sessionId": "s1", FORMAT: "tbx"}},
        {"operation": "thought_tree", "arguments": {"sessionId": "s1"}},
        {"operation": "branch_list", "arguments": {FORMAT: "tbx"}},
    ]

    compact, plain, enveloped = client.call("batch", calls=calls)["answers"]

    assert decode(compact) == plain
    assert not is_tbx(plain)
    assert decode(enveloped)["success"] is True


def test_the_gateway_passes_it_on(client: Client):
    client.call("thought_plan", sessionId="s1", planDescription="Move the cache")

    assert is_tbx(client.gateway(operation="thought_tree", sessionId="s1", format="tbx"))
    assert is_tbx(client.gateway(operation="thought_tree", args={"sessionId": "s1", "format": "tbx"}))


@pytest.mark.parametrize("budget", [0, 2, 30, 60, 100, 300, 900, 2_000, 9_000])
def test_a_budget_holds_for_what_goes_out(client: Client, budget: int):
    for number in range(20):
        client.call("thought_record", sessionId="s1", thoughtType="note", content=f"{number} so it is")

    for operation, given in (("thought_tree", {"includeContent": True}), ("thought_for_action", {"actionId": "none"})):
        call = {"sessionId": "s1", **given} if operation == "thought_tree" else given
        message = client.send(operation, {**call, "maxChars": budget, FORMAT: "tbx"})
        answer = decode(message)
        said = len(orjson.dumps({"budget": answer.pop("budget")})) - 1
        assert len(orjson.dumps(message)) - said <= max(budget, len('{"v":"tbx-c1","j":{}}')), operation


def test_an_error_is_told_in_the_form_that_was_asked_for(client: Client):
    outside = Outside(0, None)
    error = SessionNotFound("there is no session `s2`", recovery="Known sessions: s1.")
    tree, query, plan = (TABLE.operations[name] for name in ("thought_tree", "graph_query", "thought_plan"))

    told = tree.refusal(error, {FORMAT: "tbx"}, outside)
    enveloped = query.refusal(error, {FORMAT: "tbx"}, outside)

    assert told["m"][0]["a"] == {"status": "error", "code": "SESSION_NOT_FOUND", "recovery": "Known sessions: s1."}
    assert decode(told) == error.payload() == tree.refusal(error, {}, outside)
    assert decode(enveloped) == query.refusal(error, {FORMAT: "json"}, outside)
    assert enveloped["at"] == "error"
    assert plan.refusal(error, {FORMAT: "tbx"}, outside) == error.payload(), "it writes, and knows no other form"


def test_a_refused_format_is_told_in_plain_json(client: Client):
    error: ThoughtboxError = InvalidPayload("`format` must be 'json' or 'tbx'")

    assert TABLE.operations["thought_tree"].refusal(error, {FORMAT: "xml"}, Outside(0, None)) == error.payload()
