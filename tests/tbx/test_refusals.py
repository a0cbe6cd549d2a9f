"""What is no TBX-C1, or not all of it: refused with the place, never guessed, and never a crash."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from tests.support.session_logs import session_logs
from thoughtbox.errors import NotTbx
from thoughtbox.tbx import decode, encode

V = {"v": "tbx-c1"}
MUTATIONS = 400
JUNK: tuple[Any, ...] = (
    *(None, True, 0, -1, 10**30, 0.5, "", "a", "zz", "e.x?", "x=y", "i#", "w+", "~", "a.*", [], {}, [[]]),
)


@pytest.mark.parametrize(
    ("message", "says"),
    [
        (None, "a message is an object"),
        ([], "a message is an object"),
        ("tbx-c1", "a message is an object"),
        ({}, "`v` must be `tbx-c1`, and it has none"),
        ({"v": "tbx-c2", "j": 1}, "it says `tbx-c2`"),
        ({"v": None, "j": 1}, "it says `None`"),
        (V, "a message with nothing beside `v` is not whole"),
        ({**V, "j": 1, "x": 1}, "a message has no `x`"),
        ({**V, "j": 1, "d": {}}, "is not whole, or is two in one"),
        ({**V, "at": "a", "j": {}}, "`at` must be an object with a part for each path"),
        ({**V, "cols": []}, "with cols beside `v` is not whole"),
        ({**V, "rows": []}, "with rows beside `v` is not whole"),
        ({**V, "cols": [], "rows": [], "at": "a"}, "is not whole"),
        ({**V, "cols": [], "rows": [], "m": []}, "is not whole, or is two in one"),
        ({**V, "m": 1}, "m must be a record, a list of them, or `cols` and `rows`"),
        ({**V, "m": {"cols": []}}, "m must have `cols` and `rows`"),
        ({**V, "d": [], "m": []}, "d must be an object, by column"),
        ({**V, "d": {"k": "claim"}, "m": []}, "d.k must map short keys to texts"),
        ({**V, "d": {"e.x": {}}, "m": []}, "d.e.x belongs to no column"),
    ],
    ids=str,
)
def test_a_message_that_is_not_whole_is_refused(message: Any, says: str):
    assert says in refusal(message)


@pytest.mark.parametrize(
    ("cols", "rows", "says"),
    [
        (1, [], "cols must be a list of columns, or an object of such lists"),
        ([1], [], "cols[0] is no column"),
        ([["a"]], [], "cols[0] is no column"),
        ([["a", "b"]], [], "must be a list of columns"),
        ({"a": 1}, [], "cols.a must be a list of columns"),
        ({"": ["a"]}, [], 'cols[""] may hold only what all rows have in common'),
        (["a?b"], [], "`a?b` is no head of a column"),
        (["a~"], [], "has a `~` without a digit"),
        (["a~9"], [], "has a `~` without a digit"),
        (["a.*.b"], [], "leads to many places"),
        ([{"a?": 1}], [], "cannot be the same in all rows"),
        ([{"a#x": 1}], [], "cannot be the same in all rows"),
        ([{"a=b": "x"}], [], "cannot be the same in all rows"),
        ([["a+", []]], [], "holds rows, and can have neither"),
        (["a"], 1, "rows must be a list of rows"),
        (["a"], [1], "rows[0] must be a list of cells"),
        (["a"], [["x"], []], "rows[1], `a`: the row ends before it"),
        (["a"], [["x", "y"]], "rows[0] has 2 cells for 1 columns"),
        (["a", "a"], [[1, 2]], "the layout has that column twice"),
        (["a", {"a": 1}], [[1]], "the layout has the column `a` twice"),
        (["a", "a.b"], [[1, 2]], "`a` is a value, and has fields in columns of their own"),
        (["a.b", "a"], [[1, {}]], "`a` is a value, and has fields in columns of their own"),
        (["a", "a.b"], [[{"c": 1}, 2]], "`a` is a value, and has fields in columns of their own"),
        (["a=b"], [[True]], "there is no text or number in `b`"),
        (["a=b", "b=a"], [[True, True]], "there is no text or number in `b`"),
        (["a=a"], [[True]], "there is no text or number in `a`"),
        (["a=b", "b"], [[True, [1]]], "there is no text or number in `b`"),
        (["a#th:"], [[-1]], "-1 is no number that can stand behind `th:`"),
        (["a#th:"], [[10**15]], "is no number that can stand behind `th:`"),
        (["a+"], [[5]], "there is no time 5 ms after the one before"),
        (["a+"], [["2026-03-12T14:02:00.000Z"], [10**18]], "there is no time 1000000000000000000 ms after"),
        (["a+"], [["soon"], [1]], "there is no time 1 ms after"),
        ({"a": ["x"]}, [["b", 1]], "rows[0] must begin with the name of a layout: a"),
        ({"a": ["x"]}, [[]], "rows[0] must begin with the name of a layout: a"),
        ({"a": ["x"]}, [[["a"], 1]], "rows[0] must begin with the name of a layout: a"),
        ([["a", ["b"]]], [[1]], "rows[0], `a` must be a list of rows"),
        ([["a", ["b"]]], [[[["x"], []]]], "rows[0], `a`[1], `b`: the row ends before it"),
    ],
    ids=str,
)
def test_a_table_that_does_not_fit_together_is_refused_with_the_place(cols: Any, rows: Any, says: str):
    assert says in refusal({**V, "cols": cols, "rows": rows})


@pytest.mark.parametrize(
    ("d", "says"),
    [
        (1, "d must be an object"),
        ({"a": 1}, "d.a must map short keys to texts, or name the column"),
        ({"a": {"x": 1}}, "d.a must map short keys to texts"),
        ({"a": "b"}, "d.a must map short keys to texts, or name the column"),
        ({"a": {"x": "y"}}, "rows[0], `a`: its dictionary has no `k`"),
        ({"a": {"k": "y"}, "z": {}}, "d.z belongs to no column"),
    ],
    ids=str,
)
def test_a_dictionary_that_does_not_fit_is_refused(d: Any, says: str):
    assert says in refusal({**V, "d": d, "cols": ["a"], "rows": [["k"]]})


@pytest.mark.parametrize(
    ("cols", "cell", "says"),
    [
        (["a"], ["k", "zz"], "its dictionary has no `zz`"),
        (["a"], [["k"]], "holds texts and lists of texts"),
        (["a"], {"x": "k"}, "holds texts and lists of texts"),
        (["a+"], "k", "cannot have a dictionary beside its mark"),
        (["a#"], "k", "cannot have a dictionary beside its mark"),
        ([["a", ["b"]]], [], "neither a mark but `?` nor a dictionary"),
    ],
    ids=str,
)
def test_every_text_of_a_column_with_a_dictionary_is_a_key_of_it(cols: Any, cell: Any, says: str):
    assert says in refusal({**V, "d": {"a": {"k": "key"}}, "cols": cols, "rows": [[cell]]})


@pytest.mark.parametrize(
    ("at", "j", "says"),
    [
        ("a", {"a": 1}, "at `a` there is something already"),
        ("a.b", {}, "`j` has no `a`, which leads to `a.b`"),
        ("a.b", {"a": 1}, "`j` has nothing that `a.b` could be in"),
        ("1", [None], "`j` has nothing that `1` could be in"),
        ("x", [None], "`j` has nothing that `x` could be in"),
        ("00", [None], "`j` has nothing that `00` could be in"),
        ("0", [1], "at `0` there is something already"),
        ("0", None, "`j` has nothing that `0` could be in"),
        (1, {}, "`at` must be the path of the part"),
    ],
    ids=str,
)
def test_a_part_that_has_no_place_is_refused(at: Any, j: Any, says: str):
    assert says in refusal({**V, "cols": ["x"], "rows": [[1]], "at": at, "j": j})


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        ({}, "`at` must be an object with a part for each path"),
        ({"a": []}, "at.a must be a part"),
        ({"a": {"m": [], "j": 1}}, "at.a must be a part"),
        ({"a": {"cols": ["x"], "rows": [[]]}}, "at.a.rows[0], `x`: the row ends before it"),
        ({"a": {"d": {"y": {}}, "cols": [], "rows": []}}, "at.a.d.y belongs to no column"),
        ({"a": {"cols": [], "rows": [[]]}, "a.0": {"m": []}}, "leads into another part"),
        ({"a": {"cols": [], "rows": [[]]}, "a.0.b": {"m": []}}, "leads into another part"),
    ],
    ids=str,
)
def test_parts_that_do_not_fit_are_refused(parts: Any, says: str):
    assert says in refusal({**V, "at": parts, "j": {}})


@pytest.mark.parametrize(
    "short",
    [
        {"k": "tr", "x": "no", "a": {"status": "error"}},
        {"k": "tr", "a": {"status": "error", "code": "X"}},
        {"k": "tr", "x": 1, "a": {"status": "error", "code": "X"}},
        {"k": "tr", "x": "no", "a": {"status": "error", "code": "X", "message": "twice"}},
        {"k": "cl", "x": "no", "a": {"status": "error", "code": "X"}},
        {"k": "tr", "x": "no", "a": {"status": "error", "code": "X"}, "s": "s1"},
        {"k": "tr", "x": "no", "a": {"status": "ok", "code": "X"}},
    ],
    ids=str,
)
def test_an_error_that_is_not_whole_is_refused(short: dict[str, Any]):
    refusal({**V, "d": {"k": {"tr": "tool_result", "cl": "claim"}}, "m": [short]})


def test_a_short_message_that_means_a_flood_is_refused():
    text, rows = "x" * 100_000, [[]] * 2_000

    assert "would come of it" in refusal({**V, "cols": [{"large": [[0] * 1_000] * 100}], "rows": rows})
    assert "would come of it" in refusal({**V, "cols": [{"large": text}], "rows": rows})
    assert "would come of it" in refusal({**V, "d": {"a": {"k": text}}, "cols": ["a"], "rows": [["k"]] * 2_000})
    again = {f"{number}=a": True for number in range(2_000)}
    assert "would come of it" in refusal({**V, "cols": ["a", again], "rows": [[text]]})


def test_what_nests_without_end_is_refused():
    cols: list[Any] = ["a"]
    for _ in range(3_000):
        cols = [["a", cols]]
    constant: list[Any] = []
    for _ in range(50_000):
        constant = [constant]

    assert "nests too deeply" in refusal({**V, "cols": cols, "rows": []})
    assert "nests too deeply" in refusal({**V, "cols": [{"a": constant}], "rows": [[]]})


@pytest.mark.parametrize("room", ["thoughts", "mind", "memory"])
def test_a_message_that_was_changed_anywhere_is_refused_or_means_something_else_and_never_crashes(room: str):
    chance = Random(room)
    log = session_logs()[room][:40]
    rows = [{**record["data"], "n": 1} for record in log]
    texts = [json.dumps(encode(value)) for value in (log, {"records": log, "next": None}, {"rows": rows, "more": log})]
    refused = 0
    for number in range(MUTATIONS):
        changed = mutated(json.loads(texts[number % len(texts)]), chance)
        try:
            decode(changed)
        except NotTbx:
            refused += 1

    assert refused > MUTATIONS / 5


def mutated(message: Any, chance: Random) -> Any:
    """The message with something in it taken out, doubled, renamed, or something else in its place."""
    places: list[tuple[Any, Any]] = []
    waiting = [message]
    while waiting:
        found = waiting.pop()
        for key in found if isinstance(found, dict) else range(len(found)):
            places.append((found, key))
            if isinstance(found[key], dict | list):
                waiting.append(found[key])
    home, key = chance.choice(places)
    match chance.choice(["gone", "twice", "named", "junk", "junk"]):
        case "gone":
            del home[key]
        case "twice" if isinstance(home, list):
            home.insert(key, home[key])
        case "named" if isinstance(home, dict):
            home[chance.choice(["zz", "d", "m", "a", ""])] = home.pop(key)
        case _:
            home[key] = chance.choice(JUNK)
    return message


@pytest.mark.parametrize("room", ["thoughts", "mind", "memory"])
def test_a_layout_or_an_entry_of_a_dictionary_that_is_gone_is_noticed(room: str):
    message = encode(session_logs()[room][:60])
    text = json.dumps(message)
    for name in message["m"]["cols"].keys() - {""}:
        less = json.loads(text)
        del less["m"]["cols"][name]
        refusal(less)
    for path, dictionary in message["d"].items():
        for key in dictionary if isinstance(dictionary, dict) else ():
            less = json.loads(text)
            del less["d"][path][key]
            assert f"has no `{key}`" in refusal(less)


def test_a_message_that_was_cut_off_is_no_json_or_not_whole():
    text = json.dumps(encode(session_logs()["thoughts"][:20]))
    for end in range(len(text) - 1, 0, -37):
        with pytest.raises(ValueError, match="line 1 column"):
            json.loads(text[:end])


def refusal(message: Any) -> str:
    with pytest.raises(NotTbx) as refused:
        decode(message)
    return refused.value.message
