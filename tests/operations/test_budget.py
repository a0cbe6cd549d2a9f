"""Answer budgets: what becomes of an answer that is too long, in every room."""

from __future__ import annotations

import copy
import inspect
import random
import sys
from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thoughtbox.operations.budget import HARD_CEILING, Fitted, fit

NAMES = st.sampled_from(
    ["id", "ref", "sessionId", "card_id", "refs", "text", "title", "cards", "events", "children", "args", "meta", "é\n"]
)
CHARACTERS = st.characters(exclude_categories=["Cs"])
TEXTS = st.one_of(
    st.text(CHARACTERS, max_size=20),
    st.text(CHARACTERS, min_size=60, max_size=70),
    st.builds(lambda text, times: text * times, st.text(CHARACTERS, min_size=1, max_size=9), st.integers(1, 90)),
)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-(2**53), 2**53), st.floats(allow_nan=False), TEXTS)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=8), st.lists(inner, max_size=3).map(tuple), st.dictionaries(NAMES, inner, max_size=6)
    ),
    max_leaves=60,
)
ANSWERS = st.dictionaries(
    st.one_of(NAMES, st.sampled_from(["success", "capsule", "truncated", "budget"])), VALUES, max_size=8
)
RECORDS = st.fixed_dictionaries(
    {"id": st.integers(1, 9999).map(lambda number: f"CARD-{number}")},
    optional={"text": TEXTS, "meta": st.dictionaries(TEXTS, SCALARS, max_size=8), "tags": st.lists(TEXTS, max_size=4)},
)


def length(value: Any) -> int:
    return len(orjson.dumps(value))


def payload(answer: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in answer.items() if name != "budget"}


def codes(fitted: Fitted) -> list[str]:
    return [warning["code"] for warning in fitted.warnings]


def strings(value: Any) -> Iterator[str]:
    waiting = [value]
    while waiting:
        found = waiting.pop()
        if isinstance(found, str):
            yield found
        elif isinstance(found, dict):
            waiting += [*found, *found.values()]
        elif isinstance(found, list | tuple):
            waiting += found


def card(number: int, text: str = "") -> dict[str, Any]:
    return {"id": f"CARD-{number}", "text": text or f"Thought number {number}"}


def numbers(cards: list[dict[str, Any]]) -> list[int]:
    return [int(shown["id"].removeprefix("CARD-")) for shown in cards]


def tree(nodes: int, depth: int) -> dict[str, Any]:
    """A tree that is `depth` levels deep at its deepest, grown at random from a fixed seed."""
    chance = random.Random(7)
    root: dict[str, Any] = {"id": "n0", "text": "root " * 30, "children": []}
    grown = [(root, 1)]
    for number in range(1, nodes):
        parent, level = grown[-1] if number < depth else chance.choice(grown)
        if level == depth:
            parent, level = root, 1
        child: dict[str, Any] = {"id": f"n{number}", "text": "branch " * 30, "children": []}
        parent["children"].append(child)
        grown.append((child, level + 1))
    return root


def chain(depth: int) -> dict[str, Any]:
    node = {"id": f"n{depth}", "text": "the last"}
    for number in reversed(range(depth)):
        node = {"id": f"n{number}", "text": "a link", "children": [node]}
    return node


@pytest.fixture
def resumed() -> dict[str, Any]:
    """An answer as a resumed task gives it: many blocks of every kind, and a capsule."""
    return {
        "success": True,
        "workspace": "demo",
        "target": {"id": "TASK-001", "kind": "task", "title": "Move the cache"},
        "timeline": {
            "events": [{"event_id": f"evt-{n}", "ts_ms": n, "payload": {"note": "n" * 90}} for n in range(30)]
        },
        "signals": {"blockers": [], "decisions": [card(n, "d" * 300) for n in range(5)], "stats": {"open": 3}},
        "memory": {"notes": [card(n, "é" * 700) for n in range(10)], "cards": [card(n) for n in range(20)]},
        "tree": tree(40, 6),
        "actions": [{"tool": "think_card", "args": {"text": "t" * 400, "tags": ["x"] * 30}, "purpose": "go on"}],
        "capsule": {
            "type": "handoff_capsule",
            "focus": "TASK-001",
            "handoff": {"done": ["it works " * 20] * 4, "remaining": ["measure it"], "risks": []},
            "action": {"tool": "open", "args": {"id": "TASK-001"}},
            "refs": ["CARD-19", "TASK-001"],
        },
        "truncated": False,
    }


