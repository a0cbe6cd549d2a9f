"""How a snippet is read: its last expression, its return, its await; and where it is wrong."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sandbox.javascript.conftest import Tell
from thoughtbox.errors import SnippetFailed, SnippetInvalid
from thoughtbox.sandbox.protocol import Language


@pytest.mark.parametrize(
    ("code", "result"),
    [
        ("return 5", 5),
        ("return", None),
        ("if (true) { return 'early'; }\n'late'", "early"),
        ("const f = () => { return 1; }; f() + 1", 2),
        ("'return 5'.length // return", 8),
        ("function f() { return 1 }\nreturn f() + 2 // the end", 3),
        ("for (const n of [1, 2, 3]) if (n === 2) return n", 2),
        ("return await Promise.resolve(6)", 6),
        ("const x = `return ${1}`; x", "return 1"),
    ],
)
def test_a_return_at_the_top_is_the_result(tell: Tell, code: str, result: Any):
    assert tell(code).result == result


@pytest.mark.parametrize(
    ("rest", "result"),
    [
        ("7", 7),
        ("7;\n// a comment", 7),
        ("const o = {\n  a: 1,\n};\no", {"a": 1}),
        ("[1, 2].map((n) => {\n  return n + 1;\n});", [2, 3]),
        ('"a"\n  + "b"', "ab"),
        ("await Promise.resolve(4)", 4),
        ("({ a: 1 })", {"a": 1}),
        ('const s = "a; b";\ns', "a; b"),
        ("const x = 5;", None),
        ("for (const n of [1, 2])\n  print(n)", None),
        ("later();\nfunction later() {}", None),
        ("if (true) {\n  1\n} else {\n  2\n}", None),
    ],
)
@pytest.mark.parametrize("language", ["javascript", "typescript"])
@pytest.mark.parametrize("guard", ["if (false) return 1;\n", "if (false) { return 1 } "])
def test_a_snippet_that_might_have_returned_has_its_last_expression_as_result(
    tell: Tell, guard: str, language: Language, rest: str, result: Any
):
    assert tell(guard + rest, language).result == result


@pytest.mark.parametrize(
    ("code", "result"),
    [
        ("await 5", 5),
        ("const x = await Promise.resolve(2); x * 2", 4),
        ("Promise.resolve(7)", 7),
        ("(async () => { await null; return 8; })()", 8),
        ("async function main() { return [await 1, await 2]; }\nmain()", [1, 2]),
        ("await Promise.all([1, Promise.resolve(2)])", [1, 2]),
        ("({ then(done) { done(9); } })", 9),
        ("for await (const x of [Promise.resolve(3)]) globalThis.seen = x; seen", 3),
        ("const seen = []; Promise.resolve().then(() => seen.push(1)); await 0; seen", [1]),
        ("const c = await tb.claim('x'); c.id", "th:1"),
    ],
)
def test_promises_are_awaited(tell: Tell, code: str, result: Any):
    assert tell(code).result == result


def test_what_was_begun_and_not_awaited_still_happens(tell: Tell):
    told = tell("(async () => { await 1; await 2; console.log('late'); })(); 'done'")

    assert told.result == "done"
    assert told.logs == ["late"]


@pytest.mark.parametrize(
    "code", ["Promise.reject(new TypeError('no'))", "(async () => { throw new TypeError('no'); })()"]
)
def test_a_result_that_is_rejected_fails_the_snippet(tell: Tell, code: str):
    with pytest.raises(SnippetFailed, match="TypeError: no"):
        tell(code)


def test_a_promise_that_nothing_settles_is_told_of(tell: Tell):
    with pytest.raises(SnippetFailed, match="promise that nothing settles"):
        tell("await new Promise(() => {})")


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("let a 5", 1),
        ("const a = 1;\n\nconst b = ;\n", 3),
        ("const a = 1;\nfoo(", 2),
        ("let x = 1;\nlet x = 2;", 2),
        ("import fs from 'fs'", 1),
        ("return 1;\nlet a 5", 2),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_line(tell: Tell, code: str, line: int):
    with pytest.raises(SnippetInvalid, match=rf"cannot be read: .* \(line {line}\)") as caught:
        tell(code)

    assert caught.value.details == {"line": line}


@pytest.mark.parametrize(
    ("code", "recovery"),
    [
        ("import fs from 'fs'", "There are no modules here"),
        ("const a = 1;\n{ a: a, b: 2 }", "put it in brackets"),
    ],
)
def test_what_is_often_written_wrong_is_told_how_to_write(tell: Tell, code: str, recovery: str):
    with pytest.raises(SnippetInvalid) as caught:
        tell(code)

    assert recovery in (caught.value.recovery or "")


def test_what_cannot_be_read_has_not_begun(tell: Tell):
    asked: list[Any] = []
    with pytest.raises(SnippetInvalid):
        tell("tb.rooms.first({});\nlet a 5", answer=asked.append)

    assert not asked


def test_half_of_a_character_is_refused_before_anything_runs(tell: Tell):
    with pytest.raises(SnippetInvalid, match="half of a character"):
        tell("'\ud800'")


@pytest.mark.parametrize(
    ("code", "details"),
    [
        ("throw new TypeError('x')", {"name": "TypeError", "line": 1, "column": 11}),
        ("\n\nfoo.bar()", {"name": "ReferenceError", "line": 3}),
        ("const a = null;\n\n  a.b.c", {"name": "TypeError", "line": 3, "column": 3}),
        ("const f = () => {\n  missing();\n};\n\nf()", {"name": "ReferenceError", "line": 2, "column": 3}),
        ("return new Nowhere()", {"name": "ReferenceError", "line": 1, "column": 12}),
        ("return 1 +\n  nowhere()", {"name": "ReferenceError", "line": 2, "column": 3}),
        ("const f = (x) => {\n  const y = x;\n  return y.z.w;\n};\nf({})", {"name": "TypeError", "line": 3}),
        ("[1].map((x) => x.y.z)", {"name": "TypeError", "line": 1}),
        ("await 1;\nawait 2;\nthrow new RangeError('x')", {"name": "RangeError", "line": 3, "column": 11}),
        ("class Mine extends Error { name = 'Mine'; }\nthrow new Mine('x')", {"name": "Mine", "line": 2, "column": 11}),
        ("throw 'plain text'", {}),
        ("throw { code: 1 }", {}),
    ],
)
def test_an_error_that_was_not_caught_says_its_name_and_place(tell: Tell, code: str, details: dict[str, Any]):
    with pytest.raises(SnippetFailed) as caught:
        tell(code)

    assert caught.value.details == details


def test_an_error_that_was_not_caught_says_its_own_message(tell: Tell):
    with pytest.raises(SnippetFailed) as caught:
        tell("const card = undefined;\ncard.title")

    assert caught.value.message == "TypeError: cannot read property 'title' of undefined (line 2)"


def test_what_was_thrown_and_is_no_error_is_shown(tell: Tell):
    with pytest.raises(SnippetFailed, match=r'{"code":1}'):
        tell("throw { code: 1 }")


@pytest.mark.parametrize("name", ["require", "fetch", "setTimeout", "process"])
def test_what_other_hosts_have_is_said_to_be_missing(tell: Tell, name: str):
    with pytest.raises(SnippetFailed) as caught:
        tell(f"{name}('x')")

    assert caught.value.recovery is not None
    assert f"There is no `{name}` here" in caught.value.recovery


def test_a_message_is_cut_to_what_can_be_read(tell: Tell):
    with pytest.raises(SnippetFailed) as caught:
        tell("throw new Error('x'.repeat(100000))")

    assert len(caught.value.message) < 2_100
