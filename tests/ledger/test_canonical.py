"""The canonical form: equal to a reference implementation, stable, and strict about what it refuses."""

from __future__ import annotations

import datetime
import enum
import hashlib
import json
import random
from typing import Any

import pytest
import rfc8785
from hypothesis import example, given, settings
from hypothesis import strategies as st

from thoughtbox.errors import NotCanonical
from thoughtbox.ledger.canonical import MAX_DEPTH, MAX_INTEGER, canonical, parse

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
AWKWARD_TEXT = st.text(
    st.sampled_from(
        'a\\"/\b\t\n\f\r\x01\x0b\x1f\x7f\x80é\u0301\u2028\u2029\ud7ff\ue000\ufb01\uffff\U00010000😀\U0010ffff'
    )
)
INTEGERS = st.integers(-MAX_INTEGER, MAX_INTEGER)
FLOATS = st.one_of(
    st.floats(-MAX_INTEGER, MAX_INTEGER),
    st.floats(-1e-3, 1e-3),
    st.floats(0, 1e-300),
    INTEGERS.map(float),
    st.integers(-9, 9).flatmap(lambda n: st.sampled_from([n * 10.0**exponent for exponent in range(-12, 3)])),
)
SCALARS = st.one_of(st.none(), st.booleans(), INTEGERS, FLOATS, TEXT, AWKWARD_TEXT)
KEYS = st.one_of(TEXT, AWKWARD_TEXT, st.sampled_from(["a", "B", "id", "text"]))
VALUES = st.recursive(
    SCALARS, lambda inner: st.one_of(st.lists(inner), st.lists(inner).map(tuple), st.dictionaries(KEYS, inner))
)


def sha256_of(value: Any) -> str:
    return hashlib.sha256(canonical(value)).hexdigest()


def nested(levels: int) -> Any:
    value: Any = 1
    for level in range(levels):
        value = [value] if level % 2 else {"in": value}
    return value


def shuffled(value: Any, order: random.Random) -> Any:
    if isinstance(value, dict):
        keys = list(value)
        order.shuffle(keys)
        return {key: shuffled(value[key], order) for key in keys}
    return [shuffled(member, order) for member in value] if isinstance(value, list | tuple) else value


@settings(max_examples=50, deadline=None)
@given(VALUES)
@example({"\ufb01": 1, "😀": 2, "\ue000": 3, "\uffff": 4, "z": 5})
@example([1e-4, 9.999999999999999e-5, 1e-5, 1.5e-5, 1e-6, 9.999999999999999e-7, 1e-7, 1.5e-7])
@example([5e-324, 2.2250738585072014e-308, 2.225073858507201e-308, -5e-324, -1e-6, -1e-7])
@example([123456789.125, 1.0, -0.0, 0.0, 4503599627370495.5, 2.0**53, -(2.0**53)])
@example([2**53, -(2**53), 2**53 - 1, True, False, None, 1, 0])
@example(['\\u0000 "quoted" / \x7f \u2028 \x1f \b\f\n\r\t', "e\u0301", "é"])
def test_it_equals_the_reference_implementation(value: Any) -> None:
    assert canonical(value) == reference(value)


def reference(value: Any) -> bytes:
    """The reference, which refuses 2^53 itself, with the ledger's bound, which includes it."""
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
        return b"{" + b",".join(rfc8785.dumps(key) + b":" + reference(value[key]) for key in keys) + b"}"
    if isinstance(value, list | tuple):
        return b"[" + b",".join(map(reference, value)) + b"]"
    if type(value) in (int, float) and abs(value) == MAX_INTEGER:
        return str(int(value)).encode()
    return rfc8785.dumps(value)


