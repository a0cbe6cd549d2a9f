"""An existing `experiences.db` comes in: what can, once, and with counts of what did not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import apsw
import pytest

from tests.domains.memory.knowledge.drafts import episodes, found
from tests.domains.memory.knowledge.test_import import last_seq
from tests.support.box import Box
from tests.support.boxes import OpenBox
from tests.support.old_stores import DOCUMENTED, experience, insert, write_store
from thoughtbox.errors import FileMissing, ImportRefused, PathRefused

STORE = ".claude/experiences.db"


def by_table(report: dict[str, Any]) -> dict[str, tuple[int, int, int, int]]:
    return {
        table["table"]: (table["rows"], table["imported"], table["already_here"], table["left_out"])
        for table in report["tables"]
    }


def test_what_can_come_over_does_and_what_did_not_is_counted_with_the_reason(open_box: OpenBox, project: Path):
    write_store(project / STORE)
    box = open_box(THOUGHTBOX_PROJECT_ROOT=str(project))

    report = box.import_experience_store(path=STORE)

    assert by_table(report) == {
        "experiences": (5, 4, 0, 1),
        "episodic_experiences": (2, 1, 1, 0),
        "reasoning_sessions": (2, 1, 0, 1),
        "reasoning_thoughts": (3, 2, 0, 1),
        "cells": (1, 0, 0, 1),
        "memory_sessions": (1, 0, 0, 1),
        "invocations": (1, 0, 0, 1),
    }
    assert all(table["why"] for table in report["tables"] if table["left_out"])
    assert (report["experiences"], report["episodes"]) == (4, 1)
    assert report["errors"] == [
        {
            "row": 5,
            "error": "its domain is 'Gardening'; it must be one of Tools, Protocol, Communication, Process, Debugging,"
            " Decision",
        }
    ]


def test_experiences_keep_their_dates_tags_revisions_and_what_led_to_them(quick: Box, project: Path):
    write_store(project / STORE)

    quick.import_experience_store(path=STORE)

    rows = {row["tags"][-1] if row["tags"] else None: row for row in quick.export_experiences(format="json")["output"]}
    first, revised = rows["cache"], rows["warm"]
    assert (first["created_at"], revised["created_at"]) == (1_768_478_400_000, 1_768_552_200_000)
    assert (revised["tags"], revised["confidence"]) == (["cache", "warm"], None)
    assert (revised["revision_of"], revised["original_id"]) == (first["id"], first["id"])
    assert (rows["queue"]["trust"], first["trust"], first["source"]) == (0, 1, "import")
    assert rows[None]["archived_at"] == 1_769_904_000_000
    assert quick.get_experience(id=first["id"])["context"] == {
        "reasoning_session": {
            "session_id": "r-1",
            "problem": "Why slow?",
            "conclusion": "Warm it.",
            "thoughts": ["thought 1", "thought 2"],
        }
    }
    assert found(quick, "cache") == [revised["id"]]


def test_episodes_come_over_once_as_what_an_agent_said(quick: Box, project: Path):
    write_store(project / STORE)

    quick.import_experience_store(path=STORE)

    [apart] = [each for each in episodes(quick) if not (each.about or "").startswith("th:")]
    assert (apart.summary, apart.outcome, apart.context_keys) == ("Always warm the cache.", "success", ("cache",))
    assert (apart.trust, apart.source) == (1, "agent")
    assert len(episodes(quick)) == 4 + 1


def test_a_second_import_adds_nothing_also_from_a_copy_and_what_is_new_comes_in(quick: Box, project: Path):
    path = write_store(project / STORE)
    quick.import_experience_store(path=STORE)
    before = last_seq(quick)

    again = quick.import_experience_store(path=STORE)
    path.rename(project / "copy.db")
    copied = quick.import_experience_store(path="copy.db")

    assert last_seq(quick) == before
    for report in (again, copied):
        assert by_table(report)["experiences"] == (5, 0, 4, 1)
        assert by_table(report)["episodic_experiences"] == (2, 0, 2, 0)
        assert (report["experiences"], report["episodes"]) == (0, 0)
    with apsw.Connection(str(project / "copy.db")) as store:
        insert(store, "experiences", id=6, **experience("proxy"))
    assert quick.import_experience_store(path="copy.db")["experiences"] == 1


def test_the_store_is_only_read_and_nothing_is_left_beside_it(quick: Box, project: Path):
    path = write_store(project / STORE)
    path.chmod(0o444)
    before, content = path.stat(), path.read_bytes()

    quick.import_experience_store(path=STORE)

    assert path.read_bytes() == content
    assert (path.stat().st_mtime_ns, path.stat().st_mode) == (before.st_mtime_ns, before.st_mode)
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_what_its_server_had_not_finished_is_read_as_it_would_read_it(quick: Box, project: Path):
    path = write_store(project / STORE)
    writer = apsw.Connection(str(path))
    writer.execute("PRAGMA journal_mode = WAL")
    insert(writer, "experiences", id=7, **experience("mutex"))
    beside = {each.name: each.read_bytes() for each in path.parent.iterdir()}

    report = quick.import_experience_store(path=STORE)

    assert report["experiences"] == 5
    assert {each.name: each.read_bytes() for each in path.parent.iterdir()} == beside
    writer.close()


def test_a_store_with_the_documented_columns_comes_in_as_well(quick: Box, project: Path):
    with apsw.Connection(str(project / "old.db")) as store:
        store.execute(DOCUMENTED)
        insert(store, "experiences", id=1, scope="global", **experience("cache", created_at=1_700_000_000_000))
        said = experience("cache", outcome="Otherwise.", created_at=1_700_000_001_000)
        insert(store, "experiences", id=2, original_id=1, scope="global", **said)
        insert(store, "experiences", id=3, **experience("queue", created_at=None, situation=17))

    report = quick.import_experience_store(path="old.db")

    assert by_table(report) == {"experiences": (3, 3, 0, 0)}
    undated, second, first = quick.export_experiences(format="json")["output"]
    assert (first["scope"], second["original_id"], undated["situation"]) == ("global", first["id"], "17")


def test_another_program_s_file_a_broken_one_and_none_at_all_are_refused(quick: Box, project: Path):
    (project / "text.db").write_text("no database at all", encoding="utf-8")
    with apsw.Connection(str(project / "foreign.db")) as store:
        store.execute("CREATE TABLE experiences (id INTEGER, name TEXT)")
    own = Box(project / "own")
    own.close()
    broken = write_store(project / "broken.db")
    content = bytearray(broken.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    broken.write_bytes(content)

    for name, said in (
        ("text.db", "is no SQLite database"),
        ("foreign.db", "has no table of experiences"),
        ("broken.db", "is damaged"),
        ("own/thoughtbox.db", "is a store of this product"),
    ):
        with pytest.raises(ImportRefused, match=said):
            quick.import_experience_store(path=name)
    with pytest.raises(FileMissing):
        quick.import_experience_store(path="none.db")
    with pytest.raises(PathRefused):
        quick.import_experience_store(path="../none.db")
    assert found(quick, "cache") == []