def test_used_chars_counts_the_payload_without_the_budget_block(resumed: dict[str, Any]):
    for max_chars in (50, 900, 5_000, 100_000):
        shown = fit(resumed, max_chars).answer
        assert shown["budget"]["used_chars"] == length(payload(shown))


def test_the_length_is_counted_in_bytes_of_compact_json():
    answer = {"text": 'é"\n'}
    shown = fit(answer, 100).answer
    assert shown["budget"]["used_chars"] == len('{"text":"é\\"\\n"}'.encode())


def test_a_given_budget_is_reported_even_when_nothing_was_cut():
    fitted = fit({"id": "CARD-1"}, 500)
    assert fitted.answer == {"id": "CARD-1", "budget": {"max_chars": 500, "used_chars": 15, "truncated": False}}
    assert fitted.warnings == []


def test_every_budget_from_the_smallest_up_is_kept(resumed: dict[str, Any]):
    whole = length(resumed)
    for max_chars in (*range(2, 900), *range(900, whole, 41), whole - 1, whole):
        for keep in ((), ("capsule",)):
            shown = fit(resumed, max_chars, keep=keep).answer
            assert shown["budget"]["used_chars"] == length(payload(shown)) <= max_chars
            assert shown["budget"]["truncated"] is (max_chars < whole)


@settings(max_examples=50, deadline=None)
@given(
    ANSWERS,
    st.integers(-3, 3_000),
    st.sampled_from([(), ("capsule",), ("cards", "capsule", "cards")]),
    st.sampled_from([(), ("children", "cards")]),
)
def test_no_answer_ever_exceeds_its_budget(
    answer: dict[str, Any], max_chars: int, keep: tuple[str, ...], newest_first: tuple[str, ...]
):
    before = copy.deepcopy(answer)
    fitted = fit(answer, max_chars, keep=keep, newest_first=newest_first)
    budget = fitted.answer["budget"]

    assert budget["max_chars"] == max(2, max_chars)
    assert budget["used_chars"] == length(payload(fitted.answer)) <= max(2, max_chars)
    assert budget["truncated"] is (length(payload(answer)) > max(2, max_chars))
    assert ("BUDGET_TRUNCATED" in codes(fitted)) is budget["truncated"]
    assert ("BUDGET_MIN_CLAMPED" in codes(fitted)) is (max_chars < 2)
    assert answer == before


@settings(max_examples=40, deadline=None)
@given(ANSWERS, st.integers(0, 50))
def test_an_answer_that_fits_is_untouched(answer: dict[str, Any], spare: int):
    size = max(2, length(payload(answer)))
    shown = fit(answer, size + spare).answer
    assert payload(shown) == payload(answer)
    assert all(shown[name] is answer[name] for name in payload(answer))
    assert fit(answer, None, ceiling=size + spare).answer is answer


@settings(max_examples=40, deadline=None)
@given(ANSWERS, st.integers(2, 2_000))
def test_the_same_answer_is_always_cut_the_same_way(answer: dict[str, Any], max_chars: int):
    first = fit(answer, max_chars)
    again = fit(copy.deepcopy(answer), max_chars)
    assert orjson.dumps(first.answer) == orjson.dumps(again.answer)
    assert first.warnings == again.warnings


@settings(max_examples=40, deadline=None)
@given(ANSWERS, st.integers(2, 2_000))
def test_a_cut_text_is_the_beginning_of_the_text_and_never_splits_a_character(answer: dict[str, Any], max_chars: int):
    known = set(strings(answer))
    ours = {"truncated", "type", "summary", "label", "count", "signal", "minimal", "min", "id", "ref"}
    for text in strings(payload(fit(answer, max_chars).answer)):
        if text not in known | ours:
            assert text.endswith("…")
            assert any(whole.startswith(text[:-1]) for whole in known)


@settings(max_examples=40, deadline=None)
@given(st.lists(RECORDS, min_size=1, max_size=12), st.integers(60, 1_500), st.booleans())
def test_one_id_that_can_be_opened_is_always_left(cards: list[dict[str, Any]], max_chars: int, nested: bool):
    answer = {"success": True, "agent_id": "mia", "result": {"cards": cards}} if nested else {"cards": cards}
    left = set(strings(fit(answer, max_chars).answer))
    assert left & {known["id"] for known in cards}


