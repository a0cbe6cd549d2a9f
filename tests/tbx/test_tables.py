"""Lists of objects as columns and rows."""

from __future__ import annotations

from typing import Any

import pytest

from thoughtbox.tbx import decode, encode

LONG = "a text that is long enough to be worth a key"
OTHER = "another one of the same length, more or less"


def table(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The message that a list comes to, as a table, and seen to come back."""
    message = encode(rows)
    assert message.keys() <= {"v", "d", "cols", "rows"}, "it is no table"
    assert decode(message) == rows
    return message


def test_a_list_of_objects_names_its_fields_once():
    message = table([{"name": "ann", "age": 31}, {"name": "bob", "age": 45}, {"name": "cem", "age": 27}])

    assert message == {"v": "tbx-c1", "cols": ["name", "age"], "rows": [["ann", 31], ["bob", 45], ["cem", 27]]}


def test_two_objects_are_no_table():
    assert encode([{"name": "ann"}, {"name": "bob"}]) == {"v": "tbx-c1", "j": [{"name": "ann"}, {"name": "bob"}]}


def test_a_table_that_would_be_longer_than_the_list_is_not_made():
    rows = [{"a": 1}, {"b": 2}, {"c": 3}]

    assert encode(rows) == {"v": "tbx-c1", "j": rows}


def test_a_list_of_more_than_objects_stays_as_it_is():
    rows = [{"name": "ann"}, {"name": "bob"}, {"name": "cem"}, None]

    assert encode(rows) == {"v": "tbx-c1", "j": rows}


def test_the_fields_of_inner_objects_are_columns_of_their_own():
    message = table([{"at": {"x": number, "y": {"z": -number}}} for number in (11, 12, 13)])

    assert message["cols"] == ["at.x", "at.y.z"]
    assert message["rows"] == [[11, -11], [12, -12], [13, -13]]


def test_what_all_rows_have_the_same_is_said_once():
    message = table([{"name": name, "team": "north", "tags": []} for name in ("ann", "bob", "cem")])

    assert message["cols"] == ["name", {"team": "north", "tags": []}]
    assert message["rows"] == [["ann"], ["bob"], ["cem"]]


def test_a_field_that_is_missing_is_null_in_a_column_with_a_question_mark_and_nothing_at_the_end():
    rows = [{"first": 1, "second": 2, "third": 3}, {"first": 4, "third": 6}, {"first": 7, "second": 8}, {"first": 10}]
    message = table(rows)

    assert message["cols"] == ["first", "second?", "third?"]
    assert message["rows"] == [[1, 2, 3], [4, None, 6], [7, 8], [10]]


def test_null_is_not_missing():
    rows: list[dict[str, Any]] = [{"name": "ann", "age": None}, {"name": "bob"}, {"name": "cem", "age": 27}]
    rows *= 3

    assert decode(encode(rows)) == rows
    assert "age?" not in str(encode(rows)), "null could be taken for missing"


def test_rows_of_different_forms_have_layouts_of_their_own_and_share_what_is_the_same():
    notes = [{"kind": "note", "by": "ann", "text": f"so it is {number}", "length": number} for number in range(5)]
    edges = [{"kind": "edge", "by": "ann", "from": f"node:{number}", "to": "m", "weight": 0.5} for number in range(5)]

    message = table([each for pair in zip(notes, edges, strict=True) for each in pair])

    assert message["cols"] == {
        "": [{"by": "ann"}],
        "a": ["text#so it is ", "length", {"kind": "note"}],
        "b": ["from#node:", {"kind": "edge", "to": "m", "weight": 0.5}],
    }
    assert message["rows"][:4] == [["a", 0, 0], ["b", 0], ["a", 1, 1], ["b", 1]]


def test_ids_in_a_row_are_numbers_behind_what_they_have_in_common():
    message = table([{"id": f"th:{number}", "refs": [f"th:{number - 1}", "th:0"]} for number in range(7, 12)])

    assert message["cols"] == ["id#th:", "refs#th:"]
    assert message["rows"][:3] == [[7, [6, 0]], [8, [7, 0]], [9, [8, 0]]]


@pytest.mark.parametrize("odd", ["th:07", "th:", "TH:7", "th:-7", "th:7 ", "th:٧", "th:1234567890123456", 7, None])
def test_ids_that_are_not_all_of_that_form_are_not_numbers(odd: Any):
    rows = [{"id": "th:7"}, {"id": "th:8"}, {"id": odd}, {"id": "th:9"}]

    assert "#" not in str(encode(rows))
    assert decode(encode(rows)) == rows


def test_times_are_milliseconds_after_the_time_before():
    times = [
        "2026-02-28T23:59:59.990Z",
        "2026-03-01T00:00:00.000Z",
        "2026-03-01T00:00:00.000Z",
        "2024-01-01T00:00:00.001Z",
    ]

    message = table([{"when": time} for time in times])

    assert message["cols"] == ["when+"]
    assert message["rows"] == [[times[0]], [10], [0], [-68255999999]]


@pytest.mark.parametrize(
    "odd", ["2026-03-01T00:00:00Z", "2026-02-30T00:00:00.000Z", "2026-03-01T24:00:00.000Z", "soon", 5]
)
def test_times_in_any_other_form_stay_as_they_are(odd: Any):
    rows = [{"when": "2026-03-01T00:00:00.000Z"}, {"when": odd}, {"when": "2026-03-01T00:00:01.000Z"}]

    assert "+" not in str(encode(rows))
    assert decode(encode(rows)) == rows


def test_a_column_that_repeats_another_one_says_so():
    rows = [{"text": f"{LONG} {number}x", "title": f"{LONG} {number}x"} for number in range(4)]

    assert table(rows)["cols"] == ["text", {"title=text": True}]
    assert table([*rows, {"text": "no", "title": "yes"}])["rows"][3:] == [[f"{LONG} 3x", True], ["no", "yes"]]


def test_texts_that_repeat_have_short_keys_and_then_every_text_of_the_column_has():
    names = [LONG, OTHER, LONG, OTHER, LONG, "a"]

    message = table([{"team": name, "n": number} for number, name in enumerate(names)])

    assert message["d"] == {"team": {"a": LONG, "b": OTHER, "c": "a"}}
    assert [row[0] for row in message["rows"]] == ["a", "b", "a", "b", "a", "c"], "a text that looks like a key has one"


def test_texts_in_lists_have_keys_too():
    message = table([{"tags": [LONG, OTHER][: number % 3], "n": number} for number in range(9)])

    assert message["d"] == {"tags": {"a": LONG, "b": OTHER}}
    assert [row[0] for row in message["rows"]][:4] == [[], ["a"], ["a", "b"], []]


def test_columns_of_the_same_texts_share_a_dictionary():
    hashes = [f"{number:x}" * 40 for number in range(8)]

    message = table([{"hash": hashes[number], "before": hashes[number - 1]} for number in range(8)])

    assert message["d"]["before"] == "hash"
    assert len(message["d"]["hash"]) == 8


def test_lists_of_objects_in_cells_are_rows_of_a_table_within():
    rows = [
        {"name": f"n{number}x", "links": [{"to": f"n{other}x", "weight": other} for other in range(number)]}
        for number in range(4)
    ]

    message = table(rows)

    assert message["cols"] == ["name", ["links", ["to", "weight"]]]
    assert message["rows"][2] == ["n2x", [["n0x", 0], ["n1x", 1]]]


def test_a_dictionary_of_a_table_within_is_named_by_the_way_to_its_column():
    rows = [{"n": number, "steps": [{"by": LONG}, {"by": OTHER}, {"by": "a"}]} for number in range(4)]

    assert table(rows)["d"] == {"steps.*.by": {"a": LONG, "b": OTHER, "c": "a"}}


def test_a_tree_is_tables_within_tables():
    def tree(depth: int) -> list[dict[str, Any]]:
        return [{"name": f"node {place}x", "inner": tree(depth - 1) if depth else []} for place in range(3)]

    message = table(tree(3))

    assert message["cols"][1][0] == "inner"
    assert len(str(message)) < len(str(tree(3))) * 0.7


def test_objects_whose_names_are_data_stay_whole():
    rows = [{"id": number, "counts": {f"word{number}": 1, f"word{number + 1}x": 2}} for number in range(9)]

    assert table(rows)["cols"] == ["id", "counts"]


def test_names_may_hold_what_has_a_meaning_in_a_path():
    names = ["a.b", "~", "?", "a=b", "#", "+", "*", "", "~1", "..", "é", "$"]
    rows = [{name: {name: [number, name]} for name in names} for number in range(4)]

    message = table(rows)

    assert message["cols"][:3] == ["a~1b.a~1b", "~0.~0", "~2.~2"]


def test_a_field_may_be_an_object_in_one_row_and_something_else_in_the_next():
    rows: list[dict[str, Any]] = [
        {"what": {"a": 1, "b": 2}, "n": 10},
        {"what": "a text", "n": 11},
        {"what": {}, "n": 12},
        {"what": [], "n": 13},
        {"what": [{"a": 1}], "n": 14},
        {"what": {"a": {"c": 1}}, "n": 15},
        {"n": 16},
    ]

    assert decode(encode(rows * 3)) == rows * 3


def test_one_and_one_point_nought_and_true_are_three_values():
    rows = [{"value": value} for value in (1, 1.0, True, 0, False, -0.0, 0.0) for _ in range(3)]

    assert [repr(row["value"]) for row in decode(encode(rows))] == [repr(row["value"]) for row in rows]


def test_columns_of_one_value_each_need_no_cells():
    rows = [{"same": "in all of them"}] * 5

    assert table(rows) == {"v": "tbx-c1", "cols": [{"same": "in all of them"}], "rows": [[], [], [], [], []]}


def test_what_comes_back_may_be_changed_row_by_row():
    rows = decode(encode([{"n": number, "tags": ["x"], "at": {}} for number in range(5)]))

    rows[0]["tags"].append("y")
    rows[0]["at"]["z"] = 1

    assert rows[1] == {"n": 1, "tags": ["x"], "at": {}}
