"""Ids of notes and patterns: in any script, readable, stable, and never one for two titles."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.box import WORKSPACE, Box
from tests.support.thinker import Client
from thoughtbox.domains.thoughts.knowledge.ids import folded
from thoughtbox.ledger.record import Draft
from thoughtbox.operations.caller import Caller

TITLES = [
    *("Заметка один", "Другая тема", "你好", "你好!", "C++", "C#", "C", "c--", "!!!", "???", "हिन्दी", "हनद"),
    *("a b", "a-b", "a.b", "a/b", "x²", "x2", "é", "e", "x" * 190 + "1", "x" * 190 + "2", "🧠", "🙂", "-", "ⅻ", "12"),
]


def write(client: Client, title: str, content: str = "c") -> str:
    return client.call("knowledge.write_note", title=title, content=content)["note"]["id"]


def test_every_title_has_a_note_of_its_own(mia: Client):
    ids = {title: write(mia, title, title) for title in TITLES}

    assert len(set(ids.values())) == len(TITLES)
    for title, id in ids.items():
        note = mia.call("knowledge.get_note", noteId=id)["note"]
        assert (note["title"], note["content"]) == (title, title)
    assert {title: write(mia, title, "anew") for title in reversed(TITLES)} == ids
    assert mia.call("knowledge.list_notes", limit=100)["count"] == len(TITLES)


@pytest.mark.parametrize(
    ("title", "id"),
    [
        ("Open ends", "open-ends"),
        ("Look at the plan!", "look-at-the-plan"),
        ("Заметка один", "заметка-один"),
        ("你好", "你好"),
        ("C++", "c"),
        ("हिन्दी", "हिन्दी"),
    ],
)
def test_an_id_is_made_of_the_letters_of_its_title(tom: Client, title: str, id: str):
    assert write(tom, title) == id


def test_a_title_that_differs_in_case_and_blanks_only_is_the_same(tom: Client):
    assert len({write(tom, title) for title in ("Open ends", "open  ENDS", " Open ends ")}) == 1


@given(st.lists(st.text(min_size=1, max_size=12).filter(str.strip), min_size=1, max_size=6))
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_the_titles_each_has_its_own_id_and_can_be_read_by_it(tom: Client, titles: list[str]):
    storable = [title for title in titles if "\0" not in title and title.isprintable()]
    ids = {title: write(tom, title) for title in storable}

    assert len(set(ids.values())) == len({folded(title) for title in ids})
    for title, id in ids.items():
        assert folded(tom.call("knowledge.get_note", noteId=id)["note"]["title"]) == folded(title)


def test_the_id_of_a_deleted_note_is_kept_for_its_title(mia: Client):
    id = write(mia, "C++", "old")
    mia.call("knowledge.delete_note", noteId=id)

    other = write(mia, "C#")
    mia.call("knowledge.undelete_note", noteId=id)

    assert other != id
    assert mia.call("knowledge.get_note", noteId=id)["note"]["content"] == "old"


def test_a_note_of_an_earlier_release_keeps_its_id(box: Box):
    def old(tx) -> None:
        data = {"id": "untitled", "title": "你好"}
        draft = Draft(
            kind="claim", topic="knowledge.note", text="old", session="knowledge", attrs={"relations": []}, data=data
        )
        tx.append(draft, stream="knowledge/note/untitled")

    box.app.dispatcher.do(WORKSPACE, Caller(agent="old"), old, what="an earlier release").result()
    mia = Client(box).ready()

    assert write(mia, "你好", "new") == "untitled"
    assert write(mia, "再见") == "再见"
    assert write(mia, "!!!") != "untitled"
    assert mia.call("knowledge.get_note", noteId="untitled")["note"]["content"] == "new"


def test_patterns_of_different_titles_never_share_an_id(mia: Client):
    def create(title: str) -> str:
        return mia.call("knowledge.create_pattern", title=title, description="d", content="c")["pattern"]["id"]

    ids = [create(title) for title in TITLES]
    mia.call("knowledge.delete_pattern", patternId=ids[0])

    assert len(set(ids)) == len(TITLES)
    assert create("Заметка, один") not in ids
    assert create(TITLES[0]) == ids[0]
