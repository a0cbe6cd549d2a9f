"""The seven builders as operations: what they write, what they refuse, and how it is read back."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.box import WORKSPACE, Box
from tests.support.boxes import box, open_box
from thoughtbox.errors import HostOnly, InvalidPayload, RecordNotFound
from thoughtbox.ledger.record import RELATIONS, Record
from thoughtbox.operations.caller import Caller, Landing

__all__ = ["box", "open_box"]

BUILDERS: dict[str, dict[str, Any]] = {
    "claim": {},
    "evidence": {"sourceUrl": "bench/run-7"},
    "question": {"answeredBy": ["th:1"]},
    "plan": {"steps": ["measure", "move"]},
    "observation": {"context": "staging, at night"},
    "decision": {"alternativesConsidered": ["no cache"]},
    "revision": {"replacesId": "th:1"},
}


def record_of(box: Box, id: str) -> dict[str, Any]:
    return box.ledger_record(id=id)["record"]


def all_records(box: Box) -> list[Record]:
    return box.app.dispatcher.ask(WORKSPACE, Caller(), lambda tx: list(tx.ledger.tail(0))).result()


@pytest.mark.parametrize("kind", BUILDERS)
def test_each_builder_writes_a_record_of_its_kind_with_what_its_kind_has(box: Box, kind: str):
    first = box.claim(text="Reads dominate", session="s1")

    answer = box.call(kind, {"text": "words", "session": "s1", **BUILDERS[kind]})

    assert answer == {"id": "th:2", "kind": kind, "session": "s1"}
    record = record_of(box, "th:2")
    assert (record["kind"], record["body"], record["session"], record["branch"]) == (
        kind,
        {"text": "words"},
        "s1",
        "main",
    )
    own = {name: value for name, value in record["attrs"].items() if name != "relations"}
    assert own == BUILDERS[kind]
    assert record["refs"] == ([first["id"]] if kind in ("question", "revision") else [])


@pytest.mark.parametrize("kind", BUILDERS)
def test_every_relation_may_stand_on_any_authored_kind(box: Box, kind: str):
    box.claim(text="Reads dominate", session="s1")
    options = dict.fromkeys(sorted(RELATIONS), "th:1")
    needed = {"replacesId": "th:1"} if kind == "revision" else {}

    answer = box.call(kind, {"text": "words", "session": "s1", **options, **needed})

    relations = record_of(box, answer["id"])["attrs"]["relations"]
    assert {(one["type"], one["to"]) for one in relations} == {(name, "th:1") for name in RELATIONS}


def test_confidence_labels_cipher_metrics_and_branch_are_kept(box: Box):
    options = {"confidence": 0.25, "labels": ["cache"], "cipher": "S1|H|x", "metrics": {"p99": 9.5}, "branch": "alt"}

    answer = box.call("claim", {"text": "It is cold", "session": "s1", **options})

    record = record_of(box, answer["id"])
    assert record["confidence"] == 0.25
    assert record["body"] == {"text": "It is cold", "cipher": "S1|H|x", "labels": ["cache"], "metrics": {"p99": 9.5}}
    assert record["branch"] == "alt"


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"text": ""}, "text"),
        ({"text": "x", "supports": ["CARD-1"]}, "supports.0"),
        ({"text": "x", "confidence": 2}, "confidence"),
        ({"text": "x", "suports": ["th:1"]}, "suports"),
        ({"text": "x", "steps": ["a"]}, "steps"),
        ({"text": "x", "labels": [3]}, "labels.0"),
    ],
)
def test_what_is_wrong_is_named_and_nothing_is_written(box: Box, arguments: dict[str, Any], field: str):
    with pytest.raises(InvalidPayload) as refused:
        box.call("claim", arguments)

    assert refused.value.details["fields"] == [field]
    assert box.ledger_status()["records"] == 0


def test_a_record_that_is_not_there_cannot_be_referred_to(box: Box):
    with pytest.raises(RecordNotFound) as refused:
        box.evidence(text="x", supports=["th:7"])

    assert refused.value.details == {"id": "th:7"}
    assert box.ledger_status()["records"] == 0


@pytest.mark.parametrize("kind", ["tool_call", "tool_result", "hub_event", "checkpoint"])
def test_kinds_of_the_host_are_refused_by_name(box: Box, kind: str):
    with pytest.raises(HostOnly) as refused:
        box.call(kind, {"text": "x"})
    with pytest.raises(HostOnly) as among_others:
        box.author(records=[{"kind": "claim", "text": "a"}, {"kind": kind, "text": "x"}])

    assert refused.value.details == among_others.value.details == {"kind": kind}
    assert "claim" in (refused.value.recovery or "")
    assert box.ledger_status()["records"] == 0


def test_many_records_are_written_in_order_and_may_refer_to_those_before_them(box: Box):
    answer = box.author(
        session="s1",
        records=[{"kind": "claim", "text": "a"}, {"kind": "evidence", "text": "b", "supports": ["th:1"]}],
    )

    assert answer == {
        "records": [{"id": "th:1", "kind": "claim"}, {"id": "th:2", "kind": "evidence"}],
        "session": "s1",
    }
    assert record_of(box, "th:2")["refs"] == ["th:1"]


def test_one_wrong_record_among_many_leaves_none_and_its_place_is_named(box: Box):
    with pytest.raises(InvalidPayload) as refused:
        box.author(records=[{"kind": "claim", "text": "a"}, {"kind": "plan", "text": "b", "steps": "no list"}])

    assert refused.value.details["fields"] == ["records.1.steps"]
    assert box.ledger_status()["records"] == 0


def test_a_caller_goes_on_in_the_session_that_it_wrote_to_last(box: Box):
    landing = Landing()
    first = box.call("claim", {"text": "a"}, focus=box.app.first_focus("connection"), landing=landing)

    assert landing.focus is not None
    second = box.call("claim", {"text": "b"}, focus=landing.focus)

    assert first["session"] == second["session"]


def test_a_caller_who_is_in_a_session_of_thoughts_writes_to_that(box: Box):
    landing = Landing()
    started = box.call(
        "start_new", {"sessionTitle": "Slow pages"}, focus=box.app.first_focus("connection"), landing=landing
    )

    assert landing.focus is not None
    answer = box.call("claim", {"text": "a"}, focus=landing.focus)

    assert answer["session"] == started["sessionId"]


def test_what_was_written_is_read_back_by_session_kind_and_branch_a_page_at_a_time(box: Box):
    for number in range(5):
        box.claim(text=f"claim {number}", session="s1")
    box.question(text="why?", session="s1", branch="alt")
    box.claim(text="elsewhere", session="s2")

    pages, cursor = [], None
    while True:
        page = box.call("authored", {"session": "s1", "limit": 2, **({"cursor": cursor} if cursor else {})})
        pages.append([record["text"] for record in page["records"]])
        if (cursor := page.get("cursor")) is None:
            break

    assert pages == [["claim 0", "claim 1"], ["claim 2", "claim 3"], ["claim 4", "why?"]]
    assert [each["text"] for each in box.authored(session="s1", kind="question")["records"]] == ["why?"]
    assert [each["text"] for each in box.authored(session="s1", branch="alt")["records"]] == ["why?"]


def test_what_refers_to_a_record_is_found_from_it(box: Box):
    box.claim(text="Reads dominate", session="s1")
    box.evidence(text="40 to 1", supports=["th:1"], session="s1")
    box.evidence(text="not at night", contradicts=["th:1"], session="s2")
    box.revision(text="Reads dominate by day", replacesId="th:1", session="s1")

    about = box.authored(about="th:1")["records"]

    assert [each["text"] for each in about] == ["40 to 1", "not at night", "Reads dominate by day"]
    against = box.authored(about="th:1", relation="contradicts")["records"]
    assert [each["text"] for each in against] == ["not at night"]
    assert [each["text"] for each in box.authored(about="th:1", session="s2")["records"]] == ["not at night"]


def test_nobody_in_no_session_is_told_to_name_one(box: Box):
    with pytest.raises(InvalidPayload) as refused:
        box.authored()

    assert refused.value.details == {"fields": ["session"]}


def test_secrets_are_not_kept(box: Box):
    answer = box.observation(text="It logs ghp_abcdefghijklmnopqrstuvwxyz0123456789", context="token=x", session="s1")

    assert "ghp_" not in str(record_of(box, answer["id"]))


def test_authored_records_are_found_by_their_words(box: Box):
    box.claim(text="The hedgehog cache is cold", session="s1")
    box.claim(text="The badger cache is warm", session="s1")

    (hit,) = box.authored_search(query="hedgehogs")["records"]
    assert (hit["id"], hit["kind"], hit["session"]) == ("th:1", "claim", "s1")
    assert "hedgehog" in hit["snippet"]
