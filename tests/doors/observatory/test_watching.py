"""Watching over WebSocket: what is told first and of each record, and that nothing is missed or told twice."""

from __future__ import annotations

import json
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.doors.observatory.document import check
from tests.support.box import WORKSPACE, Box
from tests.support.boxes import OpenBox
from tests.support.forks import PATIENCE
from tests.support.servers import soon
from tests.support.thinker import Client
from tests.support.watching import HANDSHAKE, Event, Observe, Observed, Story, Watcher, said, taken
from thoughtbox.domains.thoughts.watched import reading
from thoughtbox.doors.observatory import audience, batches
from thoughtbox.doors.observatory.subscriptions import Channel
from thoughtbox.ledger.feed import Wanted
from thoughtbox.ledger.record import Record
from thoughtbox.operations.caller import ANONYMOUS
from thoughtbox.operations.tx import Tx

OTHER = "elsewhere"


def note(box: Box, text: str, session: str = "s", **options: Any) -> None:
    box.thought_record(sessionId=session, thoughtType="note", content=text, **options)


def seqs(events: list[Event]) -> list[int]:
    return [event["seq"] for event in events]


def texts(events: list[Event]) -> list[str]:
    return [event["data"]["record"]["body"]["text"] for event in events]


def newest(shown: Observed, workspace: str = WORKSPACE) -> int:
    return shown.ask("/api/records", workspace=workspace, limit=1, order="desc")["seq"]


class Mark:
    """Records that somebody waits for who came last: what was written before them, all others were told by then."""

    def __init__(self, shown: Observed) -> None:
        self._box = shown.box
        self._watcher = shown.watch()
        self._watcher.subscribe("records", sessionId="mark")
        self._watcher.rest()

    def told_to(self, watcher: Watcher) -> list[Event]:
        """What a watcher who is not behind was told by now."""
        note(self._box, "mark", session="mark")
        self._watcher.next()
        return watcher.rest()

    def is_one(self, event: Event) -> bool:
        return event["event"] == "record:added" and event["data"]["record"]["session"] == "mark"


# What a subscription begins with


@pytest.mark.parametrize("path", ["/", "/ws"])
def test_a_session_is_told_whole_first_and_then_what_is_added(shown: Observed, path: str):
    story = Story(shown.box)
    watcher = shown.watch(path)

    watcher.subscribe("reasoning", sessionId=story.id)
    snapshot = check(watcher.next())
    story.mia.think("So we ask once.")

    assert (snapshot["channel"], snapshot["event"], snapshot["seq"]) == ("reasoning", "session:snapshot", story.last)
    assert [thought["id"] for thought in snapshot["data"]["thoughts"]] == [story.node(str(n)) for n in range(1, 5)]
    assert check(watcher.next())["data"]["nodeId"] == story.node("5")


def test_a_snapshot_has_the_session_with_its_branches_and_their_thoughts(shown: Observed):
    story = Story(shown.box)
    watcher = shown.watch()

    watcher.subscribe("reasoning", sessionId=story.id)

    data = check(watcher.next())["data"]
    session = data["session"]
    assert (session["id"], session["title"], session["tags"]) == (story.id, "Slow pages", ["web"])
    assert (session["status"], session["completedAt"]) == ("active", None)
    assert (session["thoughtCount"], session["branchCount"]) == (8, 2)
    alt, deep = data["branches"]["alt"], data["branches"]["deep"]
    assert (alt["id"], alt["fromThoughtNumber"]) == ("alt", 2)
    assert [thought["id"] for thought in alt["thoughts"]] == [story.node(f"alt:{n}") for n in (3, 4, 5)]
    assert (deep["fromThoughtNumber"], deep["fromBranch"]) == (3, "alt")
    assert [thought["parentId"] for thought in deep["thoughts"]] == [story.node("alt:3")]
    assert (data["truncated"], data["nextCursor"]) == (False, None)
    assert data == shown.ask(f"/api/sessions/{story.id}"), "it is the same over HTTP"