@settings(max_examples=40, deadline=None)
@given(st.lists(RECORDS, min_size=1, max_size=12), st.integers(200, 2_000), st.booleans())
def test_what_is_left_of_a_list_is_its_newest_part_in_its_order(
    cards: list[dict[str, Any]], max_chars: int, first: bool
):
    shown = fit({"cards": cards}, max_chars, newest_first=["cards"] if first else []).answer.get("cards")
    if not shown or shown[0].get("type") == "summary":
        return
    part = cards[: len(shown)] if first else cards[-len(shown) :]
    assert [known["id"] for known in shown] == [known["id"] for known in part]


def test_a_budget_below_the_smallest_answer_is_clamped_and_said_so():
    for max_chars in (1, 0, -50):
        fitted = fit({"text": "hello"}, max_chars)
        assert fitted.answer == {"budget": {"max_chars": 2, "used_chars": 2, "truncated": True}}
        assert codes(fitted) == ["BUDGET_MIN_CLAMPED", "BUDGET_TRUNCATED", "BUDGET_MINIMAL"]


def test_an_empty_answer_fits_a_clamped_budget():
    fitted = fit({}, 0)
    assert fitted.answer == {"budget": {"max_chars": 2, "used_chars": 2, "truncated": False}}
    assert codes(fitted) == ["BUDGET_MIN_CLAMPED"]


def test_every_warning_has_a_code_a_message_and_a_way_out():
    answer = {"text": "x" * 300}
    for warning in fit(answer, 1).warnings + fit({"c": [chain(400)]}, None).warnings + fit(answer, None, ceiling=90)[1]:
        assert set(warning) == {"code", "message", "recovery"}
        assert all(isinstance(part, str) and part for part in warning.values())


def test_the_warning_names_the_budget_that_would_have_shown_everything():
    answer = {"cards": [card(n) for n in range(100)]}
    (warning,) = fit(answer, 1_000).warnings
    assert f"max_chars={length(answer)} " in warning["recovery"]
    assert fit(answer, length(answer)).answer["budget"]["truncated"] is False


def test_a_budget_block_from_before_is_replaced_and_not_counted():
    answer = {"id": "CARD-1", "budget": {"max_chars": 7, "noise": "x" * 900}}
    shown = fit(answer, 40).answer
    assert shown == {"id": "CARD-1", "budget": {"max_chars": 40, "used_chars": 15, "truncated": False}}


def test_without_a_budget_a_short_answer_is_the_same_object():
    answer = {"id": "CARD-1", "text": "x" * 5_000}
    fitted = fit(answer, None)
    assert fitted.answer is answer
    assert fitted.warnings == []


def test_without_a_budget_the_ceiling_cuts_and_says_so():
    answer = {"success": True, "cards": [card(n, "x" * 200) for n in range(2_000)]}
    fitted = fit(answer, None)
    assert HARD_CEILING - 200 < length(payload(fitted.answer)) <= HARD_CEILING
    assert fitted.answer["truncated"] is True
    assert fitted.answer["budget"] == {
        "max_chars": HARD_CEILING,
        "used_chars": length(payload(fitted.answer)),
        "truncated": True,
    }
    assert codes(fitted) == ["BUDGET_TRUNCATED"]
    assert fitted.answer["cards"][-1]["id"] == "CARD-1999"


def test_a_budget_above_the_ceiling_is_honoured():
    answer = {"cards": [card(n, "x" * 200) for n in range(2_000)]}
    assert payload(fit(answer, 1_000_000).answer) == answer


def test_texts_are_cut_to_256_then_160_then_64_characters_before_an_item_is_dropped():
    answer = {"cards": [card(n, "word " * 200) for n in range(20)]}
    seen = []
    for max_chars in range(length(answer) - 1, 1_000, -53):
        cards = fit(answer, max_chars).answer["cards"]
        seen.append((len(cards), max(len(known["text"]) for known in cards)))
    assert list(dict.fromkeys(seen))[:4] == [(20, 512), (20, 256), (20, 160), (20, 64)]
    assert {size for count, size in seen if count < 20} == {64}


def test_one_long_text_is_cut_no_further_than_the_budget_asks():
    answer = {"id": "CARD-1", "text": "x" * 50_000}
    assert len(fit(answer, 40_000).answer["text"]) == 32_768
    assert len(fit(answer, 1_500).answer["text"]) == 1_024
    assert len(fit(answer, 130).answer["text"]) == 64


