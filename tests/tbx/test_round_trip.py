"""What is encoded comes back as it was, whatever it is."""

from __future__ import annotations

import json
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.session_logs import session_logs
from tests.tbx.values import alike, anything, records, same
from thoughtbox.tbx import decode, encode, is_tbx

thorough = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))


def travelled(value: Any) -> Any:
    """A value that was encoded, written as JSON, read and decoded."""
    message = encode(value)
    read = json.loads(json.dumps(message))
    assert same(read, message), "a message is plain JSON"
    assert is_tbx(message)
    found = decode(read)
    assert same(read, message), "decoding leaves a message as it is"
    return found


@thorough
@given(anything(20))
def test_any_json_comes_back(value: Any):
    assert same(travelled(value), value)


@thorough
@given(alike(anything(4)))
def test_any_list_of_objects_comes_back(value: list[dict[str, Any]]):
    assert same(travelled(value), value)


@thorough
@given(st.lists(records(), max_size=7))
def test_any_list_of_records_comes_back(value: list[dict[str, Any]]):
    assert same(travelled(value), value)


@thorough
@given(records(), st.dictionaries(st.sampled_from(["seq", "id", "kind", "body", "extra"]), anything(4), max_size=2))
def test_any_record_comes_back_also_with_fields_that_records_do_not_have(record: dict[str, Any], more: dict[str, Any]):
    assert same(travelled(record), record)
    assert same(travelled({**record, **more}), {**record, **more})


@thorough
@given(records(), st.data())
def test_a_record_that_lacks_something_comes_back_without_it(record: dict[str, Any], data: st.DataObject):
    gone = data.draw(st.sets(st.sampled_from(sorted(record)), min_size=1, max_size=3))
    less = {name: value for name, value in record.items() if name not in gone}

    assert same(travelled([less, record]), [less, record])


@thorough
@given(st.fixed_dictionaries({"result": anything(6), "records": st.lists(records(), max_size=5), "rows": alike()}))
def test_a_result_with_records_and_rows_in_it_comes_back(value: dict[str, Any]):
    assert same(travelled(value), value)


@pytest.mark.parametrize("room", ["thoughts", "mind", "memory"])
def test_the_log_of_a_long_session_comes_back(room: str):
    log = session_logs()[room]

    assert same(travelled(log), log)
    assert same(travelled(log[17]), log[17])
    assert same(travelled({"records": log, "next": None}), {"records": log, "next": None})


def test_the_same_value_is_the_same_bytes():
    for log in session_logs().values():
        again = json.loads(json.dumps(log))

        assert orjson.dumps(encode(again)) == orjson.dumps(encode(log))


def test_what_nests_too_deeply_to_be_looked_through_is_sent_as_it_is():
    value: list[Any] = []
    for _ in range(5_000):
        value = [value]

    message = encode({"deep": value, "rows": [{"a": 1}] * 9})

    found, depth = decode(message)["deep"], 0
    while found:
        [found], depth = found, depth + 1
    assert depth == 5_000


def test_a_number_too_long_to_be_written_is_passed_on():
    value = [{"n": 10**5_000, "text": "a text"} for _ in range(5)]

    assert decode(encode(value)) == value


def test_plain_json_is_told_from_a_message_by_its_version():
    assert is_tbx(encode([1, 2]))
    assert is_tbx({"v": "tbx-c2"}), "of another version, but not plain"
    assert not any(map(is_tbx, ([], "tbx-c1", None, {}, {"v": 1}, {"v": "1.0"}, {"version": "tbx-c1"})))
    hostile = {"v": "tbx-c1", "j": 1}
    assert decode(encode(hostile)) == hostile