def test_sessions_are_listed_first_the_one_updated_last_before_the_others(shown: Observed):
    older, newer = Client(shown.box).ready(sessionTitle="Older"), Client(shown.box).ready(sessionTitle="Newer")
    older.think("still alive")
    watcher = shown.watch()

    watcher.subscribe("sessions")

    listed = check(watcher.next())
    assert (listed["channel"], listed["event"]) == ("sessions", "sessions:list")
    assert [session["id"] for session in listed["data"]["sessions"]] == [older.session_id, newer.session_id]
    assert listed["seq"] == newest(shown)


def test_records_begin_now(shown: Observed):
    note(shown.box, "before")
    watcher = shown.watch()
    watcher.subscribe("records")
    assert watcher.rest() == []

    note(shown.box, "after")

    assert texts([check(watcher.next())]) == ["after"]


def test_a_session_that_there_is_not_is_an_error_and_the_connection_lives(shown: Observed):
    watcher = shown.watch()

    for about in ({"sessionId": "nobody"}, {"sessionId": "nobody", "since": 0}):
        watcher.subscribe("reasoning", **about)
        error = check(watcher.next())
        assert (error["event"], error["data"]["code"]) == ("error", "SESSION_NOT_FOUND")
        assert error["data"]["message"]

    watcher.send("ping")
    assert watcher.text() == "pong"


# What is told of thoughts and of sessions


def test_every_thought_is_told_once_as_what_it_is(shown: Observed):
    first = Client(shown.box).ready()
    watcher = shown.watch()
    watcher.subscribe("reasoning")
    watcher.rest()

    story = Story(shown.box)

    told = {event["seq"]: check(event) for event in watcher.until_seq(story.last)}
    assert {seq: event["event"].partition(":")[2] for seq, event in told.items()} == {
        story.one: "added",
        story.two: "added",
        story.three: "added",
        story.alt: "branched",
        story.alt_on: "added",
        story.deep: "branched",
        story.revised: "revised",
        story.alt_revised: "revised",
    }
    assert {event["data"]["sessionId"] for event in told.values()} == {story.id}
    assert first.session_id != story.id


def test_thoughts_name_their_nodes_their_parents_and_what_they_revise_or_fork_from(shown: Observed):
    story = Story(shown.box)
    watcher = shown.watch()
    watcher.subscribe("reasoning", sessionId=story.id, since=0)

    told = {event["seq"]: event["data"] for event in watcher.until_seq(story.last)}

    node = story.node
    parents = {story.one: None, story.two: node("1"), story.three: node("2"), story.alt: node("2")}
    parents |= {story.alt_on: node("alt:3"), story.deep: node("alt:3"), story.revised: node("3")}
    parents |= {story.alt_revised: node("alt:4")}
    assert {seq: data["parentId"] for seq, data in told.items()} == parents
    assert {seq: data["nodeId"] for seq, data in told.items()} == {
        seq: data["thought"]["id"] for seq, data in told.items()
    }
    assert told[story.one]["nodeId"] == node("1")
    assert told[story.alt_on]["nodeId"] == node("alt:4")
    for seq, branch, origin, new, number in (
        (story.alt, "alt", node("2"), node("alt:3"), 2),
        (story.deep, "deep", node("alt:3"), node("deep:4"), 3),
    ):
        data = told[seq]
        found = (data["branchId"], data["originNodeId"], data["newNodeId"], data["fromThoughtNumber"])
        assert found == (branch, origin, new, number)
    for seq, revised, new, number in (
        (story.revised, node("2"), node("4"), 2),
        (story.alt_revised, node("alt:3"), node("alt:5"), 3),
    ):
        data = told[seq]
        assert (data["revisedNodeId"], data["newNodeId"], data["originalThoughtNumber"]) == (revised, new, number)


def test_a_thought_that_is_told_is_the_one_that_is_read(shown: Observed):
    story = Story(shown.box)
    watcher = shown.watch()
    watcher.subscribe("reasoning", sessionId=story.id, since=0)

    told = [event["data"]["thought"] for event in watcher.until_seq(story.last)]

    read = shown.ask(f"/api/sessions/{story.id}")
    shown_there = [*read["thoughts"], *(thought for one in read["branches"].values() for thought in one["thoughts"])]
    assert told == sorted(shown_there, key=lambda thought: thought["seq"])


