"""The core without a wire: messages in, messages out, in whatever order things happen."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Any

import pytest

from tests.support.box import Box
from tests.support.servers import ENVELOPE, INITIALIZE, soon
from thoughtbox.app import Thoughtbox
from thoughtbox.doors.mcp import jsonrpc
from thoughtbox.doors.mcp.connection import Connection
from thoughtbox.doors.mcp.jsonrpc import CONNECTION_CLOSED, INVALID_REQUEST, UNSUPPORTED_PROTOCOL_VERSION
from thoughtbox.doors.mcp.notifications import Telling
from thoughtbox.doors.mcp.request import Request, Steps
from thoughtbox.doors.mcp.server import McpServer


class Hand:
    """A place where things are done by hand, one at a time, and time passes when a test says so."""

    def __init__(self) -> None:
        self._posted: deque[Callable[[], object]] = deque()
        self._later: list[Callable[[], None]] = []

    def post(self, step: Callable[[], object]) -> None:
        self._posted.append(step)

    def later(self, seconds: float, step: Callable[[], None]) -> Callable[[], None]:
        self._later.append(step)
        return lambda: self._later.remove(step) if step in self._later else None

    def run(self) -> None:
        while self._posted:
            self._posted.popleft()()

    def let_time_pass(self) -> None:
        for step in list(self._later):
            step()
        self.run()


class Heard:
    """An outlet that keeps what it was told."""

    def __init__(self) -> None:
        self.told: list[dict[str, Any]] = []
        self.is_clear = True
        self.is_given_up = False
        self._steps: list[Callable[[], None]] = []

    def when_clear(self, step: Callable[[], None]) -> None:
        self._steps.append(step)

    def clear(self) -> None:
        self.is_clear = True
        steps, self._steps = self._steps, []
        for step in steps:
            step()

    def send(self, message: bytes) -> None:
        self.told.append(json.loads(message))

    def answer(self, message: bytes, error: int | None = None) -> None:
        self.told.append(json.loads(message))
        assert self.told[-1].get("error", {}).get("code") == error

    def unanswered(self) -> None:
        self.is_given_up = True


class Talk:
    """A connection to a server in this process, message by message."""

    def __init__(self, app: Thoughtbox) -> None:
        self.place = Hand()
        self.outside = Heard()
        self.server = McpServer(app, transport="http")
        self.connection: Connection = self.server.connect(self.place, self.outside)

    def send(self, message: dict[str, Any]) -> Heard:
        """What belongs to it is told there."""
        heard = Heard()
        found = jsonrpc.read(json.dumps({"jsonrpc": "2.0", **message}).encode())
        assert not isinstance(found, jsonrpc.Malformed)
        self.connection.receive(found, heard)
        self.place.run()
        return heard

    def request(self, id: int | str, method: str, **params: Any) -> Heard:
        return self.send({"id": id, "method": method, "params": params})

    def notify(self, method: str, **params: Any) -> None:
        self.send({"method": method, "params": params})

    def wait_for(self, heard: Heard, messages: int) -> None:
        """Let the store's threads bring what was asked of them."""

        def has_come() -> bool:
            self.place.run()
            return len(heard.told) >= messages

        soon(has_come)

    def shake_hands(self, **capabilities: Any) -> Talk:
        self.request(0, "initialize", **{**INITIALIZE, "capabilities": capabilities})
        self.notify("notifications/initialized")
        return self


@pytest.fixture
def box() -> Iterator[Box]:
    box = Box()
    yield box
    box.close()


@pytest.fixture
def talk(box: Box) -> Talk:
    return Talk(box.app)


class Waiting:
    """A method of a test's own, whose steps wait for what the test says."""

    def __init__(self, talk: Talk) -> None:
        self.futures: list[Future[Any]] = []
        self.ended: list[str | int] = []
        talk.server._methods = {**talk.server._methods, "ping": self.answer}

    def answer(self, request: Request) -> Steps[dict[str, Any]]:
        waiting: Future[Any] = Future()
        self.futures.append(waiting)
        try:
            return {"came": (yield waiting)}
        finally:
            self.ended.append(request.id)


