"""The source as the engine gets it."""

from __future__ import annotations

import time

import pytest

from thoughtbox.sandbox.python.rewriting import rewritten


@pytest.mark.parametrize(
    ("code", "becomes"),
    [
        ("x", "_tb_result((x))"),
        ("x # why", "_tb_result((x)) # why"),
        ("x = 1", "x = 1"),
        ("x += 1", "x += 1"),
        ("x: int", "x: int"),
        ("x == 1", "_tb_result((x == 1))"),
        ("x <= 1", "_tb_result((x <= 1))"),
        ("a, b", "_tb_result((a, b))"),
        ("lambda: 1", "lambda: 1"),
        ("f(lambda: 1, a=2)", "_tb_result((f(lambda: 1, a=2)))"),
        ("if x: y", "if x: y"),
        ("    x", "    x"),
        ("import json", "import json"),
        ("@f\ndef g(): pass", "@f\ndef g(): pass"),
        ("x; y;", "x; _tb_result((y));"),
        ("match(x)", "_tb_result((match(x)))"),
        ("await f()", "_tb_result((await f()))"),
        ("await tb.claim('x')", "_tb_result((tb.claim('x')))"),
        ("x = await tb.claim('x')", "x = tb.claim('x')"),
        ("return x", "return _tb_result((x))"),
        ("return", "return"),
        ("def f(): return x", "def f(): return x"),
        ("async def f():\n  return x", "async def f():\n  return x"),
        ("def f():\n  return x\nreturn y", "def f():\n  return x\nreturn _tb_result((y))"),
        ("'return x'", "_tb_result(('return x'))"),
        ("# return x", "# return x"),
        ("raise e", "raise e"),
        ("", ""),
    ],
)
def test_the_value_that_a_snippet_ends_with_is_remembered(code: str, becomes: str):
    assert rewritten(code).code == becomes


@pytest.mark.parametrize(
    ("handler", "becomes"),
    [
        ("except E as e:\n  pass", "except E as e:\n  e = _tb_caught(e)\n  pass"),
        ("except E as e: pass", "except E as e: e = _tb_caught(e); pass"),
        ("except E as e: # why\n\n  # how\n  pass", "except E as e: # why\n\n  # how\n  e = _tb_caught(e)\n  pass"),
        ("except (A, B) as e:\n\tpass", "except (A, B) as e:\n\te = _tb_caught(e)\n\tpass"),
        ("except E:\n  raise x", "except E:\n  raise x"),
        ("except E as e: raise", "except E as e: e = _tb_caught(e); raise"),
        ("except E as e: raise e", "except E as e: e = _tb_caught(e); raise _tb_raised((e))"),
        (
            "except E as e: raise A(e) from e",
            "except E as e: e = _tb_caught(e); raise _tb_raised((A(e))) from _tb_raised((e))",
        ),
        ("except E as e: 'raise e'", "except E as e: e = _tb_caught(e); 'raise e'"),
    ],
)
def test_a_handler_gives_its_error_the_fields_that_were_sent(handler: str, becomes: str):
    assert rewritten(f"try: f()\n{handler}\nx = 1").code == f"try: f()\n{becomes}\nx = 1"


def test_a_line_is_found_again_as_it_was_written():
    code = "try:\n  f()\nexcept A as a:\n  g()\nexcept B as b: h()\nexcept C as c:\n\n  i()\nj()"
    written = code.split("\n")
    changed = rewritten(code)
    lines = changed.code.split("\n")
    assert len(lines) == len(written) + 2
    for number, line in enumerate(lines, 1):
        if number not in changed.added:
            assert written[changed.line_of(number) - 1][-3:] in line


@pytest.mark.parametrize("code", ["x = (", "x)", "'abc", '"""abc', "x = 'it's'"])
def test_what_is_not_in_order_is_left_as_it_is(code: str):
    changed = rewritten(code)
    assert changed.code == code
    assert changed.is_unread


@pytest.mark.parametrize(
    "code",
    ['f"{d["a"]}"', "f'{d['it']}'", 'f"{", ".join(x)}"', 'f"{x["#"]}"', 'f"{{}}"', 'f"{x:>{y}}"', 'rf"{x["("]}\\d"'],
)
def test_quotes_inside_of_an_f_string_are_followed(code: str):
    assert rewritten(code).code == f"_tb_result(({code}))"


@pytest.mark.parametrize(
    "piece",
    [
        *(".a", "a", " ", '"', "'''", 'f"{', "\\", "#\n", "as ", "await ", ";", ":", "=", "\n", "()", "(", "lambda: "),
        *("raise x from y;", "return x;", "except E as e:\n", "try: f()\nexcept E as e: raise e\n", "a = 1\n"),
    ],
)
def test_source_made_to_be_slow_is_read_at_once(piece: str):
    began = time.thread_time()
    rewritten(piece * (65_536 // len(piece)))
    assert time.thread_time() - began < 1