def test_a_session_is_told_from_its_start_over_every_change_to_its_end(shown: Observed):
    watcher = shown.watch()
    watcher.subscribe("sessions")
    watcher.next()

    def told() -> list[Event]:
        return [check(event) for event in watcher.until_seq(newest(shown))]

    mia = Client(shown.box).ready(sessionTitle="Slow pages", sessionTags=["web"])
    started = told()[0]
    mia.think("The list is slow.")
    thought = told()[-1]
    mia.session_rename(title="Fast pages")
    renamed = told()[-1]
    mia.session_tag(add=["done"])
    tagged = told()[-1]
    mia.session_complete()
    ending = [*told(), check(watcher.next())]

    assert (started["event"], started["data"]["sessionId"]) == ("session:started", mia.session_id)
    assert (started["data"]["title"], started["data"]["session"]["tags"]) == ("Slow pages", ["web"])
    assert (thought["event"], thought["data"]["session"]["thoughtCount"]) == ("session:updated", 1)
    assert (renamed["event"], renamed["data"]["session"]["title"]) == ("session:updated", "Fast pages")
    assert (tagged["event"], tagged["data"]["session"]["tags"]) == ("session:updated", ["web", "done"])
    assert [event["event"] for event in ending] == ["session:updated", "session:ended"]
    session = ending[0]["data"]["session"]
    assert session["status"] == "completed"
    assert session["completedAt"] >= session["createdAt"]
    assert (ending[1]["data"]["sessionId"], ending[1]["data"]["finalThoughtCount"]) == (mia.session_id, 1)


def test_a_thought_that_needs_no_other_ends_its_session(shown: Observed):
    mia = Client(shown.box).ready()
    watcher = shown.watch()
    watcher.subscribe("sessions", sessionId=mia.session_id)
    watcher.next()

    mia.think("That is all.", nextThoughtNeeded=False)

    ended = watcher.until(lambda event: event["event"] == "session:ended")[-1]
    assert check(ended)["data"]["finalThoughtCount"] == 1


# Records, by what they are


@pytest.mark.parametrize(
    ("about", "wanted"),
    [
        ({}, Wanted()),
        ({"room": "thoughts"}, Wanted(rooms=["thoughts"])),
        ({"room": "trail"}, Wanted(rooms=["trail"])),
        ({"kind": "plan"}, Wanted(kinds=["plan"])),
        ({"stream": "trail/s"}, Wanted(streams=["trail/s"])),
        ({"sessionId": "s"}, Wanted(sessions=["s"])),
        ({"agent": "mia"}, Wanted(agents=["mia"])),
        ({"agent": "tester", "kind": "plan"}, Wanted(agents=["tester"], kinds=["plan"])),
        ({"agent": "nobody"}, Wanted(agents=["nobody"])),
    ],
    ids=str,
)
def test_records_are_told_by_what_they_are_before_and_from_now_on(
    shown: Observed, about: dict[str, str], wanted: Wanted
):
    def write() -> None:
        Client(shown.box).ready().think("in the thoughts")
        note(shown.box, "a note")
        shown.box.thought_plan(sessionId="s", planDescription="a plan")
        shown.box.thought_plan(sessionId="t", planDescription="another plan")

    def fitting(after: int) -> list[Record]:
        found = shown.box.app.dispatcher.ask(WORKSPACE, ANONYMOUS, lambda tx: list(tx.ledger.tail(after)))
        return [record for record in found.result() if wanted.fits(record)]

    write()
    watcher = shown.watch()
    watcher.subscribe("records", since=0, **about)
    before = fitting(0)
    told = watcher.some(len(before))
    mark = Mark(shown)
    end = newest(shown)
    write()
    told += mark.told_to(watcher)

    expected = [*before, *fitting(end)]
    assert seqs([check(event) for event in told]) == [record.seq for record in expected]
    assert [event["data"]["hash"] for event in told] == [record.hash.hex() for record in expected]
    assert [event["data"]["record"] for event in told] == [dict(record.envelope) for record in expected]
    rooms = [(event["data"]["room"], event["data"]["stream"]) for event in told]
    assert rooms == [(record.room, record.stream) for record in expected]


# Going on from a record


@pytest.mark.parametrize("since", [0, 1, 7, 19, 20])
def test_whoever_names_a_record_goes_on_behind_it(shown: Observed, since: int):
    for number in range(1, 21):
        note(shown.box, str(number))
    watcher = shown.watch()

    watcher.subscribe("records", since=since)
    note(shown.box, "21")

    assert seqs(watcher.until_seq(21)) == list(range(since + 1, 22))


