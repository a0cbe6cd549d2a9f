"""TypeScript: its types go, its own syntax works, and errors name the lines that were written."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sandbox.javascript.conftest import Tell
from tests.sandbox.javascript.telling import Refusal
from thoughtbox.errors import SnippetFailed, SnippetInvalid

RUN = "const run = (): void => {\n  const card: Card = first<Card>(cards);\n  missing(card);\n};\nrun();"
BOX = "class Box<T> { constructor(private readonly x: T, public y = 2) {} get() { return [this.x, this.y]; } }"
LONG = """interface Card {
  title: string;
  tags: string[];
}

type Lookup<T> = { [key: string]: T };

enum Color {
  Red,
  Green = 5,
}

function first<T>(
  items: T[],
): T {
  return items[0] as T;
}

const cards: Card[] = [];
"""


@pytest.mark.parametrize(
    ("code", "result"),
    [
        ("const x: number = 5; x", 5),
        ("enum Color { Red, Green = 5, Blue } [Color.Blue, Color[5]]", [6, "Green"]),
        ("const enum Level { Low = 1 } Level.Low", 1),
        ("interface A { b: string } const a: A = { b: 'c' }; a.b", "c"),
        ("type P<T> = T | null; const p: P<number> = 1; p", 1),
        ("function id<T extends object = {}>(x: T): T { return x; } id({ a: 1 })", {"a": 1}),
        (f"{BOX} new Box(1).get()", [1, 2]),
        ("({ a: 1 } satisfies Record<string, number>).a as number", 1),
        ("let x: any = { y: { z: 3 } }; x!.y!.z!", 3),
        ("const f = (x: number, ...rest: string[]): x is 1 => x === 1; f(1)", True),
        ("abstract class A { abstract n(): number } class B extends A { n() { return 7; } } new B().n()", 7),
        ("namespace N { export const a = 1 } N.a", 1),
        ("declare const nothing: string; 1", 1),
        ("import type { X } from 'y'; const x: X = 4; x", 4),
        ("function over(a: string): void; function over(a: any) { return a; } over(1)", 1),
        ("<number>5", 5),
        ("return 6 as number", 6),
        ("const c: { id: string } = await tb.claim('x'); c.id", "th:1"),
        ("", None),
        ("const x = 1 // plain JavaScript\nx", 1),
    ],
)
def test_types_go_and_the_rest_runs(tell: Tell, code: str, result: Any):
    assert tell(code, "typescript").result == result


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("throw new Error('x')", 1),
        (f"{LONG}first(cards).title;", 20),
        (f"{LONG}\n\nconst lookup: Lookup<Card> = {{}};\nlookup.a.tags.length", 23),
        (f"{LONG}{RUN}", 22),
        (f"{LONG}tb.claim(\n  'x',\n  nowhere as any,\n);", 22),
        ("const a: any = {};\na\n  .b\n  .c\n  .d", 4),
        ("\n\nreturn (null as any).x;", 3),
        ("const f = (x: any) => {\n  const y: any = x;\n  return y.z.w;\n};\nf({})", 3),
        ("const text: string = `one\ntwo\nthree`;\n\n(text as any).missing.more", 5),
    ],
)
def test_an_error_names_the_line_that_was_written(tell: Tell, code: str, line: int):
    with pytest.raises(SnippetFailed) as caught:
        tell(code, "typescript")

    assert caught.value.details.get("line") == line
    assert "column" not in caught.value.details


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("let x: = 3", 1),
        ("const a: number = 1;\n\n\nlet b: number 5;\nlet c = 1;", 4),
        (f"{LONG}const x = {{\n  a: 1\n  b: 2\n}}", 22),
        ("function f() {\n  return 1;\n", 3),
        ("const a = 1;\nconst t = `never closed\nand on", 2),
        ("return 1;\nlet a: 5 6", 2),
        ("/* a\n b\n c */ let x y", 3),
        ("let x: number = 1;\n\nlet x: number = 2;", 3),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_line_that_was_written(tell: Tell, code: str, line: int):
    with pytest.raises(SnippetInvalid) as caught:
        tell(code, "typescript")

    assert caught.value.details == {"line": line}


def test_what_the_engine_cannot_read_after_all_is_refused(tell: Tell):
    with pytest.raises(SnippetInvalid) as caught:
        tell("const log = (x: any) => x;\n\n@log class A {}", "typescript")

    assert caught.value.details == {"line": 3}


def test_a_refused_operation_names_the_line_that_was_written(tell: Tell):
    def refuse(_: Any) -> Any:
        raise Refusal

    with pytest.raises(SnippetFailed) as caught:
        tell(f"{LONG}\ntb.sessions.get({{ id: 1 as number }})", "typescript", answer=refuse)

    assert caught.value.details == {"error": {"code": "REFUSED", "message": "no"}, "line": 21}
