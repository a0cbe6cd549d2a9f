"""Experiences that change: new versions, tags, and what became of the old ones."""

from __future__ import annotations

from typing import Any

import pytest

from tests.domains.memory.knowledge.drafts import DEPLOY, episodes, found, recorded
from tests.support.box import WORKSPACE, Box
from thoughtbox.domains.memory.knowledge.recording import write_accesses
from thoughtbox.domains.memory.view.experiences import Experiences
from thoughtbox.errors import ExperienceNotFound, InvalidRecord, ValidationFailed
from thoughtbox.ledger.ledger import Ledger
from thoughtbox.ledger.record import Record
from thoughtbox.ledger.replay import rebuild
from thoughtbox.ledger.view import Views
from thoughtbox.operations import TABLE
from thoughtbox.operations.caller import ANONYMOUS


def test_an_update_is_a_new_version_and_the_old_one_stays_as_it_was(box: Box):
    first = recorded(box)
    before = box.get_experience(id=first)

    answer = box.update_experience(id=first, changes={"confidence": 0.0, "tags": ["a", "b", "a"]}, reason="Seen again.")

    second = box.get_experience(id=answer["new_id"])
    assert answer == {
        "updated": True,
        "original_id": first,
        "new_id": answer["new_id"],
        "message": answer["message"],
    }
    assert {name: box.get_experience(id=first)[name] for name in DEPLOY} == {name: before[name] for name in DEPLOY}
    assert (second["confidence"], second["tags"], second["situation"]) == (0.0, ["a", "b"], DEPLOY["situation"])
    assert (second["revision_of"], second["original_id"], second["revision_reason"]) == (first, first, "Seen again.")


def test_an_experience_shows_what_it_replaced_and_what_replaced_it(box: Box):
    first = recorded(box)
    second = box.update_experience(id=first, changes={"outcome": "Second."}, reason="One.")["new_id"]
    third = box.update_experience(id=second, changes={"outcome": "Third."}, reason="Two.")["new_id"]

    oldest, middle, newest = (box.get_experience(id=id) for id in (first, second, third))

    assert oldest["previous_version"] is None
    assert [version["id"] for version in oldest["newer_versions"]] == [third, second]
    assert middle["previous_version"] == {
        "id": first,
        "situation": DEPLOY["situation"],
        "approach": DEPLOY["approach"],
        "outcome": DEPLOY["outcome"],
        "created_at": oldest["created_at"],
    }
    assert [version["outcome"] for version in middle["newer_versions"]] == ["Third."]
    assert newest["newer_versions"] == []
    assert newest["original_id"] == first
    assert [(each["id"], each["revision_of"], each["reason"]) for each in newest["revisions"]] == [
        (third, second, "Two."),
        (second, first, "One."),
        (first, None, None),
    ]


def test_what_an_agent_revises_is_trusted_as_an_agents_and_leaves_an_episode(quick: Box):
    first = recorded(quick, source="user", scope="global")

    by_agent = quick.update_experience(id=first, changes={"type": "ineffective"}, reason="It failed.")["new_id"]
    by_user = quick.update_experience(id=first, changes={"confidence": 1}, reason="Sure.", source="user")["new_id"]

    shown = quick.get_experience(id=by_agent)
    assert (shown["trust"], shown["source"], shown["scope"]) == (1, "agent", "global")
    assert quick.get_experience(id=by_user)["trust"] == 2
    assert [(each.about, each.outcome, each.trust) for each in episodes(quick)] == [
        (f"th:{by_user}", "success", 2),
        (f"th:{by_agent}", "fail", 1),
        (f"th:{first}", "success", 2),
    ]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"changes": {}, "reason": "r"}, "changes"),
        ({"changes": {"situation": None}, "reason": "r"}, "changes.situation"),
        ({"changes": {"outcome": ""}, "reason": "r"}, "changes.outcome"),
        ({"changes": {"scope": "global"}, "reason": "r"}, "changes.scope"),
        ({"changes": {"confidence": 2}, "reason": "r"}, "changes.confidence"),
        ({"changes": {"outcome": "x"}}, "reason"),
        ({"changes": {"outcome": "x"}, "reason": " "}, "reason"),
    ],
)
def test_an_update_that_says_nothing_or_too_much_is_refused_by_name(quick: Box, arguments: dict[str, Any], named: str):
    id = recorded(quick)

    with pytest.raises(ValidationFailed) as refused:
        quick.update_experience(id=id, **arguments)

    assert refused.value.details["fields"] == [named]
    assert len(quick.get_experience(id=id)["revisions"]) == 1


