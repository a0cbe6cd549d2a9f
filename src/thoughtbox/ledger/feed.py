"""What is appended, by this process or another, for whoever follows it: list changes, updates, views, people who watch.

There is one feed in a process, and it looks at the store once for all of its followers. A follower is a place in the
ledger: the number of the last record it has seen in each workspace. Nothing is queued for it, so that one that is slow
is only further behind; it never misses a record, never sees one twice, and can come back later and go on from a number.
While nothing is written, nothing runs.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from typing import NamedTuple

from thoughtbox.engine.protocol import Engine, Sql
from thoughtbox.errors import ThoughtboxError
from thoughtbox.ledger.ledger import Ledger
from thoughtbox.ledger.record import Record
from thoughtbox.ledger.view import Views

logger = logging.getLogger(__name__)

SETTLE_SECONDS = 0.1
"""Commits that come together are looked at together: looking at each would cost those who write."""

PROMPT_SECONDS = 0.02
"""The same, where a person looks at a screen."""

NO_HURRY_SECONDS = 1.0
"""The same, where nobody waits for what is new."""

RETRY_SECONDS = 1.0
PAGE = 256
"""Records that a follower is given at once, unless it asks for fewer."""

MOST_PAGES = 16
"""Pages kept in mind: followers at the same place share one reading."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which records a follower wants: those that fit every part that is given."""

    topics: Collection[str] | None = None
    kinds: Collection[str] | None = None
    rooms: Collection[str] | None = None
    streams: Collection[str] | None = None
    sessions: Collection[str] | None = None
    agents: Collection[str] | None = None

    def fits(self, record: Record) -> bool:
        return (
            (self.topics is None or record.topic in self.topics)
            and (self.kinds is None or record.kind in self.kinds)
            and (self.rooms is None or record.room in self.rooms)
            and (self.streams is None or record.stream in self.streams)
            and (self.sessions is None or record.session in self.sessions)
            and (self.agents is None or record.agent in self.agents)
        )


EVERYTHING = Wanted()


class Stretch(NamedTuple):
    """Records of a workspace that a follower has not seen: those behind number `after`, up to number `until`."""

    workspace: str
    after: int
    until: int


class Page(NamedTuple):
    """The next records that a follower wants, in order, and whether there are more to be had at once."""

    records: list[Record]
    more: bool


class Follower:
    """A place in the ledger. Whoever has one takes from it in one thread at a time."""

    def __init__(
        self,
        feed: Feed,
        wake: Callable[[], object],
        workspaces: Collection[str] | None,
        wanted: Wanted,
        seen: dict[str, int],
        waits: Callable[[], bool],
        is_prompt: bool,
    ) -> None:
        self._feed = feed
        self._workspaces = workspaces
        self._wanted = wanted
        self._seen = seen
        self.wake = wake
        self.waits = waits
        self.is_prompt = is_prompt

    def seen(self, workspace: str) -> int:
        """The number of the last record seen there: what to go on from another time."""
        return self._seen.get(workspace, 0)

    def unseen(self) -> list[Stretch]:
        """What is known to be there and was not seen yet."""
        return [
            Stretch(workspace, self.seen(workspace), newest)
            for workspace, newest in self._feed.heads().items()
            if self.follows(workspace) and newest > self.seen(workspace)
        ]

    def follows(self, workspace: str) -> bool:
        return self._workspaces is None or workspace in self._workspaces

    def take(self, limit: int = PAGE) -> Future[Page]:
        """Read on: up to `limit` records that are wanted. An empty page without more means that all is seen."""
        return self._feed.read(lambda sql: self._page(sql, limit))

    def pass_over(self, stretch: Stretch) -> None:
        """Count these as seen."""
        self._seen[stretch.workspace] = max(self.seen(stretch.workspace), stretch.until)

    def close(self) -> None:
        self._feed.leave(self)

    def _page(self, sql: Sql, limit: int) -> Page:
        found: list[Record] = []
        for workspace, after, until in self.unseen():
            while after < until:
                records = self._feed.page(sql, Stretch(workspace, after, until))
                for record in records:
                    if len(found) == limit:
                        return Page(found, more=True)
                    if self._wanted.fits(record):
                        found.append(record)
                    after = self._seen[workspace] = record.seq
                if not records:
                    break
        return Page(found, more=False)


