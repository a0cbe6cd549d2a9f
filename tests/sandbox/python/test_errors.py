"""Errors: those that the host answers with, those of the snippet itself, and where they came from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.sandbox.python.host import Host, Told
from thoughtbox.errors import SnippetFailed, SnippetInvalid, ThoughtNotFound

Run = Callable[..., Told]

REFUSED = ThoughtNotFound("there is no thought 12", recovery="It has 1 to 7.", details={"number": 12})
TEXT = "THOUGHT_NOT_FOUND: there is no thought 12. It has 1 to 7."


@pytest.fixture
def refused(host: Host) -> Run:
    """Runs a snippet whose only operation is refused."""
    host.answers["thoughts.thought"] = REFUSED
    return host.run


@pytest.mark.parametrize("caught", ["tb.Error", "Exception", "RuntimeError", "(ValueError, tb.Error)", "BaseException"])
def test_a_caught_error_has_the_fields_that_were_sent(refused: Run, caught: str):
    told = refused(f"""
try:
    tb.thoughts.thought()
except {caught} as e:
    seen = [e.code, e.message, e.recovery, e.details, str(e), f"{{e}}", e.args[0]]
seen
""")
    assert told.result == [
        "THOUGHT_NOT_FOUND",
        "there is no thought 12",
        "It has 1 to 7.",
        {"number": 12},
        TEXT,
        TEXT,
        TEXT,
    ]


@pytest.mark.parametrize(
    "code",
    [
        "try:\n    tb.thoughts.thought()\nexcept tb.Error as e: code = e.code\ncode",
        "try: tb.thoughts.thought()\nexcept tb.Error as e: x = 1; code = e.code\ncode",
        "try:\n\ttb.thoughts.thought()\nexcept tb.Error as e:\n\t# a comment\n\n\tif e.code:\n\t\tcode = e.code\ncode",
        "def go():\n    try:\n        tb.thoughts.thought()\n    except tb.Error as e:\n        return e.code\ngo()",
        "try:\n    tb.thoughts.thought()\nexcept (\n    ValueError,\n    tb.Error,\n) as e:  # why\n    x = e.code\nx",
        "try:\n    tb.thoughts.thought()\nexcept tb.Error as e:\n    '''except X as y:'''\n    code = e.code\ncode",
        "for i in [1]:\n    try:\n        tb.thoughts.thought()\n    except tb.Error as error:\n"
        "        code = error.code\n        continue\ncode",
    ],
)
def test_a_handler_gets_the_fields_however_it_is_written(refused: Run, code: str):
    assert refused(code).result == "THOUGHT_NOT_FOUND"


def test_a_caught_error_is_an_instance_of_what_it_was_raised_as(refused: Run):
    told = refused("""
try:
    tb.thoughts.thought()
except Exception as e:
    seen = [isinstance(e, tb.Error), isinstance(e, Exception), isinstance(e, ValueError), isinstance(3, int)]
seen
""")
    assert told.result == [True, True, False, True]


@pytest.mark.parametrize("again", ["raise", "raise e", "raise e from e", "raise (e)"])
def test_a_caught_error_can_be_raised_on(refused: Run, again: str):
    with pytest.raises(SnippetFailed) as failed:
        refused(f"\ntry:\n    tb.thoughts.thought()\nexcept tb.Error as e:\n    print(e.code)\n    {again}")
    assert failed.value.details["error"] == REFUSED.payload()
    assert failed.value.recovery == "It has 1 to 7."


def test_an_error_that_was_raised_on_can_be_caught_again_with_its_fields(refused: Run):
    told = refused("""
def go():
    try:
        tb.thoughts.thought()
    except tb.Error as e:
        raise e
try:
    go()
except Exception as e:
    code = e.code
