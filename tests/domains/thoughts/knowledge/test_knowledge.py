"""The knowledge zone: patterns that have proven themselves, notes for now, and proposals that become patterns."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.box import WORKSPACE, Box
from tests.support.thinker import Client
from thoughtbox.errors import InvalidPayload, SessionNotFound

PLAN_FIRST = {
    "title": "Look at the plan first!",
    "description": "A slow page is a slow query until the plan says otherwise.",
    "content": "1. Find the query.\n2. EXPLAIN it.",
    "tags": ["database", "performance"],
}


def create(client: Client, **arguments: Any) -> dict[str, Any]:
    return client.call("knowledge.create_pattern", **{**PLAN_FIRST, **arguments})["pattern"]


def listed(client: Client, **arguments: Any) -> list[str]:
    return [pattern["id"] for pattern in client.call("knowledge.list_patterns", **arguments)["patterns"]]


def notes(client: Client, **arguments: Any) -> list[str]:
    return [note["id"] for note in client.call("knowledge.list_notes", **arguments)["notes"]]


# Patterns


def test_a_pattern_is_kept_under_an_id_made_from_its_title(mia: Client):
    pattern = create(mia, derivedFromSessions=[mia.session_id], createdBy="an agent")

    assert pattern == {
        "id": "look-at-the-plan-first",
        **PLAN_FIRST,
        "derivedFromSessions": [mia.session_id],
        "createdBy": "an agent",
        "createdAt": pattern["createdAt"],
        "updatedAt": pattern["createdAt"],
    }
    assert mia.call("knowledge.get_pattern", patternId=pattern["id"])["pattern"] == pattern


def test_a_pattern_is_by_whoever_called_unless_it_says_otherwise(mia: Client):
    assert create(mia)["createdBy"] == "mia"


@pytest.mark.parametrize(
    ("title", "id"),
    [
        ("Two  words", "two-words"),
        ("../../etc/passwd", "etc-passwd"),
        ("ÜBER alles", "über-alles"),
        ("思考", "思考"),
        ("!!!", "untitled"),
        ("x" * 200, "x" * 60),
        ("a" * 59 + " b", "a" * 59),
    ],
)
def test_any_title_makes_a_safe_id(tom: Client, title: str, id: str):
    assert create(tom, title=title)["id"] == id
    assert create(tom, title=title)["id"] == f"{id}-2"


def test_the_same_title_gets_the_next_free_id(mia: Client):
    assert [create(mia)["id"] for _ in range(3)] == [
        "look-at-the-plan-first",
        "look-at-the-plan-first-2",
        "look-at-the-plan-first-3",
    ]


def test_a_pattern_can_be_changed_and_keeps_what_is_not_named(mia: Client):
    before = create(mia)

    changed = mia.call("knowledge.update_pattern", patternId=before["id"], title="Plan", tags=["a", "b", "a"])[
        "pattern"
    ]

    assert changed == {**before, "title": "Plan", "tags": ["a", "b"], "updatedAt": changed["updatedAt"]}
    assert changed["updatedAt"] > before["updatedAt"]
    again = mia.call("knowledge.update_pattern", patternId=before["id"], content="New", description="Now")["pattern"]
    assert (again["title"], again["content"], again["description"]) == ("Plan", "New", "Now")


def test_an_update_has_to_change_something(mia: Client):
    pattern = create(mia)

    with pytest.raises(InvalidPayload, match="nothing to change"):
        mia.call("knowledge.update_pattern", patternId=pattern["id"])


def test_what_a_pattern_said_before_stays_in_the_ledger(mia: Client):
    pattern = create(mia)
    then = mia.records()
    mia.call("knowledge.update_pattern", patternId=pattern["id"], content="New")

    assert mia.call("knowledge.get_pattern", patternId=pattern["id"], as_of=then)["pattern"] == pattern
    latest = mia.ledger_tail(after=then, limit=1)["records"][0]
    assert latest["kind"] == "revision"
    assert latest["attrs"]["replacesId"] == f"th:{then}"


def test_patterns_are_listed_without_their_content_newest_first(mia: Client):
    create(mia, title="One")
    create(mia, title="Two")
    mia.call("knowledge.update_pattern", patternId="one", description="Changed")

    answer = mia.call("knowledge.list_patterns")

    assert [pattern["id"] for pattern in answer["patterns"]] == ["one", "two"]
    assert all("content" not in pattern for pattern in answer["patterns"])


@pytest.mark.parametrize(
    ("sort", "order", "expected"),
    [
        ("createdAt", "asc", ["b", "a", "c"]),
        ("createdAt", "desc", ["c", "a", "b"]),
        ("updatedAt", "asc", ["a", "c", "b"]),
        ("updatedAt", "desc", ["b", "c", "a"]),
        ("title", "asc", ["a", "b", "c"]),
        ("title", "desc", ["c", "b", "a"]),
    ],
)
def test_patterns_can_be_sorted(mia: Client, sort: str, order: str, expected: list[str]):
    for title in "bac":
        create(mia, title=title)
    mia.call("knowledge.update_pattern", patternId="b", content="changed")

    assert listed(mia, sortBy=sort, sortOrder=order) == expected


def test_patterns_are_found_by_all_of_their_tags(mia: Client):
    create(mia, title="One", tags=["web", "db"])
    create(mia, title="Two", tags=["web"])

    assert listed(mia, tags=["web"]) == ["two", "one"]
    assert listed(mia, tags=["web", "db"]) == ["one"]
    assert listed(mia, tags=["nowhere"]) == []


def test_patterns_are_found_by_words_in_title_description_content_and_tags(mia: Client):
    create(mia, title="Aardvark", description="bison", content="condor", tags=["dugong"])
    create(mia, title="Other")

    for word in ("aardvark", "bison", "condor", "dugong"):
        assert listed(mia, search=word) == ["aardvark"]
    assert listed(mia, search="condor -bison") == []
    assert listed(mia, search="") == ["other", "aardvark"]


def test_a_pattern_is_found_by_what_it_says_now_only(mia: Client):
    create(mia, title="One", content="a quokka")
    mia.call("knowledge.update_pattern", patternId="one", content="a rabbit")

    assert listed(mia, search="quokka") == []
    assert listed(mia, search="rabbit") == ["one"]


def test_more_patterns_are_found_than_the_index_gives_at_once(tom: Client):
    for n in range(130):
        create(tom, title=f"Seal {n}")

    first = tom.call("knowledge.list_patterns", search="seal", limit=100)
    second = tom.call("knowledge.list_patterns", search="seal", limit=100, offset=first["nextOffset"])

    assert (first["count"], first["hasMore"]) == (100, True)
    assert (second["count"], second["hasMore"]) == (30, False)


def test_pages_of_patterns_hold_each_once(mia: Client):
    for title in "abcde":
        create(mia, title=title)

    assert listed(mia, limit=2) + listed(mia, limit=2, offset=2) + listed(mia, limit=2, offset=4) == list("edcba")


def test_a_deleted_pattern_is_out_of_sight_and_its_id_is_free(mia: Client):
    pattern = create(mia, content="a tapir")
    then = mia.records()

    assert mia.call("knowledge.delete_pattern", patternId=pattern["id"]) == {
        "success": True,
        "id": pattern["id"],
        "undo": {"operation": "knowledge.undelete_pattern", "patternId": pattern["id"]},
    }

    assert listed(mia) == listed(mia, search="tapir") == listed(mia, tags=["database"]) == []
    for operation in ("get_pattern", "update_pattern", "delete_pattern"):
        with pytest.raises(InvalidPayload, match="no pattern") as refused:
            mia.call(f"knowledge.{operation}", patternId=pattern["id"])
        assert "knowledge.list_patterns" in str(refused.value.recovery)
    assert mia.call("knowledge.get_pattern", patternId=pattern["id"], as_of=then)["pattern"] == pattern
    again = create(mia)
    assert again["id"] == pattern["id"]
    assert again["createdAt"] > pattern["createdAt"]


def test_a_pattern_comes_from_sessions_that_are_there(mia: Client):
    with pytest.raises(SessionNotFound):
        create(mia, derivedFromSessions=["nowhere"])
    pattern = create(mia)
    with pytest.raises(SessionNotFound):
        mia.call("knowledge.update_pattern", patternId=pattern["id"], derivedFromSessions=["nowhere"])

    assert create(mia, derivedFromSessions=["latest", mia.session_id])["derivedFromSessions"] == [mia.session_id]


@pytest.mark.parametrize("missing", ["title", "description", "content"])
def test_a_pattern_needs_title_description_and_content(tom: Client, missing: str):
    before = tom.records()

    for nothing in (None, "", "  "):
        with pytest.raises(InvalidPayload, match=missing):
            create(tom, **{missing: nothing})

    assert tom.records() == before


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("title", "t" * 201),
        ("description", "d" * 1_001),
        ("content", "c" * 1_000_001),
        ("tags", "web"),
        ("tags", ["t"] * 51),
        ("derivedFromSessions", "latest"),
        ("createdBy", ""),
        ("id", "mine"),
    ],
)
def test_a_pattern_of_the_wrong_kind_is_refused_by_the_fields_name(tom: Client, field: str, wrong: Any):
    with pytest.raises(InvalidPayload, match=field):
        create(tom, **{field: wrong})


@pytest.mark.parametrize("id", ["../x", "Upper", "a b", "", "a" * 101, "Ä", "c++", 7])
@pytest.mark.parametrize("operation", ["get_pattern", "delete_pattern", "update_pattern"])
def test_what_is_no_id_of_a_pattern_is_refused(tom: Client, operation: str, id: Any):
    with pytest.raises(InvalidPayload, match="patternId"):
        tom.call(f"knowledge.{operation}", patternId=id)


# Notes


def test_a_note_is_written_and_written_anew(mia: Client):
    first = mia.call("knowledge.write_note", title="Open ends", content="- the replica")["note"]
    second = mia.call("knowledge.write_note", title="Open ends", content="- nothing")["note"]

    assert first["id"] == second["id"] == "open-ends"
    assert second["content"] == "- nothing"
    assert second["createdAt"] == first["createdAt"] < second["updatedAt"]
    assert mia.call("knowledge.get_note", noteId="open-ends")["note"] == second


def test_a_note_can_be_added_to(mia: Client):
    mia.call("knowledge.write_note", title="Log", content="one")
    mia.call("knowledge.write_note", title="Log", content="two", append=True)

    assert mia.call("knowledge.get_note", noteId="log")["note"]["content"] == "one\ntwo"
    assert mia.call("knowledge.write_note", title="New", content="first", append=True)["note"]["content"] == "first"


def test_a_note_does_not_grow_without_end(mia: Client):
    mia.call("knowledge.write_note", title="Log", content="x" * 999_999)

    with pytest.raises(InvalidPayload, match="longer than"):
        mia.call("knowledge.write_note", title="Log", content="yy", append=True)


def test_a_note_may_have_an_id_of_its_own_and_another_title_later(mia: Client):
    mia.call("knowledge.write_note", title="One", content="x", noteId="mine")
    mia.call("knowledge.write_note", title="Two", content="y", noteId="mine")

    assert notes(mia) == ["mine"]
    assert mia.call("knowledge.get_note", noteId="mine")["note"]["title"] == "Two"


def test_a_note_is_read_by_everybody_in_the_workspace(box: Box, mia: Client):
    mia.call("knowledge.write_note", title="Open ends", content="- the replica")
    tom = Client(box, agent="tom").ready()

    assert tom.call("knowledge.get_note", noteId="open-ends")["note"]["content"] == "- the replica"


def test_notes_are_listed_and_found_by_their_words(mia: Client):
    mia.call("knowledge.write_note", title="One", content="a urial")
    mia.call("knowledge.write_note", title="Vole", content="two")

    assert notes(mia) == ["vole", "one"]
    assert notes(mia, search="urial") == ["one"]
    assert notes(mia, search="vole") == ["vole"]
    assert notes(mia, limit=1, offset=1) == ["one"]
    assert all("content" not in note for note in mia.call("knowledge.list_notes")["notes"])


def test_a_deleted_note_is_out_of_sight(mia: Client):
    mia.call("knowledge.write_note", title="One", content="a wombat")
    mia.call("knowledge.delete_note", noteId="one")

    assert notes(mia) == notes(mia, search="wombat") == []
    for operation in ("get_note", "delete_note"):
        with pytest.raises(InvalidPayload, match="no note"):
            mia.call(f"knowledge.{operation}", noteId="one")
    mia.call("knowledge.write_note", title="One", content="again", append=True)
    assert mia.call("knowledge.get_note", noteId="one")["note"]["content"] == "again"


def test_a_pattern_and_a_note_of_the_same_name_do_not_meet(mia: Client):
    create(mia, title="Same")
    mia.call("knowledge.write_note", title="Same", content="note")
    mia.call("knowledge.delete_note", noteId="same")

    assert listed(mia) == ["same"]


# Promotion


@pytest.fixture
def decided(mia: Client) -> Client:
    """A session that has come to a decision."""
    mia.session_tag(add=["web"])
    mia.think("S1|E|EXPLAIN shows a full table scan")
    mia.think("S2|C|S1|∴ Add an index on users.email")
    return mia


def test_a_proposal_becomes_a_pattern_with_its_source_session(decided: Client):
    learnings = decided.call("session.extract_learnings", maxChars=50_000)["learnings"]
    proposal = next(learning for learning in learnings if learning["type"] == "pattern")

    pattern = decided.call("knowledge.promote", learningId=proposal["id"])["pattern"]

    assert pattern["title"] == proposal["title"]
    assert pattern["content"] == proposal["content"]
    assert pattern["derivedFromSessions"] == [decided.session_id]
    assert {"web", "pattern"} <= set(pattern["tags"])
    assert pattern["createdBy"] == "mia"
    assert listed(decided) == [pattern["id"]]


def test_the_best_proposal_can_be_promoted_without_its_id(decided: Client):
    first = decided.call("session.extract_learnings", maxChars=50_000)["learnings"][0]

    pattern = decided.call("knowledge.promote", learningId="best", title="Index it", tags=["mine"])["pattern"]

    assert (pattern["title"], pattern["content"]) == ("Index it", first["content"])
    assert "mine" in pattern["tags"]


def test_what_is_promoted_says_which_of_its_grounds_were_corrected(mia: Client):
    mia.think("S1|E|The lookup takes 12 ms")
    mia.think("S2|C|S1|∴ Keep the table as it is")
    before = mia.call("session.extract_learnings", maxChars=50_000)["learnings"][0]["metadata"]
    mia.think("S3|R|^[S1]|With a cold cache it takes 21 ms")

    pattern = mia.call("knowledge.promote", learningId="best")["pattern"]

    after = mia.call("session.extract_learnings", maxChars=50_000)["learnings"][0]["metadata"]
    assert "[S1] (corrected by [S3])\n> The lookup takes 12 ms\n>\n> With a cold cache" in pattern["content"]
    assert "[S1] (corrected by [S3])" in pattern["description"]
    assert after["behaviorCharacteristics"]["maturity"] < before["behaviorCharacteristics"]["maturity"]


def test_where_the_pattern_comes_from_is_kept_with_its_record(decided: Client):
    decided.call("knowledge.promote", learningId="best")

    kept = decided.box.app.dispatcher.ask(
        WORKSPACE, decided.caller, lambda tx: tx.ledger.record(tx.ledger.last_seq())
    ).result()
    assert kept is not None
    assert kept.data["sourceThoughts"]
    assert kept.data["learningId"]


def test_a_proposal_that_is_not_there_is_refused_and_those_there_are_are_named(decided: Client):
    with pytest.raises(InvalidPayload, match="no proposal `nothing`") as refused:
        decided.call("knowledge.promote", learningId="nothing")

    known = [learning["id"] for learning in decided.call("session.extract_learnings")["learnings"]]
    assert refused.value.details["proposals"] == known


def test_an_empty_session_has_nothing_to_promote(mia: Client):
    with pytest.raises(InvalidPayload, match="no proposal `best`"):
        mia.call("knowledge.promote", learningId="best")


def test_a_steered_proposal_is_promoted_with_the_same_key_moments(decided: Client):
    moments = [{"thoughtNumber": 1, "type": "insight", "significance": 9, "summary": "Plans tell"}]
    steered = decided.call("session.extract_learnings", keyMoments=moments, maxChars=50_000)["learnings"][0]

    pattern = decided.call("knowledge.promote", learningId=steered["id"], keyMoments=moments)["pattern"]

    assert pattern["content"] == steered["content"]
