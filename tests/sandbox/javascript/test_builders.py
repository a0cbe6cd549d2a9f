"""Builders: records that are made without asking each time."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sandbox.javascript.conftest import Tell
from thoughtbox.errors import SnippetFailed
from thoughtbox.sandbox.protocol import BASE, Asked, Built


def names(asked: list[Asked]) -> list[str]:
    return [step.name for step in asked]


def test_the_first_builder_asks_for_the_number_and_the_others_count_on(tell: Tell):
    told = tell("[tb.claim('a'), tb.plan('b', { steps: ['one', 'two'] }), tb.question('c')].map(String)", base=17)

    assert told.result == ["th:17", "th:18", "th:19"]
    assert names(told.asked) == [BASE]
    assert told.written == [
        Built("claim", "a", {}),
        Built("plan", "b", {"steps": ["one", "two"]}),
        Built("question", "c", {}),
    ]


def test_a_handle_is_a_reference_at_once(tell: Tell):
    told = tell(
        """
        const c = tb.claim('c');
        const d = tb.claim('d', { contradicts: c });
        tb.evidence('e', { supports: [c, d] });
        """
    )

    assert told.written[1:] == [
        Built("claim", "d", {"contradicts": "th:1"}),
        Built("evidence", "e", {"supports": ["th:1", "th:2"]}),
    ]
    assert names(told.asked) == [BASE]


def test_a_handle_says_what_it_is(tell: Tell):
    told = tell("const c = tb.claim('c'); [c.id, c.kind, `${c}`, c + '', JSON.stringify(c), Object.keys(c)]")

    assert told.result == ["th:1", "claim", "th:1", "th:1", '{"id":"th:1","kind":"claim"}', ["id", "kind"]]


def test_what_is_queued_comes_with_the_next_question(tell: Tell):
    told = tell("tb.claim('a'); tb.rooms.look({}); tb.claim('b'); 1", base=5)

    base, look = told.asked
    assert (base.name, base.queued) == (BASE, ())
    assert (look.name, look.queued) == ("rooms.look", (Built("claim", "a", {}),))
    assert told.written == [Built("claim", "a", {}), Built("claim", "b", {})]


def test_the_number_is_taken_from_each_reply(tell: Tell):
    def writes_itself(step: Asked) -> Any:
        told_numbers.append(step.name)

    told_numbers: list[str] = []
    told = tell(
        "const a = tb.claim('a'); tb.rooms.look({}); const b = tb.claim('b'); [a.id, b.id]",
        answer=writes_itself,
        base=8,
    )

    assert told.result == ["th:8", "th:9"]


def test_two_hundred_at_most_wait(tell: Tell):
    told = tell("for (let i = 0; i < 450; i++) tb.claim('n' + i); 1")

    assert names(told.asked) == [BASE, BASE, BASE]
    assert [len(step.queued) for step in told.asked] == [0, 200, 200]
    assert [record.text for record in told.written] == [f"n{i}" for i in range(450)]


@pytest.mark.parametrize(
    "options",
    [
        {"confidence": 0},
        {"confidence": 1},
        {"confidence": 0.25, "labels": ["a", "b"]},
        {"context": "where", "sourceUrl": "https://example.org"},
        {"alternativesConsidered": ["this", "that"]},
        {"labels": []},
    ],
)
def test_what_is_plainly_right_is_queued(tell: Tell, options: dict[str, Any]):
    told = tell(f"tb.claim('x', {options!r}); 1")

    assert names(told.asked) == [BASE]
    assert told.written == [Built("claim", "x", options)]


def test_an_option_that_is_undefined_was_not_given(tell: Tell):
    assert tell("tb.claim('x', { confidence: undefined, supports: undefined }); 1").written == [Built("claim", "x", {})]


@pytest.mark.parametrize(
    ("call", "arguments"),
    [
        ("tb.claim('x', { confidence: 2 })", {"text": "x", "confidence": 2}),
        ("tb.claim('x', { confidence: '0.5' })", {"text": "x", "confidence": "0.5"}),
        ("tb.claim('x', { confidence: NaN })", {"text": "x", "confidence": None}),
        ("tb.claim('x', { unheard: 1 })", {"text": "x", "unheard": 1}),
        ("tb.claim('x', { supports: ['th:1'] })", {"text": "x", "supports": ["th:1"]}),
        ("tb.claim('x', { supports: 'th:1' })", {"text": "x", "supports": "th:1"}),
        (
            "tb.claim('x', { supports: [{ id: 'th:1', kind: 'claim' }] })",
            {"text": "x", "supports": [{"id": "th:1", "kind": "claim"}]},
        ),
        ("tb.claim('x', { labels: 'one' })", {"text": "x", "labels": "one"}),
        ("tb.claim('x', { labels: ['a', ' '] })", {"text": "x", "labels": ["a", " "]}),
        ("tb.claim('x', { labels: ['a', 5] })", {"text": "x", "labels": ["a", 5]}),
        ("tb.claim('x', { context: '' })", {"text": "x", "context": ""}),
        ("tb.claim('x\\0')", {"text": "x\0"}),
        ("tb.claim('x\\ud800')", {"text": "x\ud800"}),
        ("tb.claim('x'.repeat(20001))", {"text": "x" * 20_001}),
        ("tb.claim(['x'])", {"text": ["x"]}),
    ],
)
def test_anything_else_is_asked_for_at_once(tell: Tell, call: str, arguments: dict[str, Any]):
    told = tell(f"{call}.id")

    assert told.asked == [Asked("claim", arguments)]
    assert told.result == "th:1"


@pytest.mark.parametrize("text", ["''", "'  '", "'\\n\\t'", "'\\u00a0'", "undefined", "null"])
def test_a_blank_text_is_refused_where_it_can_be_caught(tell: Tell, text: str):
    told = tell(
        f"try {{ tb.claim({text}); }} catch (error) {{ [error instanceof tb.Error, error.code, error.message] }}"
    )

    assert told.result == [True, "VALIDATION_ERROR", "text is empty"]
    assert not told.written


def test_a_text_of_twenty_thousand_characters_is_queued(tell: Tell):
    assert names(tell("tb.claim('x'.repeat(20000)); 1").asked) == [BASE]


def test_what_is_asked_for_takes_along_what_was_queued(tell: Tell):
    told = tell(
        "const a = tb.claim('a'); const b = tb.claim('b', { odd: a }); const c = tb.claim('c'); [a, b, c].map(String)"
    )

    assert told.asked[1] == Asked("claim", {"text": "b", "odd": "th:1"}, (Built("claim", "a", {}),))
    assert told.result == ["th:1", "th:2", "th:3"]


@pytest.mark.parametrize("kind", ["tool_call", "tool_result", "hub_event", "checkpoint"])
def test_what_the_host_writes_is_asked_for(tell: Tell, kind: str):
    told = tell(f"tb.{kind}('x', {{ a: 1 }})")

    assert told.asked == [Asked(kind, {"text": "x", "a": 1})]


@pytest.mark.parametrize("call", ["tb.claim('x', 'y')", "tb.claim('x', [1])", "tb.claim('x', {}, {})"])
def test_a_builder_that_is_called_otherwise_says_how(tell: Tell, call: str):
    with pytest.raises(SnippetFailed, match=r"tb\.claim takes a text and an object with options") as caught:
        tell(f"\n{call}")

    assert caught.value.details["line"] == 2


def test_a_text_among_the_options_is_refused(tell: Tell):
    with pytest.raises(SnippetFailed, match="text before the options"):
        tell("tb.claim('x', { text: 'y' })")