code
""")
    assert told.result == "THOUGHT_NOT_FOUND"


def test_an_error_of_the_host_that_nobody_catches_comes_out_whole(refused: Run):
    with pytest.raises(SnippetFailed) as failed:
        refused("x = 1\ntb.thoughts.thought()")
    assert failed.value.details == {"line": 2, "error": REFUSED.payload()}
    assert failed.value.message == "line 2: THOUGHT_NOT_FOUND: there is no thought 12"


def test_another_error_raised_instead_is_the_snippets_own(refused: Run):
    with pytest.raises(SnippetFailed, match="line 4: ValueError: because of THOUGHT_NOT_FOUND") as failed:
        refused(
            'try:\n    tb.thoughts.thought()\nexcept tb.Error as e:\n    raise ValueError(f"because of {e}") from e'
        )
    assert failed.value.details == {"line": 4, "name": "ValueError"}


def test_an_error_that_a_snippet_keeps_is_an_object_in_its_result(refused: Run):
    told = refused("try:\n    tb.thoughts.thought()\nexcept tb.Error as e:\n    kept = e\nkept")
    assert told.result == {
        "code": "THOUGHT_NOT_FOUND",
        "message": "there is no thought 12",
        "recovery": "It has 1 to 7.",
        "details": {"number": 12},
    }


def test_errors_of_the_snippet_itself_are_caught_as_they_are(run: Run):
    told = run(
        "try:\n    int('x')\nexcept (ValueError, tb.Error) as e:\n    seen = [type(e).__name__, str(e)[:7]]\nseen"
    )
    assert told.result == ["ValueError", "invalid"]


def test_a_snippet_may_raise_the_error_of_the_library_itself(run: Run):
    told = run('try:\n    raise tb.Error("mine")\nexcept tb.Error as e:\n    seen = str(e)\nseen')
    assert told.result == "mine"


@pytest.mark.parametrize(
    ("code", "line", "name"),
    [
        ("1 / 0", 1, "ZeroDivisionError"),
        ("x = 1\n\n\nx.y", 4, "AttributeError"),
        ("def f():\n    return [][1]\nf()", 2, "IndexError"),
        ("x = {}\nx['key']", 2, "KeyError"),
        ("x = [\n    1,\n    int('a'),\n]", 3, "ValueError"),
        ("try:\n    pass\nexcept ValueError as e:\n    pass\nnope", 5, "NameError"),
        ("assert 1 == 2", 1, "AssertionError"),
        ("raise ValueError", 1, "ValueError"),
        ("print(nope())", 1, "NameError"),
        ("eval('1 / 0')", 1, "ZeroDivisionError"),
    ],
)
def test_an_error_that_nobody_catches_names_its_line(run: Run, code: str, line: int, name: str):
    with pytest.raises(SnippetFailed, match=f"line {line}: {name}") as failed:
        run(code)
    assert failed.value.details == {"line": line, "name": name}


@pytest.mark.parametrize(
    ("code", "advice"),
    [
        ("import statistics", "can import: asyncio, base64"),
        ("open('/etc/passwd')", "through tb alone"),
        ("import os\nos.environ['HOME']", "through tb alone"),
        ("globals()", "not there"),
        ("raise ValueError(1, 2)", "one text"),
        ("r = {}\nr.sessions", r'answer\["name"\]'),
    ],
)
def test_an_error_says_what_to_do_instead(run: Run, code: str, advice: str):
    with pytest.raises(SnippetFailed) as failed:
        run(code)
    assert advice.replace("\\", "") in f"{failed.value.message} {failed.value.recovery}"


@pytest.mark.parametrize(
    ("code", "line", "advice"),
    [
        ("x = (", 1, "Mend"),
        ("x = 1\nif x\n    y", 2, "Mend"),
        ("const x = 5;", 1, "JavaScript"),
        ("print 'x'", 1, "Mend"),
        ("x = 'abc", 1, "Mend"),
        ("\nclass A(B):\n    pass", 2, "base class"),
        ("def f():\n    yield 1", 2, "list"),
        ("x = 1\ndel x", 2, "pop"),
        ("class A:\n    @property\n    def f(self):\n        return 1", 2, "method"),
        ("try:\n    pass\nexcept* ValueError:\n    pass", 1, "except"),
        ("[x async for x in y]", 1, "async"),
        ("type X = int", 1, "alias"),
        ("try:\n    pass\nexcept ValueError as e:\n    pass\nx = (", 5, "Mend"),
        ("try:\n    pass\nexcept ValueError as e:\n    pass\nfor\n", 5, "Mend"),
        ("break", 1, "Mend"),
    ],
)
def test_what_this_python_cannot_read_names_its_line_and_what_to_write(run: Run, code: str, line: int, advice: str):
    with pytest.raises(SnippetInvalid) as failed:
        run(code)
    assert failed.value.details == {"line": line}
    assert f"line {line}: " in failed.value.message
    assert advice in str(failed.value.recovery)


def test_a_snippet_that_is_invalid_has_asked_for_nothing(run: Run, host: Host):
    with pytest.raises(SnippetInvalid):
        run('tb.claim("x")\nclass A(int): pass')
    assert host.asked == []


def test_messages_are_short_however_long_the_source_is(run: Run):
    with pytest.raises(SnippetFailed) as failed:
        run(f"raise ValueError('{'x' * 50_000}')")
    assert len(failed.value.message) < 3_000


def test_the_error_of_a_reply_need_not_have_all_fields(run: Run, host: Host):
    def fields(_: Any) -> Any:
        raise ThoughtNotFound("gone")

    host.answers["thoughts.thought"] = fields
    told = run("try:\n    tb.thoughts.thought()\nexcept tb.Error as e:\n    seen = [e.recovery, e.details]\nseen")
    assert told.result == [None, {}]