class Feed:
    """Watches the store while anybody follows it, and wakes those for whom there is something."""

    def __init__(self, engine: Engine, views: Views) -> None:
        self._engine = engine
        self._views = views
        self._followers: dict[int, Follower] = {}
        self._heads: dict[str, int] = {}
        self._pages: OrderedDict[tuple[str, int], list[Record]] = OrderedDict()
        self._lock = threading.Lock()
        self._stirred = threading.Event()
        self._hurried = threading.Event()
        self._closing = threading.Event()
        self._sees = True
        self._thread: threading.Thread | None = None
        self._unwatch: Callable[[], None] | None = None

    def follow(
        self,
        wake: Callable[[], object],
        *,
        workspaces: Collection[str] | None = None,
        since: Mapping[str, int] | None = None,
        wanted: Wanted = EVERYTHING,
        waits: Callable[[], bool] = lambda: True,
        prompt: bool = False,
    ) -> Follower:
        """Follow these workspaces, or all: from now, or behind the records of the numbers given (0 where none is).

        `wake` is called in a thread of the feed when there is something to take; it must not take long. `waits` says
        whether anybody waits for that; while nobody does, it may be a while. Somebody who is `prompt` and waits looks
        at a screen: what is new is told within tens of milliseconds.
        """
        self._start()
        seen = dict(since) if since is not None else self._engine.read(_heads).result()
        follower = Follower(self, wake, workspaces, wanted, seen, waits, prompt)
        with self._lock:
            self._followers[id(follower)] = follower
        self._stirred.set()  # what is there already, and what came meanwhile
        if waits():
            self.hurry()
        return follower

    def hurry(self) -> None:
        """Somebody waits now for what is new."""
        self._hurried.set()

    def leave(self, follower: Follower) -> None:
        with self._lock:
            self._followers.pop(id(follower), None)

    def heads(self) -> Mapping[str, int]:
        """The number of the newest record of every workspace, as far as is known."""
        return self._heads

    def read(self, work: Callable[[Sql], Page]) -> Future[Page]:
        return self._engine.read(work)

    def page(self, sql: Sql, stretch: Stretch) -> list[Record]:
        """The first records of a stretch; several who stand at the same place read them once.

        Never more than the stretch: what stands behind the head of a workspace may still be on its way in.
        """
        place = (stretch.workspace, stretch.after)
        with self._lock:
            known = self._pages.get(place)
            if known is not None and len(known) == PAGE:
                self._pages.move_to_end(place)
                return known
        ledger = Ledger(sql, stretch.workspace, self._views, as_of=stretch.until)
        records = list(ledger.tail(stretch.after, limit=PAGE))
        with self._lock:
            self._pages[place] = records
            while len(self._pages) > MOST_PAGES:
                self._pages.popitem(last=False)
        return records

    def close(self) -> None:
        self._closing.set()
        self._stirred.set()
        self.hurry()
        if self._unwatch is not None:
            self._unwatch()
        if self._thread is not None:
            self._thread.join(RETRY_SECONDS)

    def _start(self) -> None:
        with self._lock:
            if self._thread is None:
                self._unwatch = self._engine.watch(self._stir, closely=self._is_anybody_looking_on)
                self._thread = threading.Thread(target=self._run, name="thoughtbox-feed", daemon=True)
                self._thread.start()

    def _stir(self) -> None:
        """Called behind every commit, by whoever has made it."""
        if not self._stirred.is_set():
            self._stirred.set()

    def _run(self) -> None:
        while not self._closing.is_set():
            self._stirred.wait()
            if not self._is_anybody_waiting():
                self._hurried.wait(NO_HURRY_SECONDS)
            if self._closing.wait(PROMPT_SECONDS if self._is_anybody_looking_on() else SETTLE_SECONDS):
                return
            self._hurried.clear()
            self._stirred.clear()
            if self._looked():
                self._wake_followers()
            else:
                self._closing.wait(RETRY_SECONDS)
                self._stirred.set()

    def _is_anybody_looking_on(self) -> bool:
        with self._lock:
            prompt = [follower for follower in self._followers.values() if follower.is_prompt]
        return any(follower.waits() for follower in prompt)

    def _is_anybody_waiting(self) -> bool:
        with self._lock:
            followers = list(self._followers.values())
        return any(follower.waits() for follower in followers)

    def _looked(self) -> bool:
        """Learn how far every workspace has come; false when the store could not be read, which is said once."""
        try:
            self._know(self._engine.read(_heads, here=True).result())
        except ThoughtboxError as error:
            if self._sees and not self._closing.is_set():
                logger.warning("what others write is not heard of for now: %s", error)
            self._sees = False
            return False
        self._sees = True
        return True

    def _know(self, heads: Mapping[str, int]) -> None:
        """Heads only move on: of two looks at the same time the later one counts."""
        with self._lock:
            known = self._heads
            self._heads = {**known, **{name: max(seq, known.get(name, 0)) for name, seq in heads.items()}}

    def _wake_followers(self) -> None:
        with self._lock:
            followers = list(self._followers.values())
        for follower in followers:
            if follower.unseen():
                try:
                    follower.wake()
                except Exception:
                    logger.exception("a follower of the feed could not be woken")


def _heads(sql: Sql) -> dict[str, int]:
    return dict(sql.rows("SELECT workspace, last_seq FROM workspaces"))
