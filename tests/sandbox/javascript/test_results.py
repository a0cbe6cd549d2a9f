"""What comes out of a snippet, as JSON."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sandbox.javascript.conftest import Tell
from thoughtbox.errors import SnippetFailed


@pytest.mark.parametrize(
    ("code", "result"),
    [
        ("1 + 1", 2),
        ("const x = 20; let y = 22; x + y", 42),
        ("'text'", "text"),
        ("undefined", None),
        ("null", None),
        ("", None),
        ("  // nothing but a comment", None),
        ("const x = 1;", None),
        ("[1.5, true, null, 'a']", [1.5, True, None, "a"]),
        ("({ a: { b: [{}] } })", {"a": {"b": [{}]}}),
        ("[NaN, Infinity, -Infinity]", [None, None, None]),
        ("[undefined, () => 1, Symbol('s')]", [None, None, None]),
        ("({ a: undefined, b() {}, c: Symbol('s') })", {"a": None, "b": None, "c": None}),
        ("[5n, -(2n ** 53n), 2n ** 53n]", [5, -(2**53), 2**53]),
        ("2n ** 53n + 1n", str(2**53 + 1)),
        ("new Date(0)", "1970-01-01T00:00:00.000Z"),
        ("new Date(NaN)", None),
        ("new Map([['a', 1], [2, new Map()]])", {"a": 1, "2": {}}),
        ("new Set([1, new Set(['x'])])", [1, ["x"]]),
        ("new Uint8Array([1, 2])", [1, 2]),
        ("new Uint8Array([1, 2]).buffer", [1, 2]),
        ("new Float64Array([0.5])", [0.5]),
        ("[/a+/g, new String('boxed'), new Number(5)]", ["/a+/g", "boxed", 5]),
        ("new RangeError('far')", {"name": "RangeError", "message": "far"}),
        ("({ toJSON: () => 'told' })", "told"),
        ("class Point { x = 1; #y = 2 } new Point()", {"x": 1}),
        ("Object.create({ inherited: 1 }, { own: { value: 2, enumerable: true } })", {"own": 2}),
        ("'grün, 好, \\u{1F600}'", "grün, 好, \N{GRINNING FACE}"),
        ("-0", 0),
    ],
)
def test_a_value_crosses_as_the_nearest_json(tell: Tell, code: str, result: Any):
    assert tell(code).result == result


@pytest.mark.parametrize(
    "code",
    [
        "const a = {}; a.a = [a]; a",
        "const m = []; m.push(m); m",
    ],
)
def test_a_value_that_contains_itself_is_refused_by_name(tell: Tell, code: str):
    with pytest.raises(SnippetFailed, match="contains itself"):
        tell(code)


def test_a_handle_is_told_by_id_and_kind(tell: Tell):
    assert tell("[tb.claim('x')]").result == [{"id": "th:1", "kind": "claim"}]


def test_a_getter_that_throws_fails_the_snippet_with_its_own_error(tell: Tell):
    with pytest.raises(SnippetFailed, match="RangeError: inside"):
        tell("({ get x() { throw new RangeError('inside'); } })")


def test_halves_of_characters_are_made_whole(tell: Tell):
    assert tell("['a\\ud800', '\\udc00b']").result == ["a\N{REPLACEMENT CHARACTER}", "\N{REPLACEMENT CHARACTER}b"]


def test_chance_is_different_each_time(tell: Tell):
    told = [tell("[Math.random(), Math.random()]").result for _ in range(3)]

    numbers = [number for pair in told for number in pair]
    assert len(set(numbers)) == 6
    assert all(0 <= number < 1 for number in numbers)


def test_the_time_is_that_of_the_day(tell: Tell):
    assert tell("new Date().getUTCFullYear() >= 2026 && performance.now() > 0").result is True
