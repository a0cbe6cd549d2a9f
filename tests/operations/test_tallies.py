"""What reads have counted is written down later, as one record, or never."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from tests.support.box import WORKSPACE, Box
from thoughtbox.ledger.record import Record
from thoughtbox.ledger.replay import heads
from thoughtbox.operations import tallies

EXPERIENCE = {
    "type": "effective",
    "domain": "Tools",
    "situation": "A cold cache.",
    "approach": "Warmed it.",
    "outcome": "It was warm.",
    "reasoning": "Cold caches are slow.",
}


@pytest.fixture
def box() -> Iterator[Box]:
    box = Box()
    box.call("record_experience", EXPERIENCE)
    yield box
    box.close()


def newest(box: Box) -> int:
    return box.app.engine.read(lambda sql: heads(sql)[WORKSPACE]).result()


def counted(box: Box) -> tuple[int, bool]:
    shown = box.get_experience(id=1)
    return shown["access_count"], shown["last_accessed_at"] is not None


def test_a_process_that_only_looks_writes_nothing_and_counts_nothing(box: Box):
    before = newest(box)
    box.get_experience(id=1)
    box.search_experiences(query="cache")

    box.app.dispatcher.tallies.flush()

    assert newest(box) == before
    assert counted(box) == (0, False)


def test_one_that_serves_writes_all_that_was_counted_as_one_record_when_it_rests(
    box: Box, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(tallies, "REST_SECONDS", 0.05)
    box.app.keep()
    before = newest(box)
    written = box.app.feed.follow(lambda: None, workspaces=[WORKSPACE], since={WORKSPACE: before})
    readers = [Thread(target=box.get_experience, kwargs={"id": 1}) for _ in range(5)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()

    seen: list[Record] = []
    while not seen:
        seen += written.take().result().records

    first = seen[0]

    assert (first.seq, first.topic, first.agent) == (before + 1, "memory.experience_accessed", "thoughtbox")
    assert 1 <= counted(box)[0] <= 5


def test_one_that_serves_writes_down_the_rest_when_it_ends(tmp_path: Path):
    box = Box(tmp_path)
    box.call("record_experience", EXPERIENCE)
    box.app.keep()
    box.search_experiences(query="cache")
    box.search_experiences(query="cache")
    assert counted(box) == (0, False)
    before = newest(box)
    box.close()

    again = Box(tmp_path)

    assert counted(again) == (3, True)
    assert newest(again) == before + 1
    assert again.call("get_experience", {"id": 1}, as_of=before)["access_count"] == 0
    again.close()


def test_what_cannot_be_written_is_given_up_and_nobody_is_told(box: Box):
    box.app.keep()
    box.get_experience(id=1)
    box.app.engine.close()

    box.app.dispatcher.tallies.close()
