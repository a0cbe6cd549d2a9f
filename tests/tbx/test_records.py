"""Records in short keys."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.session_logs import session_logs
from thoughtbox.errors import InvalidRecord, NotTbx
from thoughtbox.ledger import record as ledger
from thoughtbox.ledger.record import Draft, Source, check_attrs, envelope
from thoughtbox.tbx import decode, encode
from thoughtbox.tbx.records import AGENT, BRANCH, derived_refs
from thoughtbox.tbx.vocabulary import KINDS, RELATIONS

SPEC: dict[str, Any] = {
    "v": "tbx-c1",
    "d": {"k": {"cl": "claim"}, "rel": {"sup": "supports"}},
    "m": [
        {
            "k": "cl",
            "i": "th:17",
            "r": ["th:12"],
            "x": "API latency rose because of a query regression",
            "a": {"relations": [{"t": "sup", "to": "th:12"}]},
        }
    ],
}
"""The specification's own example."""

TS = "2026-03-12T14:02:00.000Z"


def sealed(seq: int = 17, **given: Any) -> dict[str, Any]:
    draft = Draft("observation", "tests", "so it is", "s1")._replace(**given)
    return envelope(draft, Source("mia", "trail"), seq=seq, ts=TS)


def test_the_specifications_example_is_understood():
    [record] = decode(SPEC)

    assert record["id"] == "th:17"
    assert (record["kind"], record["refs"]) == ("claim", ["th:12"])
    assert record["attrs"] == {"relations": [{"type": "supports", "to": "th:12"}]}
    assert (record["branch"], record["agent"], record["source"]) == ("main", "anonymous", {})
    assert "ts" not in record, "what was not said is not made up"


def test_a_record_is_written_as_the_example_is():
    record = sealed(kind="claim", attrs={"relations": [{"type": "supports", "to": "th:12"}]})

    assert encode(record) == {
        "v": "tbx-c1",
        "d": {"k": {"cl": "claim"}, "rel": {"sup": "supports"}},
        "m": {
            "k": "cl",
            "i": "th:17",
            "w": TS,
            "s": "s1",
            "g": "mia",
            "x": "so it is",
            "o": {"surface": "trail"},
            "a": {"relations": [{"t": "sup", "to": "th:12"}]},
            "e": {"topic": "tests"},
        },
    }


def test_what_is_at_its_default_is_left_out_and_comes_back():
    record = sealed() | {"agent": "anonymous", "source": {}}

    assert encode(record)["m"] == {
        "k": "ob",
        "i": "th:17",
        "w": TS,
        "s": "s1",
        "x": "so it is",
        "e": {"topic": "tests"},
    }
    assert decode(encode(record)) == record


@pytest.mark.parametrize(
    ("attrs", "refs"),
    [
        ({}, []),
        ({"relations": [{"type": "blocks", "to": "th:2"}, {"type": "answers", "to": "th:1"}]}, ["th:2", "th:1"]),
        ({"replacesId": "th:3", "relations": [{"type": "revises", "to": "th:3"}]}, ["th:3"]),
        ({"callId": "th:4", "status": "ok"}, ["th:4"]),
        ({"answeredBy": ["th:6", "th:5", "th:6"]}, ["th:6", "th:5"]),
    ],
)
def test_refs_that_follow_from_the_attributes_are_left_out_and_derived(attrs: dict[str, Any], refs: list[str]):
    record = sealed() | {"attrs": attrs, "refs": refs}

    assert "r" not in encode(record)["m"]
    assert decode(encode(record))["refs"] == refs == ledger.refs(attrs) == derived_refs(attrs)


def test_refs_that_do_not_follow_from_the_attributes_are_kept():
    record = sealed() | {"refs": ["th:9"]}

    assert encode(record)["m"]["r"] == ["th:9"]
    assert decode(encode(record)) == record


