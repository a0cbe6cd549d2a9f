"""Values that come as text are taken as what they mean, or refused: never guessed, and never stored otherwise."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from tests.support.box import Box
from tests.support.thinker import Client
from thoughtbox import domains
from thoughtbox.errors import IdempotencyConflict, InvalidPayload, ThoughtboxError
from thoughtbox.operations import TABLE, Example, Input, Output, Room, Table, Tx
from thoughtbox.operations.arguments import bind
from thoughtbox.operations.models import wire_names

domains.load()

SHORT = 220
LONGER_NAMES = {"mind": 40, "memory": 30, "code": 20}
"""Of codes and arguments, and JSON-RPC's number."""
"""Its tools and their arguments have longer names."""
"""Characters of an error about one argument, on the wire."""


class Shelf(Input):
    size: int
    depth: float | None = None


class Thing(Input):
    count: Annotated[int | None, Field(ge=-10, le=1000)] = None
    weight: float | None = None
    done: bool = False
    names: list[str] | None = None
    numbers: list[int] | None = None
    marks: dict[str, Any] | None = None
    shelf: Shelf | None = None
    shelves: list[Shelf] | None = None
    label: str | None = None
    either: int | str | None = None
    around: bool | Annotated[int, Field(ge=0, le=5)] = False


class Kept(Output):
    ok: bool


def a_table() -> Table:
    table = Table()
    room = Room("attic", summary="Old things.", table=table)

    @room.operation("keep", example=Example({}))
    def keep(tx: Tx, call: Thing) -> Kept:
        """Keep it."""
        return Kept(ok=True)

    return table


KEEP = a_table()


def taken(**arguments: Any) -> dict[str, Any]:
    """What comes of arguments that are taken: the input, which the arguments must equal by then."""
    bound = bind(KEEP, KEEP.find("keep"), arguments)
    found = bound.input.model_dump(exclude_unset=True, exclude_none=True)
    given = {name: value for name, value in bound.arguments.items() if value is not None}
    assert json.dumps(found, sort_keys=True) == json.dumps(given, sort_keys=True)
    return found


@pytest.mark.parametrize(
    ("sent", "meant"),
    [
        ({"count": "3"}, {"count": 3}),
        ({"count": " 3 "}, {"count": 3}),
        ({"count": "-3"}, {"count": -3}),
        ({"count": 3.0}, {"count": 3}),
        ({"count": "3.0"}, {"count": 3}),
        ({"weight": "1.5"}, {"weight": 1.5}),
        ({"done": "true"}, {"done": True}),
        ({"done": "False"}, {"done": False}),
        ({"names": '["a", "b"]'}, {"names": ["a", "b"]}),
        ({"names": "[]"}, {"names": []}),
        ({"numbers": "[1, 2]"}, {"numbers": [1, 2]}),
        ({"numbers": ["1", 2.0]}, {"numbers": [1, 2]}),
        ({"numbers": '["1"]'}, {"numbers": [1]}),
        ({"marks": '{"a": "1"}'}, {"marks": {"a": "1"}}),
        ({"shelf": '{"size": "2"}'}, {"shelf": {"size": 2}}),
        ({"shelves": '[{"size": "2", "depth": "0.5"}]'}, {"shelves": [{"size": 2, "depth": 0.5}]}),
        ({"count": "3", "done": "true", "names": '["a"]'}, {"count": 3, "done": True, "names": ["a"]}),
        ({"count": None, "done": "true"}, {"done": True}),
        ({"around": "true"}, {"around": True}),
        ({"around": "2"}, {"around": 2}),
    ],
    ids=lambda sent: json.dumps(sent, ensure_ascii=True),
)
def test_a_value_that_came_as_text_is_taken_as_what_it_means(sent: dict[str, Any], meant: dict[str, Any]):
    assert taken(**sent) == meant


@pytest.mark.parametrize("text", ["3", "true", "[1]", '{"a": 1}', "null", "1.0"])
@pytest.mark.parametrize("field", ["label", "either"])
def test_text_stays_text_where_text_is_taken(field: str, text: str):
    assert taken(**{field: text}) == {field: text}


def test_what_stands_inside_a_text_stays_as_it_is():
    assert taken(names='["1", "true"]') == {"names": ["1", "true"]}
    assert taken(marks={"a": "1"}) == {"marks": {"a": "1"}}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("count", value) for value in ("", "x", "1.5", "1e2", "0x10", "01", "1_000", "1,000", "١", "²", "+1", "- 1")),
        *(("count", value) for value in (1.5, True, [1], "[1]", "9" * 30, float("inf"), float("nan"), 1e300)),
        *(("done", value) for value in ("yes", "1", "t", "", 1, 0, "null", ["true"])),
        *(("names", value) for value in ("a", "a, b", "{}", '"a"', "[", "1", 1, {"0": "a"}, "[1]", '[["a"]]')),
        *(("marks", value) for value in ("a", "[]", "{", '{"a": 1, "a": 2}', '{"a": NaN}', 1, ["a"])),
        *(("shelf", value) for value in ('{"size": "x"}', "{}", '{"size": 1, "colour": 2}', "2")),
        *(("weight", value) for value in ("x", "true", "Infinity", "NaN", True)),
        *(("numbers", value) for value in ("1,2", ["x"], "[1.5]", "[true]")),
        ("names", "[" * 50_000),
        ("label", 7),
        ("either", 1.5),
    ],
    ids=lambda each: repr(each)[:40],
)
def test_what_is_unclear_or_would_lose_something_is_refused_by_name_and_in_short(field: str, value: Any):
    with pytest.raises(InvalidPayload) as refused:
        taken(**{field: value})

    assert refused.value.details["fields"][0].partition(".")[0] == field
    assert f"`{field}" in refused.value.message
    assert len(refused.value.message) <= 120


