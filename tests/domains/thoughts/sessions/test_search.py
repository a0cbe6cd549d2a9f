"""Asking a workspace what was thought in it: sessions, thoughts of all sessions, and lists of both."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.box import Box
from tests.support.thinker import Client
from thoughtbox.errors import InvalidPayload
from thoughtbox.search.texts import Texts


@pytest.fixture
def ada(box: Box) -> Client:
    """In a workspace with three sessions: two about caches, one about something else."""
    cold = Client(box).ready(sessionTitle="Checkout is slow", sessionTags=["incident"], project="shop")
    cold.think("S1|O|Every release empties the price cache")
    cold.think("S2|H|S1|All pods recompute the same lists at once")
    cold.think("S3|C|S2|∴ Keep the cache warm: one pod recomputes under a lock")
    cold.think("S4|H|S2|Serve stale lists instead", branchId="stale", branchFromThought=2)
    cold.think("S5|E|S4|Stale prices are not allowed for gold", branchId="stale")
    warm = Client(box).ready(sessionTitle="Cache sizes", project="site")
    warm.think("The image cache holds 2 GB")
    other = Client(box).ready(sessionTitle="Holiday plans")
    other.think("Where to go in May?")
    return Client(box).ready(sessionTitle="Asking")


def test_found_sessions_have_the_fields_of_sessions_and_what_they_were_found_by(ada: Client):
    answer = ada.session_search(query="how did we keep caches warm?")

    first, second = answer["sessions"]
    assert {**ada.session_get(sessionId=first["id"])["session"], **first} == first
    assert (first["title"], first["hits"], first["thoughtNumber"]) == ("Checkout is slow", 2, 3)
    assert first["best"] == "S3|C|S2|∴ «Keep» the «cache» «warm»: one pod recomputes under a lock"
    assert (second["title"], second["hits"]) == ("Cache sizes", 2)
    assert (answer["count"], answer["hasMore"]) == (2, False)
    assert "thoughts" not in answer


def test_what_a_session_says_is_shown_rather_than_what_it_is_called(ada: Client):
    found = ada.session_search(query="cache")["sessions"]

    best = {each["title"]: each["best"] for each in found}
    assert best["Cache sizes"] == "The image «cache» holds 2 GB"
    assert [each["best"] for each in ada.session_search(query="incident")["sessions"]] == ["«incident»"]


def test_thoughts_are_found_across_sessions(ada: Client):
    answer = ada.session_search(query="cache locks", what="thoughts")

    assert "sessions" not in answer
    assert answer["count"] == 3
    first = answer["thoughts"][0]
    session = next(each for each in ada.list_sessions()["sessions"] if each["title"] == "Checkout is slow")
    assert first == {
        "id": first["id"],
        "sessionId": session["id"],
        "sessionTitle": "Checkout is slow",
        "thoughtNumber": 3,
        "kind": "decision",
        "snippet": "S3|C|S2|∴ Keep the «cache» warm: one pod recomputes under a «lock»",
    }
    assert ada.get_thought(id=first["id"])["thoughtNumber"] == 3
    assert {each["sessionTitle"] for each in answer["thoughts"]} == {"Checkout is slow", "Cache sizes"}


def test_found_thoughts_come_with_their_neighbours_on_the_line_when_asked(ada: Client):
    def around(query: str, neighbours: Any) -> tuple[list[int], list[int]]:
        [found] = ada.session_search(query=query, what="thoughts", neighbours=neighbours, limit=1)["thoughts"]
        before, behind = ([each["thoughtNumber"] for each in found[side]] for side in ("previous", "next"))
        return before, behind

    assert around("pods lists", True) == ([1], [3])
    assert around("releases", 1) == ([], [2])
    assert around("serve", True) == ([2], [4])
    assert around("gold", 5) == ([1, 2, 3], [])
    assert around("releases", 2) == ([], [2, 3])
    [found] = ada.session_search(query="gold", what="thoughts", neighbours=True)["thoughts"]
    assert found["branchId"] == "stale"
    assert [each["text"] for each in found["previous"]] == ["S4|H|S2|Serve stale lists instead"]
    [plain] = ada.session_search(query="gold", what="thoughts", neighbours=0)["thoughts"]
    assert "previous" not in plain


def test_a_long_neighbour_is_shortened(ada: Client):
    ada.think("long " * 200)
    ada.think("a quokka")

    [found] = ada.session_search(query="quokka", what="thoughts", neighbours=True)["thoughts"]

    [before] = found["previous"]
    assert before["text"].startswith("long long")
    assert before["text"].endswith("…")
    assert len(before["text"]) < 300


@pytest.mark.parametrize("wrong", [{"neighbours": -1}, {"neighbours": 6}, {"what": "notes"}])
def test_what_cannot_be_searched_for_is_refused_by_name(ada: Client, wrong: dict[str, Any]):
    with pytest.raises(InvalidPayload, match=next(iter(wrong))):
        ada.session_search(query="cache", **wrong)


def test_pages_of_thoughts_hold_each_once_within_their_budget(ada: Client):
    for number in range(25):
        ada.think(f"numbat number {number} " + "and more of it " * 8)

    seen: list[str] = []
    offset: int | None = 0
    while offset is not None:
        page = ada.session_search(
            query="numbat", what="thoughts", neighbours=True, limit=7, offset=offset, maxChars=3_000
        )
        assert 0 < page["count"] <= 7
        seen += [each["id"] for each in page["thoughts"]]
        offset = page.get("nextOffset")

    assert len(seen) == len(set(seen)) == 25


def test_a_search_that_finds_nothing_says_what_is_not_known(ada: Client):
    answer = ada.session_search(query="chache ocelots")

    assert answer["sessions"] == []
    assert answer["message"] == "Nothing was found. Not known here: chache (near: cache), ocelots."
    assert ada.list_sessions(search="chache ocelots")["message"] == answer["message"]
    assert ada.session_search(query="chache ocelots", what="thoughts")["thoughts"] == []


def test_a_list_of_sessions_can_be_asked_whether_this_was_solved_before(ada: Client):
    newcomer = Client(ada.box)

    answer = newcomer.list_sessions(search="have we seen pods recompute a cache before?")

    assert newcomer.stage == 0
    assert [found["title"] for found in answer["sessions"]] == ["Checkout is slow", "Cache sizes"]
    first = answer["sessions"][0]
    assert (first["hits"], first["thoughtNumber"]) == (3, 3)
    assert "one «pod» «recomputes» under a lock" in first["best"]
    assert newcomer.list_sessions()["sessions"][0].keys().isdisjoint({"hits", "best", "thoughtNumber"})


def test_a_searched_list_goes_by_fit_unless_another_order_is_asked_for(ada: Client):
    def titles(**arguments: Any) -> list[str]:
        return [each["title"] for each in ada.list_sessions(search="pods cache", **arguments)["sessions"]]

    assert titles() == ["Checkout is slow", "Cache sizes"]
    assert titles(sortOrder="asc") == ["Cache sizes", "Checkout is slow"]
    assert titles(sortBy="title", sortOrder="asc") == ["Cache sizes", "Checkout is slow"]
    assert titles(sortBy="title") == ["Checkout is slow", "Cache sizes"]
    assert titles(sortBy="createdAt") == titles(sortBy="updatedAt") == ["Cache sizes", "Checkout is slow"]
    assert titles(sortBy="createdAt", sortOrder="asc") == ["Checkout is slow", "Cache sizes"]


def test_a_searched_list_keeps_to_tags_and_places_and_its_pages(ada: Client):
    assert [each["title"] for each in ada.session_list(search="cache", tags=["incident"])["sessions"]] == [
        "Checkout is slow"
    ]
    assert [each["title"] for each in ada.session_list(search="cache", project="site")["sessions"]] == ["Cache sizes"]
    first = ada.list_sessions(search="cache", limit=1)
    assert (first["count"], first["hasMore"], first["nextOffset"]) == (1, True, 1)
    rest = ada.list_sessions(search="cache", limit=1, offset=1)
    assert (rest["count"], rest["hasMore"]) == (1, False)
    assert {*(each["id"] for each in first["sessions"]), *(each["id"] for each in rest["sessions"])} == {
        each["id"] for each in ada.session_search(query="cache")["sessions"]
    }


def test_what_was_deleted_or_written_anew_is_not_found_as_it_was(ada: Client):
    ada.knowledge_write_note(title="Quoll", content="an old quoll")
    ada.knowledge_write_note(title="Quoll", content="a young numbat")
    ada.knowledge_create_pattern(title="Bilby", description="d", content="a bilby")
    ada.knowledge_update_pattern(patternId="bilby", content="a wombat")

    assert ada.knowledge_list_notes(search="old")["count"] == 0
    assert ada.knowledge_list_notes(search="numbat")["count"] == 1
    assert ada.knowledge_list_patterns(search="wombat")["count"] == 1
    ada.knowledge_delete_note(noteId="quoll")
    ada.knowledge_delete_pattern(patternId="bilby")
    for word in ("quoll", "numbat", "bilby", "wombat"):
        assert f"Not known here: {word}" in ada.knowledge_list_notes(search=word)["message"]


def test_notes_and_patterns_come_by_fit_when_they_are_searched(ada: Client):
    for title, content in {"One": "a red cache", "Two": "a cold red cache", "Three": "a red door"}.items():
        ada.knowledge_write_note(title=title, content=content)
        ada.knowledge_create_pattern(title=title, description="d", content=content)

    notes = ada.knowledge_list_notes(search="why was the red cache cold?")["notes"]
    patterns = ada.knowledge_list_patterns(search="why was the red cache cold?")["patterns"]
    by_title = ada.knowledge_list_patterns(search="red cache", sortBy="title", sortOrder="asc")["patterns"]

    assert [note["title"] for note in notes] == [each["title"] for each in patterns] == ["Two", "One", "Three"]
    assert [each["title"] for each in by_title] == ["One", "Three", "Two"]


def test_a_session_that_was_deleted_behind_the_index_is_left_out(ada: Client, monkeypatch: pytest.MonkeyPatch):
    first, second = ada.session_search(query="cache")["sessions"]
    monkeypatch.setattr(Texts, "advance", lambda self, after, limit: after)
    ada.session_delete(sessionId=first["id"])

    answer = ada.session_search(query="cache", limit=1)
    thoughts = ada.session_search(query="cache", what="thoughts")

    assert (answer["sessions"], answer["hasMore"], answer["nextOffset"]) == ([], True, 1)
    assert answer["notice"]["code"] == "BEHIND"
    assert [each["id"] for each in ada.session_search(query="cache", limit=1, offset=1)["sessions"]] == [second["id"]]
    assert {each["sessionId"] for each in thoughts["thoughts"]} == {second["id"]}