def test_confidence_can_be_taken_back(quick: Box):
    id = recorded(quick)

    new = quick.update_experience(id=id, changes={"confidence": None}, reason="Not sure.")["new_id"]

    assert quick.get_experience(id=new)["confidence"] is None


def test_tags_are_added_behind_those_there_are_and_an_experience_is_found_by_them(box: Box):
    id = recorded(box)
    before = box.get_experience(id=id)

    answer = box.tag_experience(id=id, tags=["quokka", "deploy", "wombat"])
    again = box.tag_experience(id=id, tags=["wombat"])

    assert answer["tags"] == again["tags"] == ["deploy", "migration", "quokka", "wombat"]
    assert (answer["updated"], answer["experience_id"], again["updated"]) == (True, id, False)
    after = box.get_experience(id=id)
    assert {**after, "tags": [], "updated_at": 0} == {**before, "tags": [], "updated_at": 0}
    assert after["updated_at"] > before["updated_at"]
    assert found(box, "wombat") == found(box, "lock") == [id]
    assert [row["id"] for row in box.search_experiences(query="lock", include_superseded=True)["results"]] == [id]


def test_the_first_experience_of_a_store_can_be_tagged_again_and_again(quick: Box):
    id = recorded(quick)

    for number in range(10):
        quick.tag_experience(id=id, tags=[f"tag{number}"])

    assert [found(quick, f"tag{number}") for number in range(10)] == [[id]] * 10


def test_tags_go_to_the_newest_version(quick: Box):
    first = recorded(quick)
    second = quick.update_experience(id=first, changes={"outcome": "Second."}, reason="One.")["new_id"]

    with pytest.raises(ValidationFailed, match=f"{second} is its newest version"):
        quick.tag_experience(id=first, tags=["x"])


def test_what_there_is_not_is_not_found(quick: Box):
    recorded(quick)

    for operation, arguments in (
        ("get_experience", {}),
        ("update_experience", {"changes": {"outcome": "x"}, "reason": "r"}),
        ("tag_experience", {"tags": ["x"]}),
    ):
        with pytest.raises(ExperienceNotFound, match="no experience 2"):
            quick.call(operation, {"id": 2, **arguments})


def test_made_anew_from_the_ledger_the_tables_are_what_they_were(box: Box):
    first = recorded(box)
    second = box.update_experience(id=first, changes={"outcome": "Second."}, reason="One.")["new_id"]
    box.tag_experience(id=second, tags=["x"])
    box.app.dispatcher.do(WORKSPACE, ANONYMOUS, lambda tx: write_accesses(tx, {first: 2}), what="tally").result()
    before = box.get_experience(id=first)

    assert rebuild(box.app.engine, Experiences)
    assert box.get_experience(id=first) == before
    assert before["access_count"] == 2


def test_the_ledger_s_own_export_carries_experiences_and_what_is_no_experience_is_refused(quick: Box):
    first = recorded(quick)
    quick.update_experience(id=first, changes={"outcome": "Second."}, reason="One.")
    records = quick.app.engine.read(lambda sql: list(Ledger(sql, WORKSPACE, Views(())).tail(0))).result()

    def check(record: Record, **data: Any) -> None:
        changed = {**record.envelope, "data": {**record.data, **data}}
        quick.app.engine.read(
            lambda sql: TABLE.check(record._replace(envelope=changed), Ledger(sql, WORKSPACE, Views(())))
        ).result()

    for record in records:
        check(record)
    for odd in ({"trust": 7}, {"type": "good"}, {"tags": "x"}, {"revisionOf": first}, {"confidence": 2}):
        with pytest.raises(InvalidRecord):
            check(records[0], **odd)
    with pytest.raises(InvalidRecord, match="no experience before it"):
        check(records[2], revisionOf=2, originalId=2)
