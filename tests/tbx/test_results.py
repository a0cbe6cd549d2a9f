"""Results: their lists as columns, the rest as it is; and errors."""

from __future__ import annotations

from typing import Any

import pytest

from thoughtbox.errors import SessionNotFound
from thoughtbox.tbx import decode, encode, encode_error

ROWS = [{"name": name, "age": age} for name, age in (("ann", 31), ("bob", 45), ("cem", 27))]
COLUMNS = {"cols": ["name", "age"], "rows": [["ann", 31], ["bob", 45], ["cem", 27]]}


def test_a_list_in_a_result_is_named_by_its_path_and_the_rest_is_plain():
    value = {"count": 3, "people": ROWS, "more": {"cursor": None}}

    assert encode(value) == {
        "v": "tbx-c1",
        **COLUMNS,
        "at": "people",
        "j": {"count": 3, "more": {"cursor": None}},
    }
    assert decode(encode(value)) == value


def test_several_lists_are_parts_by_their_paths():
    value = {"result": {"people": ROWS, "guests": ROWS}, "ok": True}

    message = encode(value)

    assert message["at"] == {"result.people": COLUMNS, "result.guests": COLUMNS}
    assert message["j"] == {"result": {}, "ok": True}
    assert decode(message) == value


def test_parts_have_dictionaries_of_their_own():
    long = ["a text that is long enough to be worth a key", "and so is this one, which is as long"]
    people = [{"team": long[number % 2], "n": number} for number in range(8)]
    teams = [{"team": f"{number} {long[0]}", "n": number} for number in range(8)]

    message = encode({"people": people, "teams": teams})

    assert message["at"]["people"]["d"] == {"team": {"a": long[0], "b": long[1]}}
    assert "d" not in message["at"]["teams"]
    assert decode(message) == {"people": people, "teams": teams}


def test_a_list_among_others_leaves_its_place_empty():
    value = {"trails": [ROWS, [], ROWS[:1], ROWS]}

    message = encode(value)

    assert message["at"] == {"trails.0": COLUMNS, "trails.3": COLUMNS}
    assert message["j"] == {"trails": [None, [], ROWS[:1], None]}
    assert decode(message) == value


def test_names_in_the_way_to_a_list_may_hold_anything():
    value = {"a.b": {"": {"0": {"~*?": ROWS}}}}

    assert encode(value)["at"] == "a~1b..0.~0~6~2"
    assert decode(encode(value)) == value


def test_a_result_without_a_list_is_all_rest():
    for value in ({"a": 1}, [], {}, None, 0, "text", [1, 2, 3], ROWS[:2]):
        assert encode(value) == {"v": "tbx-c1", "j": value}
        assert decode(encode(value)) == value


def test_a_message_may_be_decoded_twice():
    message = encode({"people": ROWS, "inner": {"x": 1}})

    first = decode(message)
    first["people"][0]["name"] = "changed"

    assert decode(message) == {"people": ROWS, "inner": {"x": 1}}


def test_an_error_is_a_record_that_says_so():
    error = SessionNotFound("there is no session `s2`", recovery="Known sessions: s1.", details={"sessionId": "s2"})

    message = encode_error(error.payload())

    assert message == {
        "v": "tbx-c1",
        "d": {"k": {"tr": "tool_result"}},
        "m": [
            {
                "k": "tr",
                "x": "there is no session `s2`",
                "a": {
                    "status": "error",
                    "code": "SESSION_NOT_FOUND",
                    "recovery": "Known sessions: s1.",
                    "details": {"sessionId": "s2"},
                },
            }
        ],
    }
    assert decode(message) == error.payload()


def test_an_error_in_a_rooms_envelope_keeps_what_is_around_it():
    told = {"success": False, "result": {}, "error": {"code": "CONFLICT", "message": "it is there already"}}

    message = encode_error(told)

    assert message["m"][0]["a"] == {"status": "error", "code": "CONFLICT"}
    assert (message["at"], message["j"]) == ("error", {"success": False, "result": {}})
    assert decode(message) == told


@pytest.mark.parametrize(
    "told",
    [{"code": "X"}, {"code": 1, "message": "x"}, {"code": "X", "message": "x", "status": "odd"}, {"error": None}, {}],
    ids=str,
)
def test_what_has_no_code_and_message_is_told_as_it_is(told: dict[str, Any]):
    assert decode(encode_error(told)) == told
