"""Messages as they come and as they go."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import jsonrpc_message_adapter
from pydantic import ValidationError

from thoughtbox.doors.mcp import jsonrpc
from thoughtbox.doors.mcp.jsonrpc import INVALID_REQUEST, PARSE_ERROR, Incoming, Malformed, Reply

SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-10, 2**70), st.just(1.5), st.text(max_size=5))
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
    max_leaves=6,
)
AROUND = {
    "jsonrpc": st.one_of(st.just("2.0"), VALUES),
    "id": st.one_of(st.integers(), st.text(max_size=5), VALUES),
}
REQUESTS = {
    "method": st.one_of(st.just("ping"), VALUES),
    "params": st.one_of(st.dictionaries(st.text(max_size=5), VALUES, max_size=3), VALUES),
}
RESULTS = {"result": st.one_of(st.just({}), VALUES)}
ERRORS = {"error": st.one_of(st.just({"code": -1, "message": "no"}), VALUES)}
PARTS = st.one_of([st.fixed_dictionaries({}, optional={**AROUND, **own}) for own in (REQUESTS, RESULTS, ERRORS)])


@pytest.fixture(params=["the first messages", "all others"], autouse=True, scope="module")
def way(request: pytest.FixtureRequest) -> Iterator[None]:
    """Both ways in which messages are read and written."""
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(jsonrpc, "_loads", jsonrpc._loaded_first)
        changed.setattr(jsonrpc, "_dumps", jsonrpc._dumped_first)
        if request.param == "all others":
            jsonrpc.hasten()
        yield


@given(PARTS)
def test_what_is_a_message_to_the_sdk_is_one_here(parts: dict[str, Any]):
    """But for an id that cannot be one: the SDK takes such a request for a notification, and nobody would answer it."""
    found = jsonrpc.read(json.dumps(parts).encode())
    try:
        known = jsonrpc_message_adapter.validate_python(parts, by_name=False)
    except ValidationError:
        assert isinstance(found, Malformed)
        assert found.code == INVALID_REQUEST
        return

    told = known.model_dump(exclude_unset=True)
    if isinstance(found, Malformed):
        assert "id" in parts
        assert "id" not in told
    elif isinstance(found, Incoming):
        assert (found.id, found.method, found.params) == (told.get("id"), told["method"], told.get("params"))
    else:
        assert (found.id, found.result) == (told.get("id"), told.get("result"))
        assert (found.error or {}).get("code") == told.get("error", {}).get("code")


@pytest.mark.parametrize(
    "text",
    [b"", b"{", b"[1,2", b'{"id": 01}', b"\xff", '{"id":"\ud800"}'.encode("utf-8", "surrogatepass"), b"[" * 5_000],
)
def test_what_is_no_json_is_a_parse_error(text: bytes):
    found = jsonrpc.read(text)

    assert isinstance(found, Malformed)
    assert (found.code, found.id) == (PARSE_ERROR, None)


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999", "9" * 400])
def test_numbers_that_no_message_should_have_are_read_so_that_they_can_be_refused_in_words(number: str):
    found = jsonrpc.read(f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"x":{number}}}}}'.encode())

    assert isinstance(found, Incoming)
    assert found.params is not None
    assert repr(found.params["x"]) == repr(json.loads(number))


@given(st.one_of(st.integers(), st.text(st.characters(), max_size=20)))
def test_every_id_comes_back_as_it_was_sent(id: str | int):
    sent = json.dumps({"jsonrpc": "2.0", "id": id, "method": "ping"}).encode()
    found = jsonrpc.read(sent)

    assert isinstance(found, Incoming)
    assert found.id is not None
    for answer in (jsonrpc.result(found.id, {}), jsonrpc.error(found.id, -1, "no")):
        assert json.loads(answer)["id"] == id


def test_what_was_written_before_goes_out_as_it_is_also_beside_an_id_of_more_than_64_bits():
    result = {"structuredContent": orjson.Fragment(b'{"a":[1,2]}')}

    for id in (7, 2**80):
        assert json.loads(jsonrpc.result(id, result)) == {
            "jsonrpc": "2.0",
            "id": id,
            "result": {"structuredContent": {"a": [1, 2]}},
        }


def test_a_batch_is_refused_as_such():
    found = jsonrpc.read(b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]')

    assert isinstance(found, Malformed)
    assert "batch" in found.reason


def test_an_answer_under_a_number_that_comes_back_as_a_text_is_the_same():
    reply = jsonrpc.read(b'{"jsonrpc":"2.0","id":"12","result":{}}')

    assert isinstance(reply, Reply)
    assert jsonrpc.same_id(reply.id) == 12
    assert jsonrpc.same_id("12a") == "12a"