def test_whoever_names_a_record_that_is_still_to_come_is_told_of_what_stands_behind_it(shown: Observed):
    note(shown.box, "1")
    watcher = shown.watch()
    watcher.subscribe("records", since=3)
    watcher.rest()

    for number in range(2, 6):
        note(shown.box, str(number))

    assert seqs(watcher.until_seq(5)) == [4, 5]


@pytest.mark.parametrize("channel", ["reasoning", "sessions"])
def test_whoever_goes_on_is_not_told_again_what_was_before(shown: Observed, channel: str):
    story = Story(shown.box)
    watcher = shown.watch()

    watcher.subscribe(channel, sessionId=story.id, since=story.deep)

    told = [check(event) for event in watcher.until_seq(story.last)]
    if channel == "reasoning":
        assert seqs(told) == [story.revised, story.alt_revised]
    else:
        assert [event["event"] for event in told] == ["session:updated"], "what it has come to is told once"
        assert told[0]["data"]["session"]["thoughtCount"] == 8


def test_nothing_is_missed_and_nothing_is_told_twice_while_many_write_and_others_catch_up(shown: Observed):
    """Several come in the middle of it, from the beginning, from the middle, and from now."""
    each, writers = 250, 4

    def write(name: str) -> None:
        for number in range(each):
            note(shown.box, f"{name} {number}", session=name)

    def watched(since: int | None) -> list[int]:
        watcher = shown.watch()
        watcher.subscribe("records", **({} if since is None else {"since": since}))
        return seqs([check(event) for event in watcher.until_seq(each * writers)])

    write("before")
    with ThreadPoolExecutor(writers + 6) as pool:
        writing = [pool.submit(write, name) for name in ("one", "two", "three")]
        watching = [pool.submit(watched, since) for since in (0, 0, 100, 250, 400, None)]
        for done in writing:
            done.result()
        found = [done.result() for done in watching]

    for since, told in zip((0, 0, 100, 250, 400), found[:-1], strict=True):
        assert told == list(range(since + 1, each * writers + 1))
    assert found[-1] == list(range(found[-1][0], each * writers + 1))


def test_who_comes_while_others_are_told_of_something_else_misses_nothing(
    shown: Observed, monkeypatch: pytest.MonkeyPatch
):
    """What is read for those who watch records is not all that one who comes meanwhile wants to know."""
    is_read, may_go_on, real = threading.Event(), threading.Event(), batches.batch

    def slow(tx: Tx, after: int, channels: frozenset[Channel]) -> batches.Batch:
        found = real(tx, after, channels)
        if channels == {"records"}:
            is_read.set()
            may_go_on.wait(PATIENCE)
        return found

    first, watcher = shown.watch(), shown.watch()
    first.subscribe("records")
    first.rest()
    since = newest(shown)
    monkeypatch.setattr(audience, "batch", slow)
    Client(shown.box, agent="mia").ready(sessionTitle="Meanwhile")
    is_read.wait(PATIENCE)

    watcher.subscribe("sessions", since=since)
    watcher.rest()
    may_go_on.set()

    started = watcher.until(lambda event: event["event"] == "session:started")[-1]
    assert started["data"]["session"]["title"] == "Meanwhile"


def test_what_another_process_writes_is_told_too(open_box: OpenBox, observe: Observe):
    shown, other = observe(open_box("store")), open_box("store")
    watcher = shown.watch()
    watcher.subscribe("records")
    watcher.rest()

    note(other, "from over there")

    assert texts([watcher.next()]) == ["from over there"]


# Many subscriptions, several workspaces, and their end