@settings(deadline=None)
@given(
    st.recursive(
        st.one_of(st.none(), st.booleans(), st.integers(1 - MAX_INTEGER, MAX_INTEGER - 1), FLOATS, TEXT, AWKWARD_TEXT),
        lambda inner: st.one_of(st.lists(inner), st.dictionaries(KEYS, inner)),
    )
)
def test_whole_documents_equal_the_reference_implementation_too(value: Any) -> None:
    assert canonical(value) == rfc8785.dumps(value)


@settings(deadline=None)
@given(VALUES)
def test_reading_it_back_changes_nothing(value: Any) -> None:
    written = canonical(value)
    assert canonical(parse(written)) == written


@settings(deadline=None)
@given(VALUES, st.randoms())
def test_the_order_of_keys_does_not_matter(value: Any, order: random.Random) -> None:
    assert canonical(shuffled(value, order)) == canonical(value)


@settings(deadline=None)
@given(VALUES)
def test_any_json_reader_finds_the_same_value(value: Any) -> None:
    def as_lists(part: Any) -> Any:
        if isinstance(part, dict):
            return {key: as_lists(member) for key, member in part.items()}
        return [as_lists(member) for member in part] if isinstance(part, list | tuple) else part

    assert json.loads(canonical(value)) == as_lists(value)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (1.0, b"1"),
        (-0.0, b"0"),
        (0.0, b"0"),
        (100.0, b"100"),
        (1e-5, b"0.00001"),
        (1e-6, b"0.000001"),
        (-1.25e-6, b"-0.00000125"),
        (1e-7, b"1e-7"),
        (-1.25e-7, b"-1.25e-7"),
        (5e-324, b"5e-324"),
        (123456789.125, b"123456789.125"),
        (2**53, b"9007199254740992"),
        (-(2**53), b"-9007199254740992"),
        (2.0**53, b"9007199254740992"),
        (True, b"true"),
        ((1, (2,)), b"[1,[2]]"),
        ({}, b"{}"),
        ([], b"[]"),
        ("", b'""'),
        ("\x7f\u2028/", b'"\x7f\xe2\x80\xa8/"'),
        ('\x1f\b\t\n\f\r"\\', b'"\\u001f\\b\\t\\n\\f\\r\\"\\\\"'),
        ("\\u0000", b'"\\\\u0000"'),
        ({"😀": 1, "\ufb01": 2, "é": 3, "B": 4, "a": 5}, '{"B":4,"a":5,"é":3,"😀":1,"\ufb01":2}'.encode()),
        ({"b": 1.0, "a": {"d": 2, "c": 1e-7}}, b'{"a":{"c":1e-7,"d":2},"b":1}'),
    ],
)
def test_known_spellings(value: Any, written: bytes) -> None:
    assert canonical(value) == written


def test_composed_and_decomposed_text_stay_different() -> None:
    assert canonical("é") != canonical("e\u0301")


class Colour(enum.StrEnum):
    RED = "red"


@pytest.mark.parametrize(
    ("value", "path", "reason"),
    [
        ({"data": {"scores": [1, 2, 3, float("nan")]}}, "data.scores[3]", "NaN"),
        ({"a": float("inf")}, "a", "infinite"),
        ([float("-inf")], "[0]", "infinite"),
        ({"a": [{"b": 2**53 + 1}]}, "a[0].b", "beyond 2^53"),
        ({"a": -(2**53) - 1}, "a", "beyond 2^53"),
        ({"a": 10**400}, "a", "beyond 2^53"),
        ({"a": 2.0**53 + 2}, "a", "beyond 2^53"),
        ({"a": 1e300}, "a", "beyond 2^53"),
        ({"a": "x\ud800"}, "a", "text with a lone surrogate"),
        ({"a": {"\udc00": 1}}, 'a["\\udc00"]', "a key with a lone surrogate"),
        ({"a": "x\0y"}, "a", "text with a NUL"),
        ({"a": {"x\0": 1}}, 'a["x\\u0000"]', "a key with a NUL"),
        ({"a": {1: 2}}, "a", "key of type int"),
        ({"a": {None: 2}}, "a", "key of type NoneType"),
        ({"a": {Colour.RED: 2}}, "a", "key of type Colour"),
        ({"two words": {"x.y": b"raw"}}, '["two words"]["x.y"]', "type bytes"),
        ({"when": datetime.date(2026, 1, 15)}, "when", "type date"),
        ({"kind": Colour.RED}, "kind", "type Colour"),
        ({"set": {1}}, "set", "type set"),
        (float("nan"), "", "NaN"),
        ("\0", "", "NUL"),
        (object(), "", "type object"),
    ],
)
def test_what_has_no_canonical_form_is_refused_by_its_path(value: Any, path: str, reason: str) -> None:
    with pytest.raises(NotCanonical) as refusal:
        canonical(value)
    assert refusal.value.details["path"] == path
    assert reason in refusal.value.message
    assert refusal.value.message.startswith(path or "The value")
    assert refusal.value.recovery
    str(refusal.value).encode("utf-8")


