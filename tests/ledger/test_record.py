"""What a record is, before it is one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thoughtbox.errors import InvalidRecord
from thoughtbox.ledger.record import (
    AUTHORED,
    KINDS,
    Draft,
    Source,
    check_attrs,
    check_envelope,
    envelope,
    record_id,
    refs,
    seq_of,
)

FITTING: dict[str, dict[str, Any]] = {
    "claim": {"relations": [{"type": "supports", "to": "th:1"}]},
    "plan": {"steps": ["one", "two"]},
    "evidence": {"sourceUrl": "https://example.org"},
    "question": {"answeredBy": ["th:2"]},
    "observation": {"context": "at night"},
    "decision": {"alternativesConsidered": ["nothing"]},
    "revision": {"replacesId": "th:1"},
    "tool_call": {"toolName": "grep", "args": {"n": 1}},
    "tool_result": {"callId": "th:3", "status": "ok"},
    "hub_event": {"eventType": "joined"},
    "checkpoint": {"stateHash": "00"},
}


def sealed(kind: str = "observation", **more: Any) -> dict[str, Any]:
    draft = Draft(kind=kind, topic="test.note", text="x", session="s", attrs=FITTING[kind], **more)  # ty: ignore[invalid-argument-type]
    return envelope(draft, Source(agent="a", surface="test"), seq=1, ts="2026-01-01T00:00:00.000Z")


def test_there_are_eleven_kinds_of_which_a_model_may_write_seven():
    assert (len(KINDS), len(AUTHORED)) == (11, 7)
    assert FITTING.keys() == KINDS


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_each_kind_takes_its_own_attributes_and_no_others(kind: str):
    check_attrs(kind, FITTING[kind])
    for other in KINDS - {kind}:
        strange = {name: value for name, value in FITTING[other].items() if name not in FITTING[kind]}
        if strange and strange.keys() != {"relations"}:
            with pytest.raises(InvalidRecord):
                check_attrs(kind, {**FITTING[kind], **strange})


@pytest.mark.parametrize(("kind", "missing"), [("plan", "steps"), ("revision", "replacesId"), ("tool_call", "args")])
def test_what_a_kind_needs_must_be_there(kind: str, missing: str):
    rest = {name: value for name, value in FITTING[kind].items() if name != missing}

    with pytest.raises(InvalidRecord, match=missing):
        check_attrs(kind, rest)


@pytest.mark.parametrize("kind", sorted(AUTHORED))
def test_relations_may_stand_on_any_authored_kind(kind: str):
    check_attrs(kind, {**FITTING[kind], "relations": [{"type": "contradicts", "to": "th:9"}]})


@pytest.mark.parametrize(
    "relation", [{"type": "likes", "to": "th:1"}, {"type": "supports"}, {"type": "supports", "to": 1}, "supports", {}]
)
def test_a_relation_outside_the_vocabulary_is_refused(relation: Any):
    with pytest.raises(InvalidRecord):
        check_attrs("claim", {"relations": [relation]})


def test_refs_are_derived_from_every_link_once_and_in_order():
    relations = [
        {"type": "supports", "to": "th:2"},
        {"type": "blocks", "to": "th:1"},
        {"type": "refines", "to": "th:2"},
    ]

    assert refs({"relations": relations, "replacesId": "th:7", "answeredBy": ["th:1", "th:8"]}) == [
        "th:2",
        "th:1",
        "th:7",
        "th:8",
    ]


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_record_that_is_read_is_checked_like_one_that_is_built(kind: str):
    found = sealed(kind)
    check_envelope(found)

    for part in ("id", "kind", "ts", "session", "branch", "agent", "body", "source", "attrs", "data"):
        with pytest.raises(InvalidRecord):
            check_envelope({name: value for name, value in found.items() if name != part})
    with pytest.raises(InvalidRecord):
        check_envelope({**found, "kind": "thought"})
    with pytest.raises(InvalidRecord):
        check_envelope({**found, "attrs": {**found["attrs"], "strange": 1}})


@pytest.mark.parametrize("confidence", [-0.1, 1.1, float("nan")])
def test_confidence_lies_between_nothing_and_certainty(confidence: float):
    with pytest.raises(InvalidRecord):
        sealed(confidence=confidence)


def test_parts_that_were_not_given_are_left_out():
    bare, full = sealed(), sealed(confidence=0.5, cipher="H: x", labels=["a"], metrics={"n": 1})

    assert bare["body"] == {"text": "x"}
    assert "confidence" not in bare
    assert full["body"] == {"text": "x", "cipher": "H: x", "labels": ["a"], "metrics": {"n": 1}}
    assert full["source"] == {"surface": "test"}


@given(st.integers(min_value=1, max_value=10**18 - 1))
def test_an_id_leads_back_to_its_number(seq: int):
    assert seq_of(record_id(seq)) == seq


@pytest.mark.parametrize(
    "text", ["", "th:", "th:0", "th:01", "th:-1", "th:1 ", "th:1.0", "17", "TH:1", "th:²", "th:" + "9" * 19]
)
def test_an_id_is_the_number_and_nothing_else_is_an_id(text: str):
    assert seq_of(text) is None