def test_one_connection_has_many_subscriptions_and_each_ends_by_itself(shown: Observed):
    story = Story(shown.box)
    watcher = shown.watch()
    watcher.subscribe("reasoning", sessionId=story.id)
    watcher.subscribe("sessions")
    watcher.subscribe("records", room="trail")
    watcher.subscribe("records", kind="plan")
    assert [event["event"] for event in watcher.some(2)] == ["session:snapshot", "sessions:list"]
    watcher.rest()

    mark = Mark(shown)

    def told() -> list[str]:
        story.mia.think("on")
        shown.box.thought_plan(sessionId="s", planDescription="p")
        return sorted(event["event"] for event in mark.told_to(watcher) if not mark.is_one(event))

    assert told() == ["record:added", "record:added", "session:updated", "thought:added"]

    watcher.unsubscribe("records", kind="plan")
    assert told() == ["record:added", "session:updated", "thought:added"]
    watcher.unsubscribe("sessions")
    assert told() == ["record:added", "thought:added"]
    watcher.subscribe("records", kind="plan")
    watcher.unsubscribe("records")
    assert told() == ["thought:added"], "the channel alone ends all that is on it"
    watcher.unsubscribe("reasoning", sessionId="another")
    assert told() == ["thought:added"]
    watcher.unsubscribe("reasoning", sessionId=story.id)
    assert told() == []


def test_the_same_subscription_twice_is_one_and_begins_anew(shown: Observed):
    note(shown.box, "first")
    watcher = shown.watch()
    watcher.subscribe("records")
    watcher.subscribe("records", since=0)
    assert texts([watcher.next()]) == ["first"]

    note(shown.box, "second")

    assert texts([watcher.next()]) == ["second"]
    assert watcher.rest() == []


def test_a_workspace_is_watched_by_its_name_and_left_by_it(shown: Observed):
    watcher = shown.watch()
    watcher.subscribe("records")
    watcher.subscribe("records", workspace=OTHER)
    watcher.rest()
    mine, others = Client(shown.box), Client(shown.box, workspace=OTHER)

    def write(client: Client, text: str) -> None:
        client.call("thought_record", sessionId="s", thoughtType="note", content=text)

    write(others, "over there")
    assert texts([watcher.next()]) == ["over there"]
    write(mine, "here")
    assert texts([watcher.next()]) == ["here"]
    watcher.unsubscribe("records", workspace=OTHER)
    write(others, "unheard")
    write(mine, "still here")
    assert texts([watcher.next()]) == ["still here"], "the other one goes on"


def test_sessions_of_a_workspace_are_its_own(shown: Observed):
    Client(shown.box, workspace=OTHER).ready(sessionTitle="Over there")
    watcher = shown.watch()

    for workspace, titles in ((OTHER, ["Over there"]), (WORKSPACE, []), ("empty", [])):
        watcher.subscribe("sessions", workspace=workspace)
        assert [session["title"] for session in check(watcher.next())["data"]["sessions"]] == titles


# What is no message


BAD = {
    "nothing": "",
    "no JSON": "hello",
    "a number": "5",
    "a list": "[]",
    "null": "null",
    "an empty object": {},
    "no action": {"channel": "sessions"},
    "another action": {"action": "publish", "channel": "sessions"},
    "an action that is no text": {"action": ["subscribe"], "channel": "sessions"},
    "no channel": {"action": "subscribe"},
    "another channel": {"action": "subscribe", "channel": "secrets"},
    "a channel that is no text": {"action": "subscribe", "channel": {"a": 1}},
    "a field that there is not": {"action": "subscribe", "channel": "sessions", "since_": 0},
    "a field of the prototype": {"action": "subscribe", "channel": "sessions", "__proto__": {}},
    "since that is a text": {"action": "subscribe", "channel": "records", "since": "0"},
    "since that is true": {"action": "subscribe", "channel": "records", "since": True},
    "since below zero": {"action": "subscribe", "channel": "records", "since": -1},
    "since in parts": {"action": "subscribe", "channel": "records", "since": 0.5},
    "since beyond all numbers": {"action": "subscribe", "channel": "records", "since": 2**64},
    "since beyond what pages can count": {"action": "subscribe", "channel": "records", "since": 2**53 + 1},
    "a kind that there is not": {"action": "subscribe", "channel": "records", "kind": "opinion"},
    "a room that is no text": {"action": "subscribe", "channel": "records", "room": 5},
    "an empty session": {"action": "subscribe", "channel": "reasoning", "sessionId": ""},
    "a session too long": {"action": "subscribe", "channel": "reasoning", "sessionId": "x" * 257},
    "a session with a NUL": {"action": "subscribe", "channel": "reasoning", "sessionId": "a\0b"},
    "a filter where there is none": {"action": "subscribe", "channel": "sessions", "room": "trail"},
    "a workspace with a slash": {"action": "subscribe", "channel": "sessions", "workspace": "../x"},
    "a lone surrogate": '{"action": "subscribe", "channel": "records", "agent": "\\ud800"}',
    "a number without end": '{"action": "subscribe", "channel": "records", "since": 1e999}',
    "depths": "[" * 30_000,
    "bytes": b'{"action": "subscribe", "channel": "sessions"}',
    "a ping in capitals": "PING",
}


