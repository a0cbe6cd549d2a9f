"""The feed: whoever follows it never misses a record, never sees one twice, and can come back later."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from tests.support.box import WORKSPACE, Box
from tests.support.boxes import OpenBox, box, open_box
from tests.support.forks import PATIENCE
from thoughtbox.ledger import feed as feed_module
from thoughtbox.ledger.feed import MOST_PAGES, PAGE, SETTLE_SECONDS, Feed, Follower, Wanted
from thoughtbox.ledger.record import Record

__all__ = ["box", "open_box"]


def record(box: Box, *texts: str, session: str = "s1") -> None:
    for future in [
        box.submit("thought_record", {"sessionId": session, "thoughtType": "note", "content": text}) for text in texts
    ]:
        future.result(PATIENCE)


class Reader:
    """Takes all there is, whenever it is woken."""

    def __init__(self, feed: Feed, *, limit: int = PAGE, **options: object) -> None:
        self.seen: list[Record] = []
        self._limit = limit
        self._woken = threading.Event()
        self.follower: Follower = feed.follow(self._woken.set, **options)  # ty: ignore[invalid-argument-type]

    def until(self, count: int) -> list[str]:
        """Read until so many records were seen; their texts."""
        while len(self.seen) < count:
            assert self._woken.wait(PATIENCE), f"woken for {len(self.seen)} records, and {count} were written"
            self._woken.clear()
            while (page := self.follower.take(self._limit).result(PATIENCE)).records or page.more:
                assert len(page.records) <= self._limit
                self.seen += page.records
        return [one.text for one in self.seen]


@pytest.fixture
def feed(box: Box) -> Iterator[Feed]:
    feed = Feed(box.app.engine, box.app.views)
    yield feed
    feed.close()


def test_what_is_written_from_now_on_is_seen_once_and_in_order(box: Box, feed: Feed):
    record(box, "before")
    reader = Reader(feed)

    record(box, "one", "two")
    record(box, "three")

    assert reader.until(3) == ["one", "two", "three"]


def test_whoever_names_a_number_goes_on_behind_it_without_a_gap_and_without_a_repeat(box: Box, feed: Feed):
    record(box, *(f"{number}" for number in range(10)))
    first = Reader(feed, since={})
    assert first.until(10) == [f"{number}" for number in range(10)]
    place = first.follower.seen(WORKSPACE)
    first.follower.close()

    record(box, "while nobody looked")
    again = Reader(feed, since={WORKSPACE: place})
    record(box, "afterwards")

    assert again.until(2) == ["while nobody looked", "afterwards"]


def test_what_other_processes_write_is_seen_too(open_box: OpenBox):
    here, there = open_box(), open_box()
    reader = Reader(here.app.feed)

    record(there, "elsewhere")

    assert reader.until(1) == ["elsewhere"]


def test_many_writers_and_slow_readers_miss_nothing(open_box: OpenBox):
    here, there = open_box(), open_box()
    readers = [Reader(here.app.feed, limit=7), Reader(here.app.feed), Reader(there.app.feed, limit=1)]

    def write(box: Box, name: str) -> None:
        for number in range(150):
            record(box, f"{name} {number}", session=name)

    writers = [threading.Thread(target=write, args=(box, name)) for box, name in ((here, "a"), (there, "b"))]
    for writer in writers:
        writer.start()
    seen = [reader.until(300) for reader in readers]
    for writer in writers:
        writer.join(PATIENCE)

    assert seen[0] == seen[1] == seen[2]
    assert [one.seq for one in readers[0].seen] == list(range(1, 301))


def test_where_nobody_waits_it_is_looked_seldom_until_somebody_does(
    box: Box, feed: Feed, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(feed_module, "NO_HURRY_SECONDS", PATIENCE)
    woken = threading.Event()
    feed.follow(woken.set, waits=lambda: False)
    record(box, "one")
    assert not woken.wait(5 * SETTLE_SECONDS)

    reader = Reader(feed, since={})

    assert reader.until(1) == ["one"]
    assert woken.wait(PATIENCE)
    record(box, "two")
    assert reader.until(2) == ["one", "two"]


def test_a_slow_reader_is_only_behind_and_nothing_is_kept_for_it(box: Box, feed: Feed):
    reader = Reader(feed, limit=10)
    record(box, *(f"{number}" for number in range(3 * PAGE)))

    first = reader.follower.take(10).result(PATIENCE)

    assert first.more or not first.records
    assert len(feed._pages) <= MOST_PAGES
    assert reader.until(3 * PAGE - len(first.records))[-1] == f"{3 * PAGE - 1}"


@pytest.mark.parametrize(
    ("wanted", "texts"),
    [
        (Wanted(), ["a", "b", "c"]),
        (Wanted(streams={"trail/s2"}), ["b"]),
        (Wanted(sessions={"s1"}), ["a", "c"]),
        (Wanted(topics={"nothing"}), []),
        (Wanted(kinds={"decision"}), ["c"]),
        (Wanted(rooms={"trail"}), ["a", "b", "c"]),
        (Wanted(rooms={"ledger"}), []),
        (Wanted(agents={"somebody else"}), []),
        (Wanted(sessions={"s1"}, kinds={"decision"}), ["c"]),
    ],
)
def test_who_wants_some_records_is_given_those(box: Box, feed: Feed, wanted: Wanted, texts: list[str]):
    reader = Reader(feed, wanted=wanted, since={})
    record(box, "a")
    record(box, "b", session="s2")
    box.thought_decision(sessionId="s1", decision="c")

    assert reader.until(len(texts)) == texts
    marker = Reader(feed, since={})
    marker.until(3)
    assert reader.follower.take().result(PATIENCE).records == []
    assert reader.follower.seen(WORKSPACE) == 3, "what is not wanted counts as seen"


def test_only_the_workspaces_that_are_followed_wake_anybody(box: Box, feed: Feed):
    woken = threading.Event()
    follower = feed.follow(woken.set, workspaces=["elsewhere"])
    everything = Reader(feed)

    record(box, "here")

    everything.until(1)
    assert follower.unseen() == []
    assert not woken.is_set()


def test_whoever_passes_over_a_stretch_has_seen_it(box: Box, feed: Feed):
    woken = threading.Event()
    follower = feed.follow(woken.set)
    record(box, "one", "two")
    assert woken.wait(PATIENCE)

    (stretch,) = follower.unseen()
    follower.pass_over(stretch)

    assert (stretch.workspace, stretch.after, follower.seen(WORKSPACE)) == (WORKSPACE, 0, stretch.until)


def test_one_that_cannot_be_woken_does_not_keep_the_others_from_it(box: Box, feed: Feed):
    def fail() -> None:
        raise RuntimeError("asleep for good")

    feed.follow(fail)
    reader = Reader(feed)

    record(box, "one")

    assert reader.until(1) == ["one"]


def test_whoever_has_left_is_not_woken(box: Box, feed: Feed):
    woken = threading.Event()
    follower = feed.follow(woken.set)
    follower.close()
    reader = Reader(feed)

    record(box, "one")

    reader.until(1)
    assert not woken.is_set()