def test_a_cut_text_ends_with_an_ellipsis_and_keeps_whole_characters():
    shown = fit({"text": "😀é" * 300}, 1_000).answer["text"]
    assert shown == ("😀é" * 300)[:255] + "…"


def test_a_text_that_a_cut_would_lengthen_stays():
    answer = {"texts": ["x" * 66 for _ in range(30)]}
    assert set(fit(answer, 1_000).answer["texts"]) == {"x" * 66}


@pytest.mark.parametrize(
    "name", ["id", "sessionId", "card_id", "ref", "refs", "content_hash", "next_cursor", "nextCursor", "uri", "path"]
)
def test_ids_hashes_cursors_and_addresses_are_never_cut(name: str):
    value: Any = ["r" * 120] if name == "refs" else "r" * 120
    answer = {name: value, "cards": [{name: value, "text": "t" * 900}, {name: value, "text": "t" * 900}]}
    shown = fit(answer, 900).answer
    assert shown[name] == value
    assert shown["cards"][-1][name] == value


def test_a_suggested_call_is_left_as_it_is_or_goes_as_a_whole():
    suggestions = [
        {"target": "think_card", "reason": "because " * 50, "params": {"text": "t" * 300, "tags": ["tag"] * 30}}
        for _ in range(3)
    ]
    for max_chars in range(2, length({"suggestions": suggestions}), 5):
        for shown in fit({"suggestions": suggestions}, max_chars).answer.get("suggestions", []):
            assert shown.get("type") == "summary" or shown["params"] == suggestions[0]["params"]


def test_the_oldest_items_go_first_and_the_last_is_the_newest():
    answer = {"events": [card(n) for n in range(50)]}
    shown = numbers(fit(answer, 600).answer["events"])
    assert shown == list(range(50 - len(shown), 50))
    assert 5 < len(shown) < 50


def test_a_list_named_newest_first_loses_its_end_wherever_it_stands():
    answer = {"jobs": {"events": [card(n) for n in range(50)]}, "cards": [card(n) for n in range(50)]}
    shown = fit(answer, 1_200, newest_first=["events"]).answer
    assert numbers(shown["jobs"]["events"])[0] == 0
    assert numbers(shown["cards"])[-1] == 49


def test_the_longest_list_gives_way_first():
    answer = {"few": [card(n) for n in range(5)], "many": [card(n) for n in range(500)]}
    shown = fit(answer, 2_000).answer
    assert numbers(shown["few"]) == [0, 1, 2, 3, 4]
    assert 20 < len(shown["many"]) < 500


def test_lists_in_items_are_cut_like_lists_at_the_top():
    answer = {"groups": [{"id": f"g{g}", "members": [card(n) for n in range(100)]} for g in range(3)]}
    shown = fit(answer, 3_000).answer
    assert [group["id"] for group in shown["groups"]] == ["g0", "g1", "g2"]
    assert all(numbers(group["members"])[-1] == 99 for group in shown["groups"])
    assert max(len(group["members"]) for group in shown["groups"]) - min(
        len(group["members"]) for group in shown["groups"]
    ) in {0, 1}


def test_a_list_is_cut_no_further_than_the_budget_asks():
    answer = {"cards": [card(n) for n in range(10, 99)]}
    item = length(answer["cards"][0]) + 1
    for max_chars in range(200, length(answer), 37):
        assert max_chars - fit(answer, max_chars).answer["budget"]["used_chars"] < item


def test_room_that_a_large_item_cannot_use_goes_to_the_other_lists():
    answer = {"large": [{"meta": {f"k{n}": n for n in range(300)}}] * 4, "small": [card(n) for n in range(100)]}
    shown = fit(answer, 3_000).answer
    assert shown["large"] == [{"type": "summary", "label": "large", "count": 4}]
    assert len(shown["small"]) > 40


def test_a_short_list_such_as_tags_stays_whole():
    answer = {"cards": [{"id": f"CARD-{n}", "tags": ["a", "b", "c"]} for n in range(50)]}
    shown = fit(answer, 300).answer["cards"]
    assert all(known["tags"] == ["a", "b", "c"] for known in shown)


def test_a_pair_in_a_list_is_never_halved():
    answer = {"scores": [[f"CARD-{n}", "s" * 50] for n in range(50)]}
    assert all(len(pair) == 2 for pair in fit(answer, 500).answer["scores"])