def test_a_bad_message_gets_an_error_that_says_what_is_wrong_and_the_connection_lives(shown: Observed):
    watcher = shown.watch()
    for name, message in BAD.items():
        watcher.send(message)
        error = check(watcher.next())
        assert error["event"] == "error", name
        assert error["data"]["code"] == "INVALID_PAYLOAD", name
        assert error["data"]["message"], name
    watcher.subscribe("sessions")
    assert check(watcher.next())["event"] == "sessions:list"


def test_many_messages_at_once_are_answered_in_their_order(in_memory: Observed):
    watcher = in_memory.watch()
    for number in range(300):
        watcher.send({"action": "subscribe", "channel": f"no-{number}"} if number % 2 else {"action": f"{number}"})

    errors = watcher.some(300)

    assert [("action" in error["data"]["message"]) for error in errors] == [number % 2 == 0 for number in range(300)]


def test_ping_is_answered_with_pong_and_a_ping_of_the_protocol_by_the_protocol(in_memory: Observed):
    watcher = in_memory.watch()

    watcher.send("ping")
    answered = watcher.connection.ping(b"are you there")

    assert watcher.text() == "pong"
    assert answered.wait(PATIENCE)


def test_a_connection_has_so_many_subscriptions_and_no_more(in_memory: Observed):
    watcher = in_memory.watch()
    for number in range(audience.MOST_SUBSCRIPTIONS):
        watcher.subscribe("records", agent=f"agent-{number}")
    assert watcher.rest() == []

    watcher.subscribe("records", agent="one more")
    assert check(watcher.next())["data"]["code"] == "INVALID_PAYLOAD"
    watcher.subscribe("records", agent="agent-1")
    watcher.unsubscribe("records", agent="agent-2")
    watcher.subscribe("records", agent="one more")
    assert watcher.rest() == [], "one that there is already is none more"


# How many, and how slow they may be


def test_one_more_than_there_may_be_is_closed_with_1008(open_box: OpenBox, observe: Observe):
    shown = observe(open_box(THOUGHTBOX_OBSERVATORY_MAX_CONNECTIONS="3"))
    watchers = [shown.watch(path) for path in ("/", "/ws", "/ws")]
    for each in watchers:
        each.rest()

    assert shown.watch().closed_with() == 1008
    assert shown.ask("/api/health")["connections"] == 3
    watchers[0].close()
    soon(lambda: shown.watchers() == 2)
    assert shown.watch().rest() == [], "there is room again"


def test_who_stops_reading_is_told_where_records_were_put_together_and_nothing_is_left_out(
    shown: Observed, monkeypatch: pytest.MonkeyPatch
):
    """Until it reads again nothing is kept for it; then it is told the rest, or from where to where to read it."""
    monkeypatch.setattr(audience, "MOST_BEHIND", 50)
    many, count, text = 300, 400, "x" * 20_000
    connection = _stuffed(shown)
    connection.sendall(said({"action": "subscribe", "channel": "records"}) + said("what is answered behind it"))
    taken(connection, b"INVALID_PAYLOAD")
    other = shown.watch()
    other.subscribe("records")
    other.rest()

    for first, last in ((0, many), (many, count)):  # more than the system takes, and what comes behind that
        for _ in range(first, last):
            note(shown.box, text)
        other.until_seq(last)

    told = _told(connection, count)
    assert any(event["event"] == "records:coalesced" for event in told)
    covered: list[int] = []
    for event in map(check, told):
        data = event["data"]
        is_one = event["event"] == "record:added"
        covered += [event["seq"]] if is_one else range(data["from"], data["to"] + 1)
    assert covered == list(range(1, count + 1))


