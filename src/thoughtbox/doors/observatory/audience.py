"""All who watch: what each has asked for, how far each has come, and how they are told of what is new.

The ledger is the queue. A subscription is a place in it: the number of the last record that its watcher was told of.
What is new is read once for all of them, and made into frames once. Who is behind, because it asked for what was
before or because it takes its time, reads on by itself from its own place, and joins the others when it has come as
far. Nothing is kept for anybody, nothing is told twice, and nothing is left out without a word.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from concurrent.futures import Future
from functools import partial
from typing import Any

from thoughtbox.app import Thoughtbox
from thoughtbox.domains.thoughts.watched.reading import session_in_sight, session_page
from thoughtbox.doors.http.principal import reached
from thoughtbox.doors.observatory import frames, listing, subscriptions
from thoughtbox.doors.observatory.batches import Batch, batch, error_frame, event
from thoughtbox.doors.observatory.subscriptions import Asked, Channel, Topic
from thoughtbox.doors.observatory.watcher import Farewell, Watcher
from thoughtbox.ledger.feed import Stretch
from thoughtbox.operations.caller import Caller
from thoughtbox.operations.dispatch import fault

logger = logging.getLogger(__name__)

MOST_SUBSCRIPTIONS = 32
"""Of one watcher."""

MOST_BEHIND = 2_000
"""Records that a watcher who takes its time is still told one by one; of more it is told from where to where."""

LISTED = 200
"""Sessions in the first list."""

PAUSE_PER_WATCHER = 0.001
"""Seconds between two tellings: the more there are to be told, the more is told at once. Those who write go first."""

RETRY_SECONDS = 1.0

TOO_MANY = Farewell(frames.NOT_WELCOME, "too many are watching")


class Subscription:
    """What one watcher wants, and how far it was told."""

    __slots__ = ("at", "has_been_live", "is_reading", "topic", "watcher", "workspace")

    def __init__(self, watcher: Watcher, topic: Topic, workspace: str, at: int) -> None:
        self.watcher = watcher
        self.topic = topic
        self.workspace = workspace
        self.at = at
        self.is_reading = False
        """Whether it is behind, and reads on by itself."""
        self.has_been_live = False

    def take(self, found: Batch) -> None:
        """Tell what is new to it of a batch that begins where it stands, or before."""
        data = found.frames_for(self.topic, self.at)
        self.at = max(self.at, found.until)
        if data:
            self.watcher.send(data)


class Hall:
    """Everybody who watches through this process. On one event loop."""

    def __init__(self, box: Thoughtbox, caller: Caller) -> None:
        self._box = box
        self._caller = caller
        self._loop = asyncio.get_running_loop()
        self._most = box.settings.observatory_max_connections
        self._watchers: dict[Watcher, dict[Topic, Subscription]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_busy = False
        self._emptied: asyncio.Event | None = None
        self._farewell: Farewell | None = None
        """What everybody is sent away with, once it is closed."""
        self._told_at = 0.0
        self._waiting: asyncio.TimerHandle | None = None
        self._follower = box.feed.follow(self._stirred, waits=lambda: bool(self._watchers), prompt=True)

    def __len__(self) -> int:
        return len(self._watchers)

    @property
    def watchers(self) -> list[Watcher]:
        return list(self._watchers)

    def close(self, farewell: Farewell) -> None:
        """Send everybody away, and whoever still comes."""
        self._farewell = farewell
        self._follower.close()
        for watcher in self.watchers:
            watcher.end(*farewell)
        for task in self._tasks:
            task.cancel()

    async def emptied(self) -> None:
        """Until all have gone, and nothing is read for them any more."""
        while self._watchers or self._is_busy:
            self._emptied = asyncio.Event()
            await self._emptied.wait()

    def admit(self, watcher: Watcher) -> Farewell | None:
        if len(self._watchers) >= self._most:
            return TOO_MANY
        self._watchers[watcher] = {}
        self._box.feed.hurry()
        return self._farewell

    def leave(self, watcher: Watcher) -> None:
        self._watchers.pop(watcher, None)
        if self._emptied is not None:
            self._emptied.set()

    def tick(self) -> None:
        for watcher in self.watchers:
            watcher.tick()

    def hear(self, watcher: Watcher, message: bytes) -> None:
        self._begin(self._heard(watcher, message))

    async def _heard(self, watcher: Watcher, message: bytes) -> None:
        channel: str | None = None
        try:
            asked = subscriptions.read(message)
            channel = asked.topic.channel
            if asked.action == "subscribe":
                await self._subscribe(watcher, asked)
            else:
                self._unsubscribe(watcher, asked)
        except Exception as error:
            watcher.send(error_frame(channel, fault(error)))
        finally:
            watcher.done()

    def _unsubscribe(self, watcher: Watcher, asked: Asked) -> None:
        own = self._watchers.get(watcher, {})
        for topic in list(own):
            if topic == asked.topic if asked.is_narrow else topic.channel == asked.topic.channel:
                del own[topic]

    async def _subscribe(self, watcher: Watcher, asked: Asked) -> None:
        topic = asked.topic
        workspace = reached(watcher.principal, topic.workspace, self._box.settings.project)
        self._box.dispatcher.must_be_open(workspace)
        own = self._watchers.get(watcher)
        if own is None:
            return
        if topic not in own and len(own) >= MOST_SUBSCRIPTIONS:
            raise subscriptions.too_many(MOST_SUBSCRIPTIONS)
        own.pop(topic, None)
        at = await self._begun(watcher, topic, workspace, asked.since)
        if watcher in self._watchers:
            made = self._watchers[watcher][topic] = Subscription(watcher, topic, workspace, at)
            self._join(made)

    async def _begun(self, watcher: Watcher, topic: Topic, workspace: str, since: int | None) -> int:
        """Send what a subscription begins with; the record that it has come to."""
        ask = partial(self._box.dispatcher.ask, workspace, self._caller)
        session_id = topic.session_id
        if topic.channel == "reasoning" and session_id is not None:
            if since is not None:
                await _done(ask(lambda tx: session_in_sight(tx, session_id).id))
                return since
            page = await _done(ask(lambda tx: session_page(tx, session_id), long=True))
            watcher.send(event(topic.channel, "session:snapshot", page.seq, page.answer()))
            return page.seq
        if since is not None:
            return since
        if topic.channel == "sessions":
            given = {"status": None, "search": None, "q": None, "limit": LISTED, "cursor": None, "asOf": None}
            listed = await _done(listing.listed(self._box, self._caller, workspace, given))
            watcher.send(event(topic.channel, "sessions:list", listed["seq"], dict(listed)))
            return listed["seq"]
        return await _done(ask(lambda tx: tx.ledger.last_seq()))

    def go_on(self, watcher: Watcher) -> None:
        for subscription in self._watchers.get(watcher, {}).values():
            self._join(subscription)

    def _reached(self, workspace: str) -> int:
        """How far everybody was told who is not behind."""
        return self._follower.seen(workspace)

    def _join(self, subscription: Subscription) -> None:
        """Have it read on, if it is behind; from then on it is told with the others."""
        if subscription.is_reading or subscription.at >= self._reached(subscription.workspace):
            subscription.has_been_live |= not subscription.is_reading
            return
        subscription.is_reading = True
        self._begin(self._catch_up(subscription))

    async def _catch_up(self, one: Subscription) -> None:
        try:
            while self._is_wanted(one) and not one.watcher.is_stopped:
                reached_by_all = self._reached(one.workspace)
                if one.at >= reached_by_all:
                    one.has_been_live = True
                    return
                if one.has_been_live and reached_by_all - one.at > MOST_BEHIND:
                    self._skip(one, reached_by_all)
                    continue
                found = await _done(self._read(one.workspace, one.at, frozenset({one.topic.channel})))
                if found.until <= one.at:
                    return
                if self._is_wanted(one):
                    one.take(found)
        except Exception as error:
            one.watcher.send(error_frame(one.topic.channel, fault(error)))
            self._loop.call_later(RETRY_SECONDS, self._join, one)
        finally:
            one.is_reading = False

    def _skip(self, one: Subscription, until: int) -> None:
        """Say from where to where records are not told one by one: they can be read over HTTP."""
        data = {"from": one.at + 1, "to": until, "seq": until}
        one.watcher.send(event(one.topic.channel, "records:coalesced", until, data))
        one.at = until

    def _is_wanted(self, one: Subscription) -> bool:
        return self._watchers.get(one.watcher, {}).get(one.topic) is one

    def _read(self, workspace: str, after: int, channels: frozenset[Channel]) -> Future[Batch]:
        return self._box.dispatcher.ask(workspace, self._caller, lambda tx: batch(tx, after, channels))

    def _stirred(self) -> None:
        """From the feed's thread: there is something new."""
        if self._farewell is None:
            self._loop.call_soon_threadsafe(self._look_soon)

    def _look_soon(self) -> None:
        """Look now, or when the last telling is long enough ago."""
        if self._waiting is None:
            due = self._told_at + PAUSE_PER_WATCHER * len(self._watchers)
            self._waiting = self._loop.call_at(due, self._look)

    def _look(self) -> None:
        """Read on where somebody listens; pass over the rest."""
        self._waiting = None
        if self._is_busy or self._farewell is not None:
            return
        heard = {one.workspace for one in self._all()}
        unseen = self._follower.unseen()
        for stretch in unseen:
            if stretch.workspace not in heard:
                self._follower.pass_over(stretch)
        stretch = next((each for each in unseen if each.workspace in heard), None)
        if stretch is None:
            return
        self._is_busy = True
        channels = frozenset(one.topic.channel for one in self._all() if one.workspace == stretch.workspace)
        reading = self._read(stretch.workspace, stretch.after, channels)
        reading.add_done_callback(lambda done: self._loop.call_soon_threadsafe(self._found, done))

    def _found(self, done: Future[Batch]) -> None:
        self._is_busy = False
        if self._emptied is not None:
            self._emptied.set()
        try:
            found = done.result()
        except Exception as error:
            if self._farewell is None:
                logger.warning("what is new cannot be read for now: %s", error)
                self._loop.call_later(RETRY_SECONDS, self._look)
            return
        if found.until == found.after:  # it is still on its way in: the feed tells when it is there
            return
        self._follower.pass_over(Stretch(found.workspace, found.after, found.until))
        self._tell(found)
        self._told_at = self._loop.time()
        if found.has_more:
            self._look()
        else:
            self._look_soon()

    def _tell(self, found: Batch) -> None:
        """Hand a batch to all who stand where it begins. Many want the same: it is put together once for them."""
        together: dict[tuple[Topic, int], bytes] = {}
        for one in self._all():
            if one.workspace != found.workspace or not found.after <= one.at < found.until:
                continue
            if one.watcher.is_stopped or one.is_reading:
                continue  # it reads on from its own place
            if one.topic.channel not in found.channels:  # it has come while this was read
                self._join(one)
                continue
            key = (one.topic, one.at)
            data = together.get(key)
            if data is None:
                data = together[key] = found.frames_for(one.topic, one.at)
            one.at = found.until
            one.has_been_live = True
            if data:
                one.watcher.send(data)

    def _all(self) -> Iterable[Subscription]:
        return [one for own in self._watchers.values() for one in own.values()]

    def _begin(self, work: Any) -> None:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def _done(future: Future[Any]) -> Any:
    return await asyncio.wrap_future(future)
