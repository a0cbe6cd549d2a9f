"""Operations: everything below `tb` that is no builder is asked for."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sandbox.javascript.conftest import Tell
from tests.sandbox.javascript.telling import Refusal
from thoughtbox.errors import SnippetFailed
from thoughtbox.sandbox.protocol import Asked


def echo(step: Asked) -> Any:
    return {"name": step.name, "arguments": step.arguments}


def refuse(_: Asked) -> Any:
    raise Refusal("SESSION_NOT_FOUND", "there is no session 7", recovery="List them.", details={"session": "7"})


@pytest.mark.parametrize(
    ("code", "name", "arguments"),
    [
        ("tb.thoughts.add({ thought: 'x', n: 1 })", "thoughts.add", {"thought": "x", "n": 1}),
        ("tb.mind.graph.apply({})", "mind.graph.apply", {}),
        ("tb.thoughts.list()", "thoughts.list", {}),
        ("tb['thoughts']['add']({ a: [1, { b: null }] })", "thoughts.add", {"a": [1, {"b": None}]}),
        ("const { add } = tb.thoughts; add({})", "thoughts.add", {}),
        ("await tb.thoughts.add({})", "thoughts.add", {}),
        ("tb.thoughts.nope({})", "thoughts.nope", {}),
        ("tb.nope()", "nope", {}),
        ("tb.thoughts.add({ a: undefined, b: [undefined] })", "thoughts.add", {"b": [None]}),
        (
            "tb.x.y({ d: new Date(0), m: new Map([['k', 1]]), s: new Set([1]), n: 5n, f() {} })",
            "x.y",
            {"d": "1970-01-01T00:00:00.000Z", "m": {"k": 1}, "s": [1], "n": 5, "f": None},
        ),
    ],
)
def test_an_operation_is_asked_for_by_its_path(tell: Tell, code: str, name: str, arguments: dict[str, Any]):
    assert tell(code, answer=echo).result == {"name": name, "arguments": arguments}


def test_a_handle_in_arguments_becomes_its_id(tell: Tell):
    told = tell("const c = tb.claim('c'); tb.thoughts.link({ from: c, to: [c, { deep: c }] })", answer=echo)

    assert told.result["arguments"] == {"from": "th:1", "to": ["th:1", {"deep": "th:1"}]}


def test_an_answer_is_plain_values(tell: Tell):
    told = tell(
        "const { items } = tb.thoughts.list(); items.map((item) => item.n * 2)",
        answer=lambda _: {"items": [{"n": 1}, {"n": 2}]},
    )

    assert told.result == [2, 4]


def test_an_answer_may_be_large(tell: Tell):
    told = tell("tb.thoughts.list().length", answer=lambda _: ["x" * 1000] * 1000)

    assert told.result == 1000


def test_what_an_operation_refuses_can_be_caught(tell: Tell):
    told = tell(
        """
        try { tb.sessions.get({ id: 7 }); }
        catch (error) { [error instanceof tb.Error, error.code, error.message, error.recovery, error.details] }
        """,
        answer=refuse,
    )

    assert told.result == [True, "SESSION_NOT_FOUND", "there is no session 7", "List them.", {"session": "7"}]


def test_what_an_operation_refuses_and_nobody_catches_comes_out_as_it_came(tell: Tell):
    with pytest.raises(SnippetFailed) as caught:
        tell("const a = 1;\n\ntb.sessions.get({ id: 7 })", answer=refuse)

    payload = {
        "code": "SESSION_NOT_FOUND",
        "message": "there is no session 7",
        "recovery": "List them.",
        "details": {"session": "7"},
    }
    assert caught.value.details == {"error": payload, "line": 3, "column": 13}
    assert caught.value.message == "SESSION_NOT_FOUND: there is no session 7 (line 3)"
    assert caught.value.recovery == "List them."


def test_an_error_that_was_thrown_on_comes_out_as_it_came(tell: Tell):
    with pytest.raises(SnippetFailed) as caught:
        tell("try { tb.a.b({}); } catch (error) { error.message = 'mine'; throw error; }", answer=refuse)

    assert caught.value.details["error"]["message"] == "there is no session 7"


def test_an_error_around_another_is_the_snippets_own(tell: Tell):
    with pytest.raises(SnippetFailed, match="Error: could not") as caught:
        tell("try { tb.a.b({}); } catch (error) { throw new Error('could not', { cause: error }); }", answer=refuse)

    assert "error" not in caught.value.details


@pytest.mark.parametrize(
    "call", ["tb.a.b(5)", "tb.a.b('x')", "tb.a.b([1])", "tb.a.b({}, {})", "tb.a.b(null)", "tb.a.b(tb.claim('c'))"]
)
def test_an_operation_takes_one_object_and_says_so(tell: Tell, call: str):
    with pytest.raises(SnippetFailed, match=r"tb\.a\.b takes one object"):
        tell(call)


def test_a_room_is_neither_a_promise_nor_json(tell: Tell):
    told = tell(
        """
        const awaited = await tb.thoughts;
        [typeof awaited, typeof tb.then, JSON.stringify({ a: tb.thoughts }), `${tb.thoughts.add}`, [tb.thoughts]]
        """
    )

    assert told.result == ["function", "undefined", "{}", "tb.thoughts.add", [None]]


@pytest.mark.parametrize(
    ("key", "name"), [("'x'.repeat(1e6)", "x" * 200), ("'a\\ud800'", "a\N{REPLACEMENT CHARACTER}")]
)
def test_a_name_is_cut_and_made_whole(tell: Tell, key: str, name: str):
    assert tell(f"tb[{key}]({{}})").asked[0].name == name


def test_halves_of_characters_reach_who_can_refuse_them(tell: Tell):
    assert tell("tb.a.b({ text: '\\ud800' })").asked[0].arguments == {"text": "\ud800"}


def test_variables_are_operations(tell: Tell):
    def answer(step: Asked) -> Any:
        return {
            "code.vars.set": {"name": "n"},
            "code.vars.get": {"value": [1]} if step.arguments.get("name") == "n" else {},
            "code.vars.list": {"vars": ["n"]},
            "code.vars.delete": {"deleted": True},
        }[step.name]

    told = tell(
        "[tb.vars.set('n', [1]), tb.vars.get('n'), tb.vars.get('other'), tb.vars.list(), tb.vars.delete('n')]",
        answer=answer,
    )

    assert told.result == [[1], [1], None, ["n"], True]
    assert [(step.name, step.arguments) for step in told.asked] == [
        ("code.vars.set", {"name": "n", "value": [1]}),
        ("code.vars.get", {"name": "n"}),
        ("code.vars.get", {"name": "other"}),
        ("code.vars.list", {}),
        ("code.vars.delete", {"name": "n"}),
    ]


def test_a_handle_that_is_kept_in_a_variable_is_its_id(tell: Tell):
    told = tell("tb.vars.set('c', tb.claim('c')); 1")

    assert told.asked[1].arguments == {"name": "c", "value": "th:1"}