def test_who_comes_from_the_beginning_and_reads_slowly_is_told_every_single_one(
    shown: Observed, monkeypatch: pytest.MonkeyPatch
):
    """It was never as far as the others: it asked for all of them, and gets them as it takes them."""
    monkeypatch.setattr(audience, "MOST_BEHIND", 50)
    count, text = 300, "x" * 20_000
    for _ in range(count):
        note(shown.box, text)
    connection = _stuffed(shown)
    connection.sendall(said({"action": "subscribe", "channel": "records", "since": 0}))

    other = shown.watch()
    other.subscribe("records", since=count - 1)
    other.next()

    assert seqs(_told(connection, count)) == list(range(1, count + 1))


def _stuffed(shown: Observed) -> socket.socket:
    """A watcher that the system takes little for."""
    connection = shown.connect(HANDSHAKE, takes=4096)
    taken(connection, b"\r\n\r\n")
    return connection


def _told(connection: socket.socket, until: int) -> list[Event]:
    """Events on a plain connection, up to the one of this number."""
    found: list[Event] = []
    with connection.makefile("rb") as file:
        while not found or found[-1]["seq"] < until:
            first, length = file.read(2)
            assert first == 0x81, "text, whole"
            if length >= 126:
                length = int.from_bytes(file.read(2 if length == 126 else 8), "big")
            found.append(json.loads(file.read(length)))
    return found


# Long sessions


def test_a_long_session_comes_in_pages_that_are_all_of_it_once(shown: Observed, monkeypatch: pytest.MonkeyPatch):
    """With 2,000 thoughts on a page; here as many thoughts as are on three small ones."""
    assert reading.MOST_THOUGHTS == 2_000
    story = Story(shown.box)
    for number in range(5, 8):
        story.mia.think(f"and {number}")
    end = newest(shown)

    found: list[str] = []
    for page in shown.pages(f"/api/sessions/{story.id}", limit=4):
        story.mia.think("meanwhile")
        assert page["seq"] == end, "all pages are of one moment"
        thoughts = [*page["thoughts"], *(each for one in page["branches"].values() for each in one["thoughts"])]
        assert page["truncated"] == (page["nextCursor"] is not None)
        assert len(thoughts) == 4 or not page["truncated"]
        found += [thought["recordId"] for thought in sorted(thoughts, key=lambda thought: thought["seq"])]

    whole = shown.ask(f"/api/sessions/{story.id}", asOf=end)
    thoughts = [*whole["thoughts"], *(each for one in whole["branches"].values() for each in one["thoughts"])]
    assert len(found) == len(set(found)) == 11
    assert set(found) == {thought["recordId"] for thought in thoughts}


def test_the_snapshot_of_a_long_session_is_cut_at_2000_thoughts_and_says_where_to_go_on(in_memory: Observed):
    mia = Client(in_memory.box).ready()
    for number in range(2_003):
        mia.think(f"Thought {number}.")
    watcher = in_memory.watch()

    watcher.subscribe("reasoning", sessionId=mia.session_id)

    data = check(watcher.next())["data"]
    assert (len(data["thoughts"]), data["truncated"]) == (2_000, True)
    assert data["session"]["thoughtCount"] == 2_003
    rest = in_memory.ask(f"/api/sessions/{mia.session_id}", cursor=data["nextCursor"])
    numbers = [thought["thoughtNumber"] for thought in (*data["thoughts"], *rest["thoughts"])]
    assert numbers == list(range(1, 2_004))
    assert (rest["truncated"], rest["nextCursor"]) == (False, None)


# What goes wrong


def test_what_cannot_be_read_for_now_is_said_and_told_later(shown: Observed, monkeypatch: pytest.MonkeyPatch):
    """A subscription does not end with an error of the store: it goes on from where it was."""
    for number in range(5):
        note(shown.box, str(number))
    watcher = shown.watch()
    Mark(shown).told_to(watcher)
    monkeypatch.setattr(audience, "RETRY_SECONDS", 0.05)
    fails = iter([True, True])
    real = batches.batch
    monkeypatch.setattr(audience, "batch", lambda *given: _fail() if next(fails, False) else real(*given))

    watcher.subscribe("records", since=0)

    told = watcher.until_seq(6)
    assert [check(event)["event"] for event in told] == ["error"] * 2 + ["record:added"] * 6
    assert seqs(told[2:]) == [1, 2, 3, 4, 5, 6]


def _fail() -> None:
    raise OSError("the disk is away")