def test_the_newest_item_stays_with_its_text_cut_before_the_list_becomes_a_summary():
    answer = {"cards": [card(n, "x" * 900) for n in range(9)]}
    assert fit(answer, 140).answer["cards"] == [{"id": "CARD-8", "text": "x" * 63 + "…"}]


def test_a_list_of_which_nothing_fits_becomes_a_summary():
    answer = {"success": True, "rows": [{"meta": {f"k{n}": n for n in range(300)}}] * 7}
    assert payload(fit(answer, 200).answer) == {
        "success": True,
        "rows": [{"type": "summary", "label": "rows", "count": 7}],
        "truncated": True,
    }


def test_a_summary_names_the_newest_item_so_that_it_can_be_opened():
    rows = [{"id": f"CARD-{n}", "meta": {f"k{n}": n for n in range(300)}} for n in range(7)]
    assert fit({"rows": rows}, 200).answer["rows"] == [{"type": "summary", "label": "rows", "count": 7, "id": "CARD-6"}]
    assert fit({"rows": rows}, 200, newest_first=["rows"]).answer["rows"][0]["id"] == "CARD-0"


def test_the_leaves_of_a_tree_become_summaries_before_its_root_does():
    node, depth = fit({"tree": [chain(30)]}, 500).answer["tree"][0], 0
    while node.get("type") != "summary":
        assert node["id"] == f"n{depth}"
        node, depth = node["children"][0], depth + 1
    assert node == {"type": "summary", "label": "children", "count": 1, "id": f"n{depth}"}
    assert depth > 5


def test_fields_are_dropped_whole_and_the_largest_first():
    answer = {
        "success": True,
        "count": 3,
        "small": {"id": "CARD-1", "kind": "note"},
        "large": {f"k{n}": n for n in range(100)},
        "larger": {f"k{n}": n for n in range(400)},
    }
    assert "larger" not in fit(answer, length(answer) - 1).answer
    assert fit(answer, length(answer) - 1).answer["large"] == answer["large"]
    shown = payload(fit(answer, 120).answer)
    assert shown == {"success": True, "count": 3, "small": {"id": "CARD-1", "kind": "note"}, "truncated": True}


def test_when_a_field_has_gone_the_others_use_its_room():
    answer = {"huge": {f"k{n}": n for n in range(9_000)}, "cards": [card(n, "x" * 200) for n in range(10)]}
    shown = fit(answer, 5_000).answer
    assert "huge" not in shown
    assert shown["cards"] == answer["cards"]


def test_the_last_block_is_opened_up_before_it_goes():
    card_with_meta = {"id": "CARD-1", "title": "Kept", "meta": {f"k{n}": n for n in range(300)}}
    shown = payload(fit({"kind": "card", "card": card_with_meta}, 300).answer)
    assert shown == {"kind": "card", "card": {"id": "CARD-1", "title": "Kept"}, "truncated": True}


def test_plain_values_survive_until_only_a_stub_is_left():
    answer = {"success": False, "error": "UNKNOWN_ID", "count": 0, "ratio": 0.5, "none": None, "rows": ["x" * 90] * 90}
    plain = {name: value for name, value in answer.items() if name != "rows"}
    for max_chars in range(length(plain), length(answer), 7):
        assert plain.items() <= fit(answer, max_chars).answer.items()
    assert payload(fit(answer, length(plain) - 1).answer) == {"signal": "minimal"}


def test_the_capsule_shrinks_only_after_every_other_block_is_gone(resumed: dict[str, Any]):
    alone = length({name: resumed[name] for name in ("success", "workspace", "capsule")} | {"truncated": True})
    for max_chars in range(alone, length(resumed), 37):
        assert fit(resumed, max_chars, keep=["capsule"]).answer["capsule"] == resumed["capsule"]
    shown = fit(resumed, alone - 1, keep=["capsule"]).answer
    assert set(payload(shown)) == {"success", "workspace", "capsule", "truncated"}


def test_a_shrunken_capsule_keeps_its_plain_values_and_an_id(resumed: dict[str, Any]):
    shown = fit(resumed, 180, keep=["capsule"]).answer["capsule"]
    assert shown["type"] == "handoff_capsule"
    assert shown["refs"] == ["CARD-19", "TASK-001"]


def test_of_two_kept_fields_the_one_named_first_stays_longer():
    answer = {"a": {f"k{n}": n for n in range(50)}, "b": {f"k{n}": n for n in range(50)}, "rest": {"k": "v"}}
    assert list(payload(fit(answer, 600, keep=["b", "a"]).answer)) == ["b", "truncated"]
    assert list(payload(fit(answer, 600, keep=["a", "b"]).answer)) == ["a", "truncated"]


