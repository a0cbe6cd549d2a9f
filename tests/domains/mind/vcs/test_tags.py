"""Tags: names that stand for entries."""

from __future__ import annotations

from tests.support.mind import Mind


def committed(mind: Mind, *texts: str) -> list[int]:
    return [mind.commit(artifact=text, message="m")["commits"][0]["seq"] for text in texts]


def test_a_tag_stands_for_the_newest_commit_or_for_what_is_named(mind: Mind):
    first, last = committed(mind, "a", "b")

    tag = mind.tag_create(name="now")["tag"]

    assert tag.pop("created_at_ms") > 0
    assert tag == {"name": "now", "branch": "main", "doc": "notes", "seq": last}
    assert mind.tag_create(name="then", **{"from": first})["tag"]["seq"] == first
    assert mind.tag_create(name="again", **{"from": "then"})["tag"]["seq"] == first
    mind.macro_branch_note(name="alt", content="c")
    tag = mind.tag_create(name="main's", **{"from": "main"})["tag"]
    assert (tag["branch"], tag["seq"]) == ("main", last)
    assert mind.tag_create(name="here")["tag"]["branch"] == "alt"


def test_a_tag_may_be_of_another_document(quick: Mind):
    (made,) = quick.commit(artifact="a", message="m", docs="ideas")["commits"]
    quick.tag_create(name="v1", doc="ideas")

    answer = quick.log(ref="v1")
    assert (answer["doc"], answer["head_seq"]) == ("ideas", made["seq"])
    error = quick.refused("log", ref="v1", doc="notes")
    assert (error.code, error.recovery) == ("INVALID_INPUT", "Send doc=ideas.")


def test_a_name_is_given_twice_only_by_force(quick: Mind):
    first, last = committed(quick, "a", "b")
    quick.tag_create(name="v1", **{"from": first})

    error = quick.refused("tag_create", name="v1")

    assert error.code == "INVALID_INPUT"
    (offered,) = error.details["suggestions"]
    assert quick.send(offered)["result"]["tag"]["seq"] == last
    assert [tag["seq"] for tag in quick.tag_list()["tags"]] == [last]


def test_a_tag_stands_for_a_note_that_is_there(quick: Mind):
    assert quick.refused("tag_create", name="v1").code == "INVALID_INPUT"
    committed(quick, "a")
    assert quick.refused("tag_create", name="v1", **{"from": 1}).code == "INVALID_INPUT"
    assert quick.refused("tag_create", name="v1", **{"from": "nowhere"}).code == "UNKNOWN_ID"


def test_tags_are_listed_by_name_and_paged(mind: Mind):
    committed(mind, "a")
    for name in ("v2", "v10", "V1"):
        mind.tag_create(name=name)
    then = mind.head()
    mind.tag_delete(name="v10")

    assert [tag["name"] for tag in mind.tag_list()["tags"]] == ["V1", "v2"]
    assert [tag["name"] for tag in mind.tag_list(as_of=then)["tags"]] == ["V1", "v10", "v2"]
    page = mind.tag_list(limit=1)
    assert (page["truncated"], page["next_cursor"]) == (True, "V1")
    last = mind.tag_list(limit=1, cursor="V1")
    assert ([tag["name"] for tag in last["tags"]], last["truncated"]) == (["v2"], False)


def test_a_tag_is_deleted_and_the_entry_stays(mind: Mind):
    (seq,) = committed(mind, "a")
    mind.tag_create(name="v1")

    assert mind.tag_delete(name="v1") == {"name": "v1", "deleted": True}

    before = mind.head()
    assert mind.tag_delete(name="v1") == {"name": "v1", "deleted": False}
    assert mind.head() == before
    assert mind.tag_list()["tags"] == []
    assert mind.log()["head_seq"] == seq
    assert mind.refused("log", ref="v1").code == "UNKNOWN_ID"