def test_an_argument_that_may_be_several_things_is_refused_once():
    for wrong in ("x", "9", [], {}, 1.5):
        with pytest.raises(InvalidPayload, match=r"^INVALID_PAYLOAD: `around` must be true or false, or ") as refused:
            taken(around=wrong)
        assert refused.value.details["fields"] == ["around"]


def test_what_is_decoded_is_looked_at_for_what_cannot_be_stored():
    for text in ('["a\\u0000"]', '["\\ud800"]'):
        with pytest.raises(InvalidPayload, match="cannot be stored"):
            taken(names=text)


def test_what_is_out_of_range_is_refused_for_what_it_means():
    with pytest.raises(InvalidPayload, match="`count` must be 1000 or less"):
        taken(count="1001")


VALUES = st.fixed_dictionaries(
    {},
    optional={
        "count": st.integers(-10, 1000),
        "weight": st.floats(allow_nan=False, allow_infinity=False, min_value=-1e6, max_value=1e6),
        "done": st.booleans(),
        "names": st.lists(st.text("aü\"'[{,1", max_size=4), max_size=3),
        "numbers": st.lists(st.integers(-1000, 1000), max_size=3),
        "marks": st.dictionaries(st.text("ab", max_size=3), st.integers(0, 9) | st.text("1t", max_size=3), max_size=3),
        "label": st.text('1tf[{"', max_size=5),
    },
)


@given(VALUES)
def test_whatever_is_sent_as_json_text_means_what_it_would_without(values: dict[str, Any]):
    sent = {name: value if name == "label" else json.dumps(value) for name, value in values.items()}

    assert taken(**sent) == taken(**values)


def test_arguments_that_fit_are_passed_on_as_they_are():
    arguments = {"count": 3, "label": None}

    assert bind(KEEP, KEEP.find("keep"), arguments).arguments is arguments


@pytest.fixture
def tom() -> Iterator[Client]:
    box = Box()
    yield Client(box, agent="tom").ready()
    box.close()


LOOSE = {"thought": "S1|O|x", "thoughtNumber": "1", "totalThoughts": 3.0, "nextThoughtNeeded": "true"}
STRICT = {"thought": "S1|O|x", "thoughtNumber": 1, "totalThoughts": 3, "nextThoughtNeeded": True}


def test_what_is_stored_is_what_would_have_been_sent_right(tom: Client):
    tom.gateway(operation="thought", **LOOSE)
    other = Client(tom.box).ready()
    other.gateway(operation="thought", **STRICT)

    first, second = (client.read_thoughts()["thoughts"][0] for client in (tom, other))
    assert {name: first[name] for name in STRICT} == {name: second[name] for name in STRICT} == STRICT
    started = other.start_new(sessionTags='["a", "b"]')["sessionId"]
    assert other.session_get(sessionId=started)["session"]["tags"] == ["a", "b"]


def test_a_key_covers_the_call_in_either_form(tom: Client):
    first = tom.call("thought", key="k", **LOOSE)

    assert tom.call("thought", key="k", **STRICT) == first
    assert tom.call("thought", key="k", **LOOSE) == first
    assert tom.session_get()["session"]["thoughtCount"] == 1
    with pytest.raises(IdempotencyConflict):
        tom.call("thought", key="k", **{**LOOSE, "totalThoughts": "4"})


def test_the_calls_of_a_batch_may_come_as_text_too(tom: Client):
    calls = [{"operation": "thought", "arguments": json.dumps(LOOSE)}]

    answered = tom.call("batch", calls=json.dumps(calls))

    assert answered["answers"][0]["thoughtNumber"] == 1


def test_one_refused_argument_costs_about_two_hundred_characters():
    for operation in TABLE:
        if operation.gateway is not None:
            continue
        for name in (*wire_names(operation.input), "unknown"):
            for wrong in (7, -1, True, "", "x", [], {}, None):
                try:
                    bind(TABLE, operation, {**operation.example.arguments, name: wrong})
                except ThoughtboxError as error:
                    told = error.payload()
                    told.get("details", {}).pop("hints", None)  # what it says again, for programs
                    if (told.get("recovery") or "").startswith("It takes "):
                        continue  # all that can be sent, to a client that may not be shown what describes it
                    said = json.dumps(told, ensure_ascii=False, separators=(",", ":"))
                    assert len(said) <= SHORT + LONGER_NAMES.get(operation.room, 0), said