def test_a_kept_block_that_is_opened_up_keeps_what_is_named_in_it():
    call = {"tool": "close", "args": {"id": "TASK-001"}, "purpose": "Close it once it is done" * 3}
    answer = {"capsule": {"where": {"lane": "shared"}, "action": call, "seen": {"at": 1}}, "rest": {"k": "v"}}
    keep = ["capsule", "capsule.action", "capsule.seen"]

    shown = [list(fit(answer, limit, keep=keep).answer["capsule"]) for limit in (208, 190, 170, 100)]

    assert shown == [["where", "action", "seen"], ["action", "seen"], ["action"], ["seen"]]


def test_the_answer_says_truncated_when_something_was_cut(resumed: dict[str, Any]):
    assert fit(resumed, 5_000).answer["truncated"] is True
    assert fit(resumed, 100_000).answer["truncated"] is False
    assert fit({"cards": [card(n) for n in range(99)]}, 500).answer["truncated"] is True


def test_an_answer_too_tight_for_the_flag_goes_without_it():
    answer = {"success": True, "text": "x" * 900}
    assert payload(fit(answer, 20).answer) == {"success": True}


def test_the_last_resort_is_a_signal_that_shrinks_to_nothing():
    answer = {"text": "x" * 900}
    stubs = [payload(fit(answer, max_chars).answer) for max_chars in (20, 19, 16, 15, 12, 11, 2)]
    assert stubs == [
        {"signal": "minimal"},
        {"signal": "min"},
        {"signal": "min"},
        {"min": True},
        {"min": True},
        {},
        {},
    ]


def test_a_stub_is_announced():
    assert codes(fit({"text": "x" * 900}, 20)) == ["BUDGET_TRUNCATED", "BUDGET_MINIMAL"]
    assert codes(fit({"text": "x" * 900}, 300)) == ["BUDGET_TRUNCATED"]


def test_a_stub_leads_to_an_id_when_it_can():
    answer = {"intent": "i" * 60, "cards": [card(n, "x" * 900) for n in range(9)]}
    assert payload(fit(answer, 40).answer) == {"signal": "minimal", "id": "CARD-8"}
    assert payload(fit(answer, 20).answer) == {"id": "CARD-8"}
    assert payload(fit(answer, 12).answer) == {"min": True}


def test_an_id_from_inside_a_dropped_block_is_lifted_to_the_top():
    plain = {f"plain{n}": n for n in range(100)}
    answer = {"success": True, "card": {**plain, "inner": {"id": "CARD-7"}}}
    assert payload(fit(answer, 80).answer) == {"id": "CARD-7", "success": True, "truncated": True}


def test_a_tree_of_ten_thousand_nodes_a_hundred_deep_is_cut_on_a_small_stack():
    answer = {"root": tree(10_000, 100)}
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack()) + 60)
    try:
        shown = [fit(answer, max_chars).answer for max_chars in (None, 200_000, 20_000, 1_000)]
    finally:
        sys.setrecursionlimit(limit)
    assert [cut["budget"]["used_chars"] > 0.9 * cut["budget"]["max_chars"] for cut in shown] == [True] * 4
    assert all(cut["root"]["id"] == "n0" for cut in shown)


def test_a_chain_deeper_than_the_encoder_can_go_ends_in_a_summary():
    fitted = fit({"root": chain(3_000)}, None)
    assert codes(fitted) == ["BUDGET_TRUNCATED"]
    node, depth = fitted.answer["root"], 0
    while node.get("type") != "summary":
        assert node["text"] == "a link"
        node, depth = node["children"][0], depth + 1
    assert depth > 100
    assert node == {"type": "summary", "label": "children", "count": 1, "id": f"n{depth}"}


def test_a_value_that_stands_twice_in_an_answer_is_counted_twice():
    shared = [card(n) for n in range(40)]
    shown = fit({"first": {"cards": shared}, "second": {"cards": shared}}, 1_000).answer
    assert shown["budget"]["used_chars"] == length(payload(shown)) <= 1_000
    assert shown["first"]["cards"][-1] == shown["second"]["cards"][-1] == shared[-1]


def test_what_cannot_be_written_as_json_is_refused_as_it_is():
    with pytest.raises(TypeError, match="not JSON serializable"):
        fit({"odd": object()}, 100)
