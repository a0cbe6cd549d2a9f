"""What comes out of a snippet: its last value, what it returns, what it prints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.sandbox.python.host import Host, Told
from thoughtbox.errors import SnippetFailed

Run = Callable[..., Told]


@pytest.mark.parametrize(
    ("code", "result"),
    [
        ("1 + 1", 2),
        ("x = 5", None),
        ("x = 5\nx", 5),
        ("x = 5; x", 5),
        ("x = 5; x;", 5),
        ("5  # and why", 5),
        ("5\n# the end\n\n", 5),
        ("", None),
        ("# nothing", None),
        ("a, b = 1, 2\na, b", [1, 2]),
        ("if True:\n    5", None),
        ("(\n    1 +\n    2\n)", 3),
        ("1 + \\\n  2", 3),
        ("1 == 2", False),
        ("[x * 2 for x in range(3)]", [0, 2, 4]),
        ("f'{1 + 1}'", "2"),
        ('d = {"a": 1}\nf"{d["a"]}, it\'s"', "1, it's"),
        ("def f():\n    return 3\nf()", 3),
        ("match = 3\nmatch", 3),
        ("type(3).__name__", "int"),
        ('"""return 1\n"""', "return 1\n"),
    ],
)
def test_the_value_of_the_last_expression_is_the_result(run: Run, code: str, result: Any):
    assert run(code).result == result


@pytest.mark.parametrize(
    ("code", "result"),
    [
        ("return 5", 5),
        ("return", None),
        ("return 5\n6", 5),
        ("if True:\n    return {1: 2}.keys()\n6", [1]),
        ("for i in range(9):\n    if i == 4:\n        return i; break", 4),
        ("def f():\n    return 1\nreturn f() + 1", 2),
        ("try:\n    return 1\nfinally:\n    print('last')", 1),
        ("return (\n    1,\n    2,  # two\n)", [1, 2]),
    ],
)
def test_what_is_returned_outside_of_functions_is_the_result(run: Run, code: str, result: Any):
    assert run(code).result == result


@pytest.mark.parametrize(
    ("code", "result"),
    [
        ("(1, 2)", [1, 2]),
        ("{3}", [3]),
        ("frozenset([3])", [3]),
        ("float('nan')", None),
        ("[float('inf'), -float('inf')]", [None, None]),
        ("2 ** 53", 2**53),
        ("[2 ** 53 + 1, -(2 ** 60)]", [str(2**53 + 1), str(-(2**60))]),
        ("{1: 'a', None: 'b', True: 'c', 1.5: 'd'}", {"true": "c", "null": "b", "1.5": "d"}),
        ("{(1, 2): 3}", {"(1, 2)": 3}),
        ("print", None),
        ("[lambda: 1, len, int, ValueError]", [None] * 4),
        ("{'f': len}", {"f": None}),
        ("{'a': 1}.keys()", ["a"]),
        ("[{'a': 1}.values(), {'a': 1}.items(), range(3), iter([1])]", [[1], [["a", 1]], [0, 1, 2], [1]]),
        ("(x for x in [1, 2])", [1, 2]),
        ("from collections import Counter, deque\n[Counter('aab'), deque([1])]", [{"a": 2, "b": 1}, [1]]),
        ("from collections import namedtuple\nnamedtuple('P', 'x y')(1, 2)", [1, 2]),
        ("import datetime\ndatetime.date(2026, 1, 2)", "2026-01-02"),
        ("import datetime\n[datetime.datetime(2026, 1, 2, 3, 4)]", ["2026-01-02T03:04:00"]),
        ("import decimal\ndecimal.Decimal('1.10')", "1.10"),
        ("ValueError('why')", "why"),
        ("...", None),
        ("tb", None),
        ("[tb.thoughts, tb.claim]", [None, None]),
        ("'\\x00 \\u2028 \\n \"'", '\x00 \u2028 \n "'),
        ("'[...]'", "[...]"),
        ("['range(0, 3)', '<function f>']", ["range(0, 3)", "<function f>"]),
        ("x = [1]\n[x, x]", [[1], [1]]),
    ],
)
def test_values_leave_the_sandbox_as_plain_json(run: Run, code: str, result: Any):
    assert run(code).result == result


def test_an_object_of_an_own_class_is_an_object_of_its_attributes(run: Run):
    code = """
class Card:
    def __init__(self, title, tags):
        self.title = title
        self.tags = tags

    def shown(self):
        return self.title

[Card("a", {1}), Card("b", [Card("c", [])])]
"""
    assert run(code).result == [
        {"title": "a", "tags": [1]},
        {"title": "b", "tags": [{"title": "c", "tags": []}]},
    ]


def test_a_dataclass_is_an_object_of_its_fields(run: Run):
    code = "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\n    y: str = 'a'\n\nP(3)"
    assert run(code).result == {"x": 3, "y": "a"}


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("b'abc'", "bytes"),
        ("{'a': [b'abc']}", "bytes"),
        ("a = []\na.append(a)\na", "holds itself"),
        ("a = {}\na['a'] = [a]\na", "holds itself"),
        ("a = []\nfor i in range(250):\n    a = [a]\na", "200"),
        ("a = []\nfor i in range(2500):\n    a = [a]\na", "200"),
        ("10 ** 5000", "digits"),
    ],
)
def test_a_result_that_json_cannot_hold_is_an_error_that_says_so(run: Run, code: str, why: str):
    with pytest.raises(SnippetFailed, match=why):
        run(code)


def test_two_hundred_levels_are_not_too_deep(run: Run):
    result = run("a = 1\nfor i in range(200):\n    a = [a]\na").result
    for _ in range(200):
        [result] = result
    assert result == 1


def test_what_is_printed_is_logged_line_by_line(run: Run):
    assert run("print('a', 1)\nprint('b\\nc')\nprint('d', end='')\nprint('e')").logs == ["a 1", "b", "c", "de"]


def test_what_is_printed_to_stderr_is_logged_too(run: Run, host: Host):
    host.answers["thoughts.thought"] = {}
    told = run("import sys\nprint('a', file=sys.stderr)\ntb.thoughts.thought()\nprint('b', file=sys.stderr)")
    assert told.logs == ["a", "b"]


def test_what_was_printed_is_known_after_a_failure(run: Run, host: Host):
    with pytest.raises(SnippetFailed):
        run("print('so far')\n1 / 0")
    assert host.logs == ["so far"]


def test_one_snippet_leaves_nothing_for_the_next(run: Run):
    run("x = 5\ntb.extra = 1\nlen = None\njson = 1")
    assert run("import json\n[hasattr(tb, 'extra'), json.dumps([1]), len('abc')]").result == [False, "[1]", 3]
    with pytest.raises(SnippetFailed, match="'x' is not defined"):
        run("x")
