"""A session as JSON: the document's SessionExport."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.handmade import AT, CRITIQUE, FORKED, SESSION, relation, texts, thought
from thoughtbox.domains.thoughts.files.documents import Rereadable, as_json, json_chunks, nodes, session_json
from thoughtbox.domains.thoughts.model.settling import Settling
from thoughtbox.domains.thoughts.model.thought import Thought


def linked(thoughts: list[Thought]) -> dict[str, dict[str, Any]]:
    return {node["id"]: node for node in nodes(thoughts, {})}


def test_nodes_come_in_order_of_recording_and_name_their_branch():
    found = list(nodes(FORKED, {}))

    assert [node["id"] for node in found] == ["5f2a:1", "5f2a:2", "5f2a:alt:2", "5f2a:3", "5f2a:alt:3"]
    assert [node["branchId"] for node in found] == [None, None, "alt", None, "alt"]


def test_a_node_names_all_that_follow_it_branches_included():
    found = linked(FORKED)

    assert found["5f2a:1"]["next"] == ["5f2a:2", "5f2a:alt:2"]
    assert found["5f2a:alt:2"]["next"] == ["5f2a:alt:3"]
    assert found["5f2a:alt:3"]["next"] == []


def test_a_node_names_what_it_follows_revises_and_forks_from():
    found = linked(FORKED)

    assert found["5f2a:1"]["prev"] is None
    assert found["5f2a:alt:2"]["prev"] == "5f2a:1"
    assert found["5f2a:alt:3"]["branchOrigin"] == "5f2a:1"
    assert found["5f2a:3"]["revisesNode"] == "5f2a:2"
    assert found["5f2a:3"]["branchOrigin"] is None


def test_a_link_to_a_thought_that_is_not_exported_leads_to_nothing():
    (node,) = nodes([thought(7, prev=6, revises=5, origin=4)], {})

    assert (node["prev"], node["revisesNode"], node["branchOrigin"]) == (None, None, None)


def test_data_has_what_the_document_requires_and_leaves_out_defaults():
    (node,) = nodes([thought(1)], {})

    assert node["data"] == {
        "thought": "text 1",
        "thoughtNumber": 1,
        "totalThoughts": 5,
        "nextThoughtNeeded": True,
        "timestamp": "2026-01-02T03:04:01.000Z",
    }
    assert node.keys() == {"id", "data", "prev", "next", "revisesNode", "branchOrigin", "branchId", "thoughtbox"}
    assert node["thoughtbox"] == {"kind": "claim"}


def test_a_node_says_how_its_thought_was_read():
    read = thought(
        3,
        kind="decision",
        labels=("conclusion",),
        confidence=0.9,
        relations=(relation("derived_from", 1), relation("answers", 2), relation("supports", 99)),
        label=7,
        notes=("Written as S7",),
        adopts=("alt",),
        rejects=("other",),
        critique_requested=True,
    )
    *_, node = nodes([thought(1), thought(2), read], {})

    assert node["thoughtbox"] == {
        "kind": "decision",
        "labels": ["conclusion"],
        "confidence": 0.9,
        "relations": [{"type": "derived_from", "to": "5f2a:1"}, {"type": "answers", "to": "5f2a:2"}],
        "label": 7,
        "notes": ["Written as S7"],
        "adopts": ["alt"],
        "rejects": ["other"],
        "critiqueRequested": True,
    }


def test_data_has_all_that_is_not_at_its_default():
    given = thought(1, branch_id="b", branch_from=4, is_revision=True, revises_number=3, needs_more=True)
    (node,) = nodes([replace(given, action_id="deploy-1")], {1: CRITIQUE})

    assert node["data"] == {
        "thought": "text 1",
        "thoughtNumber": 1,
        "totalThoughts": 5,
        "nextThoughtNeeded": True,
        "timestamp": "2026-01-02T03:04:01.000Z",
        "isRevision": True,
        "revisesThought": 3,
        "branchFromThought": 4,
        "branchId": "b",
        "needsMoreThoughts": True,
        "actionId": "deploy-1",
        "critique": {"text": "Says who?\n# Nobody", "model": "some-model", "timestamp": "2026-01-02T03:05:00.000Z"},
    }


def test_an_iterator_is_refused_since_it_can_be_gone_through_only_once():
    with pytest.raises(TypeError, match="Rereadable"):
        next(nodes(iter(FORKED), {}))

    assert list(nodes(Rereadable(lambda: iter(FORKED)), {})) == list(nodes(FORKED, {}))


def test_a_session_says_its_description_and_partition_only_if_it_has_them():
    plain = session_json(SESSION, None)

    assert plain == {
        "id": "5f2a",
        "title": "Slow pages",
        "tags": ["db", "latency"],
        "thoughtCount": 5,
        "branchCount": 1,
        "createdAt": "2026-01-02T03:04:05.000Z",
        "updatedAt": "2026-01-02T04:00:00.000Z",
        "lastAccessedAt": "2026-01-02T05:00:00.000Z",
    }
    assert session_json(SESSION, "2026-W01") == {**plain, "partitionPath": "2026-W01"}


def test_json_is_a_session_export_of_version_1():
    document = as_json(SESSION, FORKED, {}, exported_at=AT)

    assert list(document) == ["version", "session", "nodes", "exportedAt", "thoughtbox"]
    assert (document["version"], document["exportedAt"]) == ("1.0", AT)
    assert document["session"] == session_json(SESSION, None)
    assert document["nodes"] == list(nodes(FORKED, {}))


def test_what_a_session_export_has_no_place_for_stands_beside_it():
    said = Settling(seq=6, branch="alt", fate="rejected", why="Too slow", timestamp=AT, after="alt:3")

    document = as_json(SESSION, FORKED, {}, [said], exported_at=AT)

    assert document["thoughtbox"] == {
        "layout": 1,
        "lastAccessedAt": "2026-01-02T05:00:00.000Z",
        "status": "active",
        "stage": 1,
        "settled": [
            {"branchId": "alt", "fate": "rejected", "why": "Too slow", "timestamp": AT, "after": "alt:3"},
        ],
    }


@given(st.lists(texts, max_size=5))
def test_json_in_pieces_is_the_same_json(said: list[str]):
    thoughts = [thought(seq, text=text) for seq, text in enumerate(said, 1)]
    pieces = json_chunks(SESSION, thoughts, {1: CRITIQUE}, exported_at=AT)

    assert "".join(pieces).encode() == orjson.dumps(as_json(SESSION, thoughts, {1: CRITIQUE}, exported_at=AT))


def test_json_in_pieces_takes_a_thought_only_when_its_turn_has_come():
    taken = []

    def read() -> Iterator[Thought]:
        for each in FORKED:
            taken.append(each.seq)
            yield each

    pieces = json_chunks(SESSION, Rereadable(read), {}, exported_at=AT)
    for _ in range(3):
        next(pieces)

    assert taken == [1, 2, 3, 4, 5, 1, 2]