def test_all_kinds_and_relations_of_the_ledger_have_a_short_name():
    assert KINDS.keys() == ledger.KINDS
    assert RELATIONS.keys() == ledger.RELATIONS
    assert (ledger.MAIN_BRANCH, Source().agent) == (BRANCH, AGENT)
    for names in (KINDS, RELATIONS):
        assert len(set(names.values())) == len(names)


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "opinion"},
        {"extra": 1},
        {"refs": "th:1"},
        {"branch": None},
        {"confidence": True},
        {"body": {"text": "x", "mood": "good"}},
        {"body": "x"},
        {"attrs": {"relations": [{"type": "likes", "to": "th:1"}]}},
        {"attrs": {"relations": [{"type": "supports", "to": "th:1", "why": "x"}]}},
        {"attrs": {"answeredBy": "th:1"}},
        {"data": []},
    ],
    ids=str,
)
def test_what_is_not_quite_a_record_is_sent_as_plain_json(change: dict[str, Any]):
    value = sealed() | change

    assert encode(value) == {"v": "tbx-c1", "j": value}
    assert decode(encode([value] * 6)) == [value] * 6


def test_three_records_are_objects_and_four_are_columns():
    three = [sealed(seq) for seq in (1, 2, 3)]

    assert [short["i"] for short in encode(three)["m"]] == ["th:1", "th:2", "th:3"]
    message = encode([*three, sealed(4)])
    assert message["m"] == {
        "cols": [
            "i#th:",
            "w+",
            {"k": "ob", "s": "s1", "g": "mia", "x": "so it is", "o.surface": "trail", "e.topic": "tests"},
        ],
        "rows": [[1, TS], [2, 0], [3, 0], [4, 0]],
    }


def test_records_that_stand_in_a_result_are_its_records():
    record = sealed()

    assert encode({"records": [record], "next": None}).keys() == {"v", "d", "m", "at", "j"}
    assert encode({"record": record})["at"] == "record"


def test_kinds_and_relation_types_of_a_whole_log_go_by_their_dictionaries():
    for room, log in session_logs().items():
        message = encode(log)
        kinds = {record["kind"] for record in log}
        related = {each["type"] for record in log for each in record["attrs"].get("relations", [])}

        assert message["d"]["k"] == {short: kind for kind, short in KINDS.items() if kind in kinds}, room
        assert message["d"].get("rel", {}) == {short: each for each, short in RELATIONS.items() if each in related}


def test_attributes_that_do_not_belong_to_the_kind_are_refused_by_whoever_asks_for_that():
    record = sealed() | {"attrs": {"replacesId": "th:1"}, "refs": ["th:1"]}

    assert decode(encode(record)) == record
    with pytest.raises(InvalidRecord, match=r"observation has no `attrs\.replacesId`"):
        decode(encode(record), check=check_attrs)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"k": "xx"}, "m[0].k: its dictionary has no `xx`"),
        ({"k": 1}, "m[0].k must be a text"),
        ({"i": 17}, "m[0]: `id` is not what it must be"),
        ({"x": None}, "m[0]: `body` is not what it must be"),
        ({"c": "high"}, "m[0]: `confidence`"),
        ({"z": 1}, "m[0] has `z`, which is no key of a record"),
        ({"a": []}, "m[0].a does not hold"),
        ({"a": {"relations": [{"t": "sup"}]}}, "m[0].a.relations[0] must be a relation"),
        ({"a": {"relations": [{"t": "xx", "to": "th:1"}]}}, "m[0].a.relations[0].t: its dictionary has no `xx`"),
        ({"a": {"relations": {}}}, "m[0].a.relations must be a list"),
        ({"r": [1]}, "m[0]: `refs`"),
    ],
    ids=str,
)
def test_a_record_that_cannot_be_is_refused_with_its_place(change: dict[str, Any], says: str):
    [short] = SPEC["m"]

    with pytest.raises(NotTbx) as refused:
        decode({**SPEC, "m": [{**short, **change}]})

    assert says in refused.value.message


@pytest.mark.parametrize("key", ["i", "k", "x"])
def test_a_record_without_what_it_must_have_is_refused(key: str):
    [short] = SPEC["m"]

    with pytest.raises(NotTbx, match=f"has no `{key}`"):
        decode({**SPEC, "m": [{name: value for name, value in short.items() if name != key}]})


def test_a_dictionary_that_makes_a_kind_of_something_else_is_noticed():
    with pytest.raises(NotTbx, match="`kind` is not what it must be"):
        decode({**SPEC, "d": {**SPEC["d"], "k": {"cl": "opinion"}}})
