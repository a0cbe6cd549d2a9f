"""The map as a whole: renamed and merged without losing anything, exported, checked."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.box import WORKSPACE
from tests.support.mind import Mind
from thoughtbox.domains.mind.anchors.anchor import STREAM, TOPIC
from thoughtbox.domains.mind.anchors.records import opened
from thoughtbox.errors import InvalidRecord
from thoughtbox.ledger.record import Draft
from thoughtbox.operations.caller import ANONYMOUS


def anchor(mind: Mind, slug: str, **more: Any) -> dict[str, Any]:
    given = {"title": slug.capitalize(), "kind": "component", "content": f"About {slug}.", **more}
    return mind.macro_anchor_note(anchor=f"a:{slug}", **given)["anchor"]


def decision(mind: Mind, id: str, *tags: str) -> None:
    mind.think_card(card={"id": id, "type": "decision", "title": id, "tags": list(tags)})


def cards(mind: Mind, id: str) -> list[str]:
    return [card["id"] for card in mind.anchor_snapshot(anchor=id)["cards"]]


def rename(mind: Mind, source: str, to: str) -> dict[str, Any]:
    return mind.anchors_rename(**{"from": source, "to": to})


def merge(mind: Mind, source: str, into: str) -> dict[str, Any]:
    return mind.anchors_merge(**{"from": source, "into": into})


def codes(mind: Mind) -> list[tuple[str, str]]:
    return [(issue["code"], issue["anchor"]) for issue in mind.anchors_lint(limit=200)["issues"]]


def put_right(mind: Mind, code: str) -> None:
    """Send every call that is given for a code, as it stands; the code is gone then."""
    for issue in mind.anchors_lint()["issues"]:
        if issue["code"] == code:
            mind.box.call(issue["apply"]["tool"], issue["apply"]["arguments"])
    assert code not in [found for found, _ in codes(mind)]


def record(mind: Mind, data: dict[str, Any]) -> None:
    """A record as it comes with an import."""

    def work(tx: Any) -> None:
        draft = Draft(kind="observation", topic=TOPIC, text="x", session=STREAM, data=data)
        opened(tx.append(draft, stream=STREAM), tx.ledger)

    mind.box.app.dispatcher.do(WORKSPACE, ANONYMOUS, work, what="import").result()


def test_a_renamed_anchor_keeps_its_cards_under_both_ids(mind: Mind):
    first = anchor(mind, "storage", aliases=["a:db"])
    decision(mind, "D1", "a:storage")
    decision(mind, "D2", "a:db")
    renamed = rename(mind, "a:storage", "a:store")

    assert (renamed["alias"], renamed["changed"]) == ("a:storage", True)
    assert renamed["anchor"] == {
        **first,
        "id": "a:store",
        "aliases": ["a:db", "a:storage"],
        "updated_at_ms": renamed["anchor"]["updated_at_ms"],
    }
    decision(mind, "D3", "a:storage")  # by whoever has not heard of it
    decision(mind, "D4", "a:store")
    for id in ("a:store", "a:storage", "a:db"):
        assert cards(mind, id) == ["D4", "D3", "D2", "D1"]
    assert [found["id"] for found in mind.anchors_list()["anchors"]] == ["a:store"]
    assert mind.warnings("anchor_snapshot", anchor="a:storage") == ["ANCHOR_ALIAS_RESOLVED"]
    assert mind.warnings("anchor_snapshot", anchor="a:store") == []


def test_a_rename_again_changes_nothing_and_one_back_is_possible(quick: Mind):
    anchor(quick, "storage")
    first = rename(quick, "a:storage", "a:store")
    head = quick.head()

    assert rename(quick, "a:storage", "a:store") == {**first, "changed": False}
    assert quick.head() == head
    back = rename(quick, "a:store", "a:storage")["anchor"]
    assert (back["id"], back["aliases"]) == ("a:storage", ["a:store"])


def test_a_rename_is_refused_where_the_id_is_taken_or_there_is_nothing_to_rename(quick: Mind):
    anchor(quick, "storage")
    anchor(quick, "disk", aliases=["a:volume"])

    for to in ("a:disk", "a:volume"):
        error = quick.refused("anchors_rename", **{"from": "a:storage", "to": to})
        assert (error.code, error.details["id"]) == ("CONFLICT", "a:disk")
    assert quick.refused("anchors_rename", **{"from": "a:storage", "to": "a:storage"}).code == "INVALID_INPUT"
    assert quick.refused("anchors_rename", **{"from": "a:nobody", "to": "a:disk"}).code == "CONFLICT"
    unknown = quick.refused("anchors_rename", **{"from": "a:nobody", "to": "a:somebody"})
    assert unknown.code == "UNKNOWN_ID"
    quick.send(unknown.details["suggestions"][0])
    (suggestion,) = error.details["suggestions"]
    assert quick.send(suggestion)["result"]["anchor"]["id"] == "a:disk"


def test_merged_anchors_are_one_with_all_their_cards_and_aliases(mind: Mind):
    into = anchor(mind, "storage")
    anchor(mind, "disk", aliases=["a:volume"])
    for id in ("storage", "disk", "volume"):
        decision(mind, id, f"a:{id}")
    merged = merge(mind, "a:disk", "a:storage")

    assert merged == {"anchor": {**into, "aliases": ["a:disk", "a:volume"]}, "alias": "a:disk", "changed": True}
    for id in ("a:storage", "a:disk", "a:volume"):
        assert cards(mind, id) == ["volume", "disk", "storage"]
    assert [found["id"] for found in mind.anchors_list()["anchors"]] == ["a:storage"]


def test_a_merge_again_changes_nothing(quick: Mind):
    anchor(quick, "storage")
    anchor(quick, "disk")
    first = merge(quick, "a:disk", "a:storage")
    head = quick.head()

    assert merge(quick, "a:disk", "a:storage") == {**first, "changed": False}
    assert quick.head() == head


def test_a_misspelt_tag_that_nobody_registered_can_be_merged(quick: Mind):
    anchor(quick, "storage")
    quick.think_card(card={"id": "N1", "text": "x", "tags": ["a:stroage", "v:draft"]})

    merge(quick, "a:stroage", "a:storage")
    shown = quick.anchor_snapshot(anchor="a:storage", include_drafts=True)["cards"]
    assert "N1" in [card["id"] for card in shown]


def test_a_merge_of_what_is_not_there_or_of_one_with_itself_is_refused(quick: Mind):
    anchor(quick, "storage")

    assert quick.refused("anchors_merge", **{"from": "a:storage", "into": "a:storage"}).code == "INVALID_INPUT"
    for source, into in (("a:nobody", "a:storage"), ("a:storage", "a:nobody")):
        error = quick.refused("anchors_merge", **{"from": source, "into": into})
        assert (error.code, error.details["id"]) == ("UNKNOWN_ID", "a:nobody")
    quick.send(error.details["suggestions"][0])


def test_what_was_known_then_is_still_read_as_of_then(mind: Mind):
    anchor(mind, "storage")
    decision(mind, "D1", "a:storage")
    decision(mind, "D2", "a:storage")
    then, shown = mind.head(), mind.anchor_snapshot(anchor="a:storage")
    mind.think_pin(targets="D1")
    rename(mind, "a:storage", "a:store")

    assert mind.box.call("anchor_snapshot", {"anchor": "a:storage"}, as_of=then)["result"] == shown
    assert cards(mind, "a:store") == ["D1", "D2"]


def test_the_map_is_exported_as_a_flowchart(quick: Mind):
    _map(quick)

    exported = quick.anchors_export(format="mermaid")
    assert exported["text"] == (
        "flowchart TD\n"
        '  a_core["Core<br/>a:core"]\n'
        '  a_disk["#34;Disk#34; #35;1<br/>a:disk"]\n'
        '  a_user_data["User data<br/>a:user-data"]\n'
        "  a_core -->|contains| a_disk\n"
        "  a_core -->|contains| a_user_data\n"
        "  a_user_data -.->|depends_on| a_core\n"
        "  a_user_data -.->|depends_on| a_disk\n"
    )
    assert (exported["format"], exported["count"], exported["has_more"]) == ("mermaid", 3, False)
    assert quick.anchors_export() == exported


def test_the_map_is_exported_as_one_line_per_anchor(quick: Mind):
    _map(quick)

    lines = quick.anchors_export(format="text")["text"].splitlines()
    assert lines == [
        "a:core | boundary | active | Core",
        'a:disk | component | retired | "Disk" #1 | parent=a:core',
        "a:user-data | component | active | User data | parent=a:core | depends_on=a:core,a:disk,a:nobody",
    ]
    fewer = quick.anchors_export(format="text", limit=2)
    assert (fewer["text"].splitlines(), fewer["has_more"]) == (lines[:2], True)
    assert quick.anchors_export(limit=1_000)["count"] == 3
    assert quick.refused("anchors_export", format="svg").code == "INVALID_INPUT"


def test_a_map_that_holds_together_has_nothing_to_be_said_of(quick: Mind):
    anchor(quick, "core")
    anchor(quick, "disk", parent_id="a:core", depends_on=["a:core"], aliases=["a:volume"])

    assert quick.anchors_lint() == {
        "ok": True,
        "anchors": 2,
        "issues": [],
        "count": 0,
        "has_more": False,
        "truncated": False,
    }


def test_relations_that_lead_nowhere_or_to_themselves_are_found(quick: Mind):
    anchor(quick, "a", parent_id="a:nobody", depends_on=["a:b", "a:nothing"])
    anchor(quick, "b", parent_id="a:b", depends_on=["a:a", "a:b"])

    assert codes(quick) == [
        ("SELF_PARENT", "a:b"),
        ("SELF_DEPENDS_ON", "a:b"),
        ("UNKNOWN_PARENT", "a:a"),
        ("UNKNOWN_DEPENDS_ON", "a:a"),
    ]
    first = quick.anchors_lint(limit=1)
    assert (first["ok"], len(first["issues"]), first["count"], first["has_more"]) == (False, 1, 4, True)
    for code, _ in codes(quick):
        put_right(quick, code)
    assert [found["depends_on"] for found in quick.anchors_list(text="a:b")["anchors"]] == [["a:a"]]


def test_relations_by_an_earlier_id_are_found(quick: Mind):
    anchor(quick, "core", aliases=["a:heart"])
    anchor(quick, "a", parent_id="a:heart", depends_on=["a:b", "a:heart"])
    anchor(quick, "b")
    rename(quick, "a:b", "a:c")

    assert codes(quick) == [("RELATION_USES_ALIAS", "a:a"), ("RELATION_USES_ALIAS", "a:a")]
    put_right(quick, "RELATION_USES_ALIAS")
    (shown,) = quick.anchors_list(text="a:a")["anchors"]
    assert (shown["parent_id"], shown["depends_on"]) == ("a:core", ["a:c", "a:core"])


def test_a_ring_of_parents_is_found_once_and_with_what_hangs_on_it(quick: Mind):
    for slug, parent in (("a", "c"), ("b", "a"), ("c", "b"), ("d", "a"), ("e", "f"), ("f", "e")):
        anchor(quick, slug, parent_id=f"a:{parent}")

    assert codes(quick) == [("PARENT_CYCLE", "a:a"), ("PARENT_CYCLE", "a:e")]
    assert quick.anchors_lint()["issues"][0]["message"] == "a:a is contained in itself: a:a in a:c in a:b in a:a."
    put_right(quick, "PARENT_CYCLE")
    assert codes(quick) == []


def test_an_anchor_that_nobody_names_is_found(mind: Mind):
    anchor(mind, "a", card_id="N1")
    anchor(mind, "b", aliases=["a:c"])
    assert codes(mind) == []
    mind.graph_apply(branch="main", doc="anchors-graph", ops=[{"op": "node_delete", "id": "N1"}])

    assert codes(mind) == [("ORPHAN_ANCHOR", "a:a")]
    mind.think_card(card={"text": "x", "tags": ["a:a"]})
    assert codes(mind) == []


def test_aliases_that_collide_or_lead_nowhere_come_with_imports_and_are_found(quick: Mind):
    anchor(quick, "a")
    anchor(quick, "b")
    state = {"title": "A", "kind": "component", "status": "active", "refs": [], "dependsOn": []}
    record(quick, {"change": "put", "anchor": {"id": "a:a", **state}, "aliases": ["a:b"]})
    record(quick, {"change": "merged", "id": "a:gone", "to": "a:nowhere"})

    assert codes(quick) == [("ALIAS_DANGLING", "a:gone"), ("ALIAS_COLLIDES_WITH_ANCHOR_ID", "a:b")]
    assert quick.anchor_snapshot(anchor="a:b")["anchor"]["id"] == "a:b"
    put_right(quick, "ALIAS_DANGLING")
    put_right(quick, "ALIAS_COLLIDES_WITH_ANCHOR_ID")
    assert codes(quick) == []


@pytest.mark.parametrize(
    "data",
    [
        {"change": "burnt", "id": "a:a"},
        {"change": "put", "aliases": []},
        {"change": "renamed", "id": "a:a"},
        {"change": "renamed", "id": "a:a", "to": "a:a"},
        {"change": "merged", "id": "a:a", "to": "B"},
        {
            "change": "put",
            "anchor": {"id": "a:a", "title": "A", "kind": "ops", "status": "x", "refs": [], "dependsOn": ["?"]},
            "aliases": [],
        },
        {
            "change": "put",
            "anchor": {"id": "a:a", "title": "A", "kind": "ops", "status": "x", "refs": [], "dependsOn": []},
            "aliases": ["a:a"],
        },
    ],
)
def test_a_record_of_an_anchor_that_could_not_be_read_is_not_taken_in(quick: Mind, data: dict[str, Any]):
    def look(tx: Any) -> None:
        draft = Draft(kind="observation", topic="other", text="x", session=STREAM, data=data)
        made = tx.append(draft, stream=STREAM)
        opened(made, tx.ledger)

    with pytest.raises(InvalidRecord):
        quick.box.app.dispatcher.do(WORKSPACE, ANONYMOUS, look, what="import").result()


def _map(mind: Mind) -> None:
    anchor(mind, "core", kind="boundary")
    anchor(mind, "disk", title='"Disk" #1', parent_id="a:core", status="retired")
    depends_on = ["a:disk", "a:heart", "a:nobody"]
    anchor(mind, "user-data", title="User data", parent_id="a:heart", depends_on=depends_on)
    anchor(mind, "core", kind="boundary", aliases=["a:heart"])