def test_the_first_bad_value_of_the_document_is_named() -> None:
    with pytest.raises(NotCanonical) as refusal:
        canonical({"fine": [1], "first": [float("nan")], "second": float("nan")})
    assert refusal.value.details["path"] == "first[0]"


def test_a_long_key_is_shortened_in_the_path() -> None:
    with pytest.raises(NotCanonical) as refusal:
        canonical({"k" * 10_000: float("nan")})
    assert len(refusal.value.message) < 200


def test_nesting_is_allowed_to_its_limit() -> None:
    written = canonical(nested(MAX_DEPTH))
    assert written == reference(nested(MAX_DEPTH))


def test_nesting_is_allowed_to_its_limit_on_the_careful_way_too() -> None:
    assert canonical([1.0, nested(MAX_DEPTH - 1)]) == b"[1," + canonical(nested(MAX_DEPTH - 1)) + b"]"


def test_nesting_beyond_its_limit_is_refused() -> None:
    with pytest.raises(NotCanonical, match="deeper than 200 levels") as refusal:
        canonical([nested(MAX_DEPTH)])
    assert refusal.value.details["path"].startswith("[0][0].in[0]")


def test_a_value_that_contains_itself_is_refused() -> None:
    endless: list[Any] = []
    endless += [endless, endless]
    with pytest.raises(NotCanonical, match="deeper than 200 levels"):
        canonical(endless)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"NaN",
        b"Infinity",
        b"1e400",
        b"'a'",
        b'{"a":1,}',
        b'"\\ud800"',
        b'"\xff"',
        b'"\x00"',
        b"1 2",
        b"\xef\xbb\xbf1",
    ],
)
def test_what_is_not_json_is_refused(data: bytes) -> None:
    with pytest.raises(NotCanonical, match="not JSON"):
        parse(data)


def test_json_nested_without_end_is_refused() -> None:
    with pytest.raises(NotCanonical):
        canonical(parse(b"[" * 100_000 + b"]" * 100_000))


def test_a_repeated_key_shows_when_the_bytes_are_compared() -> None:
    data = b'{"a":1,"a":2}'
    assert canonical(parse(data)) != data


def test_golden_vectors_of_the_governance_chain() -> None:
    input_hash = sha256_of({"action": "test"})
    output_hash = sha256_of({"result": "ok"})
    assert input_hash == "af062acbe3e64aa039672b0bc0197abeb443bf0cc9685e7d96ea67d18afdb7d7"
    assert output_hash == "1aad36b0fb02621b951649811957ba7ad67d4838c2932d02088f7d6e8db74313"
    link = {
        "prev_hash": None,
        "tool_name": "demo_tool",
        "input_hash": input_hash,
        "output_hash": output_hash,
        "ts": "2026-01-15T12:00:00.000Z",
    }
    assert sha256_of(link) == "f42a5f0b1d64de3291386d5119da0331827842792d49b965743d45008ce6f214"
