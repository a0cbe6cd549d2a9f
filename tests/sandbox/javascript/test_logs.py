"""What a snippet prints."""

from __future__ import annotations

from contextlib import closing

import pytest

from tests.sandbox.javascript.conftest import Tell
from thoughtbox.errors import LimitExceeded, SnippetFailed
from thoughtbox.sandbox.javascript.sandbox import JavaScriptSandbox
from thoughtbox.sandbox.protocol import Asked, Limits, Reply, Snippet


@pytest.mark.parametrize(
    "name", ["console.log", "console.info", "console.warn", "console.error", "console.debug", "print"]
)
def test_a_line_for_each_call(tell: Tell, name: str):
    assert tell(f"{name}('a', 1); {name}('b'); {name}()").logs == ["a 1", "b", ""]


def test_values_are_shown_as_json_and_texts_as_they_are(tell: Tell):
    told = tell(
        """
        console.log({ a: [1, "x"] }, "text", null, undefined, true, 5n, NaN);
        console.log(tb.claim("c"), new Map([["k", 1]]), new TypeError("no"), Symbol("s"));
        console.log(function named() {}, tb.thoughts);
        """
    )

    assert told.logs == [
        '{"a":[1,"x"]} text null undefined true 5 NaN',
        'th:1 {"k":1} TypeError: no Symbol(s)',
        "[function named] [function tb.thoughts]",
    ]


def test_what_cannot_be_shown_does_not_fail_the_snippet(tell: Tell):
    told = tell("const a = {}; a.a = a; console.log(a, { get x() { throw new Error('no'); } }); 1")

    assert told.result == 1
    assert told.logs == ["[TypeError: It cannot be JSON, because it contains itself] [Error: no]"]


def test_many_lines_keep_their_order(tell: Tell):
    assert tell("for (let i = 0; i < 500; i++) print(i)").logs == [str(i) for i in range(500)]


def test_what_was_printed_is_known_while_the_snippet_waits_and_when_it_has_failed(sandbox: JavaScriptSandbox):
    code = "print('before'); tb.a.b({}); print('between'); throw new Error('x')"
    with closing(sandbox.run(Snippet(code, "javascript"), Limits())) as run:
        assert isinstance(run.start(), Asked)
        assert list(run.logs) == ["before"]
        with pytest.raises(SnippetFailed):
            run.resume(Reply())
        assert list(run.logs) == ["before", "between"]


def test_what_was_printed_before_an_endless_loop_is_kept(sandbox: JavaScriptSandbox):
    with closing(sandbox.run(Snippet("print('in'); for (;;) {}", "javascript"), Limits())) as run:
        with pytest.raises(LimitExceeded):
            run.start()
        assert list(run.logs) == ["in"]