def test_an_answer_is_sent_when_what_it_waits_for_has_come(talk: Talk):
    waiting = Waiting(talk.shake_hands())
    heard = talk.request(1, "ping")
    assert heard.told == []

    waiting.futures[0].set_result(7)
    assert heard.told == [], "the thread that has it only posts it"
    talk.place.run()

    assert heard.told == [{"jsonrpc": "2.0", "id": 1, "result": {"came": 7}}]
    assert talk.connection.open == 0


def test_a_request_that_is_taken_back_is_not_answered_and_what_it_waits_for_is_taken_back_too(talk: Talk):
    waiting = Waiting(talk.shake_hands())
    heard = talk.request("1", "ping")

    talk.notify("notifications/cancelled", requestId=1)

    assert waiting.futures[0].cancelled()
    assert waiting.ended == ["1"]
    assert (heard.told, heard.is_given_up, talk.connection.open) == ([], True, 0)
    talk.notify("notifications/cancelled", requestId=1)
    talk.notify("notifications/cancelled", requestId=[1])
    talk.notify("notifications/cancelled")


def test_what_comes_for_a_request_that_was_taken_back_is_of_no_account(talk: Talk):
    waiting = Waiting(talk.shake_hands())
    heard = talk.request(1, "ping")
    waiting.futures[0].set_running_or_notify_cancel()  # it has begun

    talk.notify("notifications/cancelled", requestId=1)
    waiting.futures[0].set_result(7)
    talk.place.run()

    assert heard.told == []


def test_two_requests_under_one_id_are_each_answered_and_the_later_one_can_be_taken_back(talk: Talk):
    waiting = Waiting(talk.shake_hands())
    first, second = talk.request(1, "ping"), talk.request(1, "ping")

    talk.notify("notifications/cancelled", requestId=1)
    for future in waiting.futures:
        if not future.done():
            future.set_result("x")
    talk.place.run()

    assert [len(heard.told) for heard in (first, second)] == [1, 0]


@pytest.mark.parametrize("error", [ValueError("no"), KeyboardInterrupt(), StopIteration(), SystemExit(1)])
def test_whatever_is_raised_fails_the_request_alone(talk: Talk, error: BaseException):
    waiting = Waiting(talk.shake_hands())
    heard = talk.request(1, "ping")

    waiting.futures[0].set_exception(error)
    talk.place.run()

    assert heard.told[0]["error"]["code"] == jsonrpc.INTERNAL_ERROR
    assert talk.request(2, "tools/list").told[0]["result"]["tools"]


def test_calls_of_a_client_run_in_the_order_in_which_they_came(talk: Talk):
    talk.shake_hands()
    turn = talk.connection.client.turn
    first = turn.enter()
    assert first is None
    heard = [talk.request(number, "tools/list") for number in range(3)]
    talk.notify("notifications/cancelled", requestId=1)
    assert [each.told for each in heard] == [[], [], []]
    turn.leave(first)
    talk.place.run()

    assert [len(each.told) for each in heard] == [1, 0, 1]
    assert turn.enter() is None


def ask_for_roots(talk: Talk) -> Heard:
    return talk.request(5, "tools/call", name="list_roots", arguments={})


def test_a_question_goes_out_on_the_stream_of_its_request_and_its_answer_comes_back_to_it(talk: Talk):
    heard = ask_for_roots(talk.shake_hands(roots={}))
    (question,) = heard.told
    assert (question["method"], talk.connection.asks, talk.outside.told) == ("roots/list", 1, [])

    talk.send({"id": str(question["id"]), "result": {"roots": [{"uri": "file:///here", "name": "here"}]}})
    talk.wait_for(heard, 2)

    assert "file:///here" in heard.told[1]["result"]["content"][0]["text"]
    assert talk.connection.asks == 0


