"""Builders: records that are queued inside the sandbox, with numbers taken from the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.sandbox.python.host import Host, Told
from thoughtbox.errors import HostOnly, InvalidPayload, SnippetFailed
from thoughtbox.sandbox.protocol import Asked, Built, Reply

Run = Callable[..., Told]


def test_a_builder_returns_a_handle_with_the_next_number(run: Run):
    told = run('c = tb.claim("one")\n[c.id, c.kind, str(c), f"{c}", c]')
    assert told.result == ["th:17", "claim", "th:17", "th:17", {"id": "th:17", "kind": "claim"}]
    assert told.asked == [("base", {})]
    assert told.built == [Built("claim", "one", {})]


def test_a_handle_can_be_referred_to_at_once(run: Run):
    told = run(
        'a = tb.claim("a")\nb = tb.evidence("b", supports=[a])\ntb.revision("c", replacesId=a, relates_to=[a, b])'
    )
    assert told.built == [
        Built("claim", "a", {}),
        Built("evidence", "b", {"supports": ["th:17"]}),
        Built("revision", "c", {"replacesId": "th:17", "relates_to": ["th:17", "th:18"]}),
    ]


def test_options_that_are_plainly_right_are_queued_as_given(run: Run):
    told = run(
        'tb.decision("d", confidence=0.5, labels=["a"], alternativesConsidered=["b", "c"])\n'
        'tb.plan("p", steps=["one", "two"], confidence=1)\n'
        'tb.observation(text="o", context="c")\n'
        'tb.evidence("e", sourceUrl="https://example.org")'
    )
    assert told.asked == [("base", {})]
    assert told.built == [
        Built("decision", "d", {"confidence": 0.5, "labels": ["a"], "alternativesConsidered": ["b", "c"]}),
        Built("plan", "p", {"steps": ["one", "two"], "confidence": 1}),
        Built("observation", "o", {"context": "c"}),
        Built("evidence", "e", {"sourceUrl": "https://example.org"}),
    ]


@pytest.mark.parametrize(
    ("call", "arguments"),
    [
        ('tb.claim("")', {"text": ""}),
        ('tb.claim("  ")', {"text": "  "}),
        ("tb.claim(5)", {"text": 5}),
        ("tb.claim()", {}),
        ('tb.claim("x" * 20001)', {"text": "x" * 20001}),
        ('tb.claim("a\\x00b")', {"text": "a\0b"}),
        ('tb.claim("x", supports=["th:1"])', {"text": "x", "supports": ["th:1"]}),
        ('tb.claim("x", supports="th:1")', {"text": "x", "supports": "th:1"}),
        ('tb.claim("x", supports=None)', {"text": "x", "supports": None}),
        ('tb.claim("x", confidence=2)', {"text": "x", "confidence": 2}),
        ('tb.claim("x", confidence=True)', {"text": "x", "confidence": True}),
        ('tb.claim("x", confidence=float("nan"))', {"text": "x", "confidence": None}),
        ('tb.claim("x", labels="a")', {"text": "x", "labels": "a"}),
        ('tb.claim("x", labels=["a", ""])', {"text": "x", "labels": ["a", ""]}),
        ('tb.claim("x", metrics={"ms": 3})', {"text": "x", "metrics": {"ms": 3}}),
        ('tb.claim("x", from_="y")', {"text": "x", "from": "y"}),
        ('tb.claim("x", nonsense=1)', {"text": "x", "nonsense": 1}),
        ('tb.claim("x", steps=["a"])', {"text": "x", "steps": ["a"]}),
        ('tb.claim("x", labels=["a\\nb"])', {"text": "x", "labels": ["a\nb"]}),
        ('tb.claim("x", labels=["a"] * 51)', {"text": "x", "labels": ["a"] * 51}),
        ('tb.claim("\\u200b")', {"text": "\u200b"}),
    ],
)
def test_what_is_not_plainly_right_is_asked_for_at_once(run: Run, host: Host, call: str, arguments: dict[str, Any]):
    host.answers["claim"] = {"id": "th:99", "kind": "claim"}
    told = run(f"c = {call}\n[c.id, c.kind]")
    assert told.asked == [("claim", arguments)]
    assert told.result == ["th:99", "claim"]


def test_a_revision_that_does_not_say_of_what_is_asked_for(run: Run, host: Host):
    host.answers["revision"] = InvalidPayload("replacesId is missing")
    for options in ["", ", replacesId=[a]", ", replacesId=None"]:
        with pytest.raises(SnippetFailed, match="INVALID_PAYLOAD"):
            run(f'a = tb.claim("a")\ntb.revision("b"{options})')


def test_a_handle_that_was_asked_for_can_be_referred_to(run: Run, host: Host):
    host.answers["claim"] = {"id": "th:99", "kind": "claim"}
    told = run('c = tb.claim("x", metrics={"ms": 3})\ntb.evidence("y", supports=[c])')
    assert told.built == [Built("evidence", "y", {"supports": ["th:99"]})]


def test_a_builder_that_is_refused_raises_where_it_was_called(run: Run, host: Host):
    host.answers["claim"] = InvalidPayload("text is empty")
    assert run('try:\n    tb.claim("")\nexcept tb.Error as e:\n    code = e.code\ncode').result == "INVALID_PAYLOAD"


def test_what_is_queued_comes_with_the_next_thing_asked_for(shared: Any):
    host = Host(shared, thoughts__thought={})
    steps: list[Asked] = []

    def reply(asked: Asked) -> Reply:
        steps.append(asked)
        return Host.reply(host, asked)

    host.reply = reply
    told = host.run('tb.claim("a")\ntb.thoughts.thought()\ntb.claim("b")\ntb.claim("c").id')
    assert [(step.name, [built.text for built in step.queued]) for step in steps] == [
        ("base", []),
        ("thoughts.thought", ["a"]),
    ]
    assert told.result == "th:19"
    assert [built.text for built in told.built] == ["a", "b", "c"]


def test_the_number_goes_on_where_the_last_reply_says(shared: Any):
    host = Host(
        shared, thoughts__thought=lambda arguments: host.built.extend([Built("claim", "of the operation", {})] * 5)
    )
    assert host.run('a = tb.claim("a")\ntb.thoughts.thought()\nb = tb.claim("b")\n[a.id, b.id]').result == [
        "th:17",
        "th:23",
    ]


def test_no_more_than_two_hundred_are_queued(run: Run):
    told = run('for i in range(450):\n    last = tb.claim(f"n {i}")\nlast.id')
    assert told.asked == [("base", {})] * 3
    assert told.result == f"th:{17 + 449}"
    assert [built.text for built in told.built] == [f"n {i}" for i in range(450)]


def test_long_texts_are_handed_over_before_they_become_too_much(run: Run):
    told = run('for i in range(100):\n    tb.claim("x" * 20000)')
    assert len(told.built) == 100
    assert len(told.asked) > 10


def test_records_that_are_built_while_a_return_is_under_way_are_not_lost(run: Run):
    told = run('try:\n    return 1\nfinally:\n    tb.claim("at last")')
    assert told.result == 1
    assert [built.text for built in told.built] == ["at last"]


@pytest.mark.parametrize("kind", ["tool_call", "tool_result", "hub_event", "checkpoint"])
def test_kinds_that_the_host_alone_writes_are_asked_for_and_refused(run: Run, host: Host, kind: str):
    host.answers[kind] = HostOnly(f"{kind} is written by the host")
    told = run(f'try:\n    tb.{kind}("x", a=1)\nexcept tb.Error as e:\n    code = e.code\ncode')
    assert told.result == "HOST_ONLY"
    assert told.asked == [(kind, {"text": "x", "a": 1})]


def test_options_in_a_dict_are_refused_with_the_way_to_write_them(run: Run):
    with pytest.raises(SnippetFailed, match="options as keywords"):
        run('tb.claim("x", {"supports": []})')


def test_a_snippet_may_call_its_variables_like_built_ins(run: Run):
    told = run('list, type, id, len, str, all, print, set = [1], 2, 3, 4, 5, 6, 7, 8\ntb.claim("x", labels=["a"]).kind')
    assert told.result == "claim"


@pytest.mark.parametrize(
    "code",
    [
        'h = tb.claim("a")\nh.id = "th:1"\ntb.claim("b", supports=[h])',
        'h = tb.claim("a")\nforged = type(h)("th:1", "claim")\ntb.claim("b", supports=[forged])',
        'class TbHandle:\n    def __init__(self):\n        self.id = "th:1"\n        self.kind = "claim"\n'
        'tb.claim("b", supports=[TbHandle()])',
    ],
)
def test_a_forged_handle_is_not_queued_but_left_to_the_host(run: Run, host: Host, code: str):
    host.answers["claim"] = InvalidPayload("what is that?")
    with pytest.raises(SnippetFailed, match="INVALID_PAYLOAD"):
        run(code)