def test_a_question_that_is_not_answered_in_time_is_taken_back_and_a_late_answer_is_of_no_account(talk: Talk):
    heard = ask_for_roots(talk.shake_hands(roots={}))
    question = heard.told[0]["id"]

    talk.place.let_time_pass()
    talk.wait_for(heard, 3)

    assert heard.told[1]["method"] == "notifications/cancelled"
    assert heard.told[1]["params"]["requestId"] == question
    assert heard.told[2]["id"] == 5
    talk.send({"id": question, "result": {"roots": []}})
    talk.send({"id": 99, "result": {}})
    talk.send({"id": None, "error": {"code": 1, "message": "x"}})
    assert len(heard.told) == 3


@pytest.mark.parametrize("reply", [{"result": {"roots": "none"}}, {"error": {"code": -1, "message": "not mine"}}])
def test_a_client_that_does_not_tell_its_roots_is_answered_all_the_same(talk: Talk, reply: dict[str, Any]):
    heard = ask_for_roots(talk.shake_hands(roots={}))

    talk.send({"id": heard.told[0]["id"], **reply})
    talk.wait_for(heard, 2)

    assert heard.told[1]["result"]["isError"] is False


def test_a_client_is_told_that_nobody_waits_for_its_answer_any_more(talk: Talk):
    heard = ask_for_roots(talk.shake_hands(roots={}))

    talk.notify("notifications/cancelled", requestId=5)

    assert [message.get("method") for message in heard.told] == ["roots/list", "notifications/cancelled"]


def test_what_is_under_way_when_the_connection_ends_is_told_so(talk: Talk):
    waiting = Waiting(talk.shake_hands(roots={}))
    asking, idle = ask_for_roots(talk), talk.request(1, "ping")

    talk.connection.close()
    talk.place.run()

    assert [heard.told[-1]["error"]["code"] for heard in (asking, idle)] == [CONNECTION_CLOSED] * 2
    assert (waiting.ended, talk.connection.open, talk.connection.asks) == ([1], 0, 0)


def test_the_first_request_decides_the_era_of_a_connection(box: Box):
    newer, older = Talk(box.app), Talk(box.app)
    assert "result" in newer.request(1, "server/discover", _meta=ENVELOPE).told[0]
    older.shake_hands()

    (refused,) = newer.request(2, "initialize", **INITIALIZE).told
    (foreign,) = older.request(2, "tools/list", _meta=ENVELOPE).told

    assert refused["error"]["code"] == UNSUPPORTED_PROTOCOL_VERSION
    assert refused["error"]["data"]["supported"] == ["2026-07-28"]
    assert foreign["error"]["code"] == INVALID_REQUEST


def test_of_notifications_that_wait_for_a_client_there_is_one_of_each(talk: Talk):
    heard = Heard()
    telling = Telling(heard)
    telling.tell("a")
    heard.is_clear = False

    for _ in range(3):
        telling.tell("a")
        telling.tell("b", {"uri": "x"})
        telling.tell("b", {"uri": "y"})
    assert len(heard.told) == 1
    heard.clear()

    assert [(message["method"], message.get("params")) for message in heard.told[1:]] == [
        ("a", None),
        ("b", {"uri": "x"}),
        ("b", {"uri": "y"}),
    ]


def test_nothing_is_told_on_a_request_that_was_answered(talk: Talk):
    kept: list[Request] = []
    talk.shake_hands().server._methods = {"ping": lambda request: kept.append(request) or {}}
    heard = talk.request(1, "ping")

    kept[0].notify("notifications/message", {})
    kept[0].finish({})
    kept[0].fail(1, "x")
    kept[0].cancel()
    kept[0].drop()

    assert len(heard.told) == 1
    assert not heard.is_given_up


def test_progress_is_told_to_who_wants_it_and_takes_it(talk: Talk):
    kept: list[Request] = []
    talk.shake_hands().server._methods = {"ping": lambda request: _keep(kept, request)}
    quiet, eager = talk.request(1, "ping"), talk.request(2, "ping", _meta={"progressToken": "t"})

    for request in kept:
        request.report(1, 2, "half")
    eager.is_clear = False
    kept[1].report(2, 2, "all")

    assert quiet.told == []
    assert [message["params"]["progress"] for message in eager.told] == [1]


def _keep(kept: list[Request], request: Request) -> Steps[dict[str, Any]]:
    kept.append(request)
    yield Future()
    return {}
