"""The same requests to the door on the SDK and to ours: the answers are equal, but for what is listed as meant."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from copy import deepcopy
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.allowed_differences import ALLOWED, INVALID_PARAMS, Asked, Said
from tests.support.client_messages import (
    FILTER,
    INSTEAD,
    NOTIFICATIONS,
    THOUGHT,
    Params,
    at,
    doubled,
    framed,
    in_era,
    places,
    requests,
    wrong,
)
from tests.support.differential import HttpPair, StdioPair, differs
from tests.support.http_requests import HTTP_REQUESTS, REVISIONS
from tests.support.malformed import NOT_JSON, NOT_MESSAGES, NOT_REQUESTS, REFUSED_CALLS
from tests.support.preludes import STEADY_VERIFY, slow_verify
from tests.support.servers import ENVELOPE, HANDSHAKE, INITIALIZE, STATELESS, soon
from thoughtbox import domains
from thoughtbox.operations.registry import TABLE, tool_name

domains.load()

ERAS = ("handshake", "stateless")
WAYS = [(transport, era) for transport in ("stdio", "http") for era in ERAS]
UNHEARD_OF: tuple[Any, ...] = ("2026-07-28", "2099-01-01", "1.0", "", 5, None)

NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""What the newest revision repeats in a header, by method."""

EXAMPLES = settings(
    max_examples=50,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

StartStdioPair = Callable[..., StdioPair]
StartHttpPair = Callable[..., HttpPair]


@pytest.fixture
def stdio_pair(tmp_path: Path) -> Iterator[StartStdioPair]:
    """Starts both doors on pipes: `stdio_pair("handshake")` has shaken hands, "stateless" has been discovered."""
    numbers = count(1)

    def start(era: str = "", **options: str) -> StdioPair:
        pair = StdioPair(tmp_path / f"{next(numbers)}", **options)
        kept.callback(pair.stop)
        if era == "handshake":
            assert_equal(pair, [framed("begin", "initialize", INITIALIZE), framed(None, "notifications/initialized")])
        elif era == "stateless":
            assert_equal(pair, [framed("begin", "server/discover", in_era(era, None))])
        return pair

    with ExitStack() as kept:
        yield start


@pytest.fixture
def http_pair(tmp_path: Path) -> Iterator[StartHttpPair]:
    """The same on ports. With a handshake, both have a session `s`."""
    numbers = count(1)

    def start(era: str = "", **options: str) -> HttpPair:
        pair = HttpPair(tmp_path / f"{next(numbers)}", **options)
        kept.callback(pair.stop)
        if era == "handshake":
            pair.begin("s", framed(0, "initialize", INITIALIZE))
        return pair

    with ExitStack() as kept:
        yield start


class Asking:
    """One way to both doors: sends messages, and takes note of what is answered differently."""

    def __init__(self, way: tuple[str, str], stdio: StartStdioPair, http: StartHttpPair) -> None:
        self._transport, self._era = way
        self._start = stdio if self._transport == "stdio" else http
        self._pair = self._start(self._era)

    def difference(self, message: Any) -> str | None:
        pair = self._pair
        if isinstance(pair, StdioPair):
            return differs(message, *pair.ask(message))
        return differs(Asked(message, told := headers(self._era, message)), *pair.ask(message, told))

    def begin_anew(self) -> None:
        """What was answered differently may have left the stores different, too."""
        self._pair.stop()
        self._pair = self._start(self._era)


@pytest.fixture(params=WAYS, ids="-".join)
def asking(request: pytest.FixtureRequest, stdio_pair: StartStdioPair, http_pair: StartHttpPair) -> Asking:
    return Asking(request.param, stdio_pair, http_pair)


def era_of(request: pytest.FixtureRequest) -> str:
    return request.node.callspec.params["asking"][1]


def headers(era: str, message: Any) -> dict[str, str | None]:
    """Those that go with a message over HTTP."""
    if era == "handshake":
        return {"Mcp-Session-Id": "{s}", "MCP-Protocol-Version": HANDSHAKE}
    found: dict[str, str | None] = {"MCP-Protocol-Version": STATELESS}
    if isinstance(message, dict) and isinstance(message.get("method"), str):
        found["Mcp-Method"] = message["method"]
        params = message.get("params")
        named = params.get(NAMED.get(message["method"], "")) if isinstance(params, dict) else None
        if isinstance(named, str) and named.isascii() and named.isprintable():
            found["Mcp-Name"] = named
    return found


def assert_equal(pair: StdioPair, messages: Iterable[Any]) -> None:
    found = [difference for message in messages if (difference := differs(message, *pair.ask(message)))]
    assert not found, shown(found)


def shown(found: list[str]) -> str:
    return "\n\n".join([f"{len(found)} are answered differently", *found[:5]])


@pytest.mark.sampled(4)
def test_every_example_is_answered_alike(asking: Asking, request: pytest.FixtureRequest):
    found = []
    numbers = count(1)
    for operation in TABLE:
        meta = {"thoughtbox/workspace": tool_name(operation.name)}
        for name, arguments in (*operation.example.given, (operation.name, operation.example.arguments)):
            params = in_era(era_of(request), {"name": tool_name(name), "arguments": dict(arguments)}) or {}
            params["_meta"] = {**params.get("_meta", {}), **meta}
            found.append(asking.difference(framed(next(numbers), "tools/call", params)))
    assert len(found) > len(TABLE.operations)
    assert not (differing := [each for each in found if each]), shown(differing)


@pytest.mark.sampled(2)
def test_every_method_is_answered_alike_rightly_and_wrongly_asked(asking: Asking, request: pytest.FixtureRequest):
    era = era_of(request)
    messages: list[Any] = []
    numbers = count(1)
    for method, params in requests(era):
        right = in_era(era, params)
        messages += [framed(next(numbers), method, each) for each in (right, *wrong(right))]
    envelope = in_era(era, {}) or {"_meta": {"progressToken": 1, "thoughtbox/workspace": "elsewhere"}}
    for method in ("tools/list", "no/such/method", "server/discover"):
        messages += [framed(next(numbers), method, each) for each in wrong(envelope, within="_meta")]
    messages += [framed(None, method, in_era(era, params)) for method, params in NOTIFICATIONS]
    messages += [framed(None, method, each) for method, params in NOTIFICATIONS[:4] for each in wrong(params)]

    found = [difference for message in messages if (difference := asking.difference(message))]

    assert not found, shown(found)


def test_what_is_no_message_is_answered_alike(stdio_pair: StartStdioPair, http_pair: StartHttpPair):
    sent = {**NOT_JSON, **NOT_MESSAGES, **NOT_REQUESTS, **REFUSED_CALLS}
    stdio, http = stdio_pair("handshake"), http_pair("handshake")
    found = [differs(line, *stdio.ask(line)) for line in sent.values() if b"\n" not in line]
    for era in ERAS:
        told = headers(era, None)
        found += [differs(Asked(body, told), *http.ask(body, told)) for body in sent.values()]
    assert not (differing := [each for each in found if each]), shown(differing)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("revision", [*REVISIONS, *UNHEARD_OF])
def test_every_revision_is_negotiated_alike(stdio_pair: StartStdioPair, http_pair: StartHttpPair, revision: Any):
    opening = framed(1, "initialize", {**INITIALIZE, "protocolVersion": revision})
    asked = [framed(number, method, params) for number, (method, params) in enumerate(requests("handshake"), 2)]
    stdio, http = stdio_pair(), http_pair()
    is_made = isinstance(revision, str)
    assert_equal(stdio, [opening, *([framed(None, "notifications/initialized")] if is_made else []), *asked])

    found = [differs(opening, *http.ask(opening))]
    if is_made and revision:
        http.begin("s", opening)
        stated = {"Mcp-Session-Id": "{s}", "MCP-Protocol-Version": revision}
        found += [differs(Asked(message, stated), *http.ask(message, stated)) for message in asked]
    assert not (differing := [each for each in found if each]), shown(differing)


def test_only_a_handshake_that_was_made_opens_a_connection(stdio_pair: StartStdioPair):
    """A difference that is meant: the SDK serves whoever says that hands were shaken, also if they were not."""
    pair = stdio_pair()
    pair.send(framed(None, "notifications/initialized"))

    theirs, ours = pair.ask(framed(1, "tools/list", {}))

    assert "result" in theirs.messages[-1]
    assert ours.messages[-1]["error"]["code"] == INVALID_PARAMS


@pytest.mark.parametrize("first", [*ERAS, "neither"])
def test_a_client_that_does_not_begin_at_the_beginning_is_answered_alike(stdio_pair: StartStdioPair, first: str):
    """The first message says which era a connection is of; what belongs to the other is refused from then on."""
    methods = ["tools/list", "tools/call", "resources/read", "no/such/method", "server/discover", "initialize"]
    begun = {
        "handshake": framed("first", "ping"),
        "stateless": framed("first", "tools/list", in_era("stateless", {})),
        "neither": framed(None, "notifications/cancelled", {"requestId": 5}),
    }
    messages = [begun[first]]
    for number, method in enumerate(methods):
        params = next(params for name, params in requests("handshake") if name == method)
        messages += [framed(f"{era} {number}", method, in_era(era, params)) for era in ERAS]
    assert_equal(stdio_pair(), messages)


def test_requests_over_http_have_the_same_statuses_headers_and_bodies(http_pair: StartHttpPair):
    pair = http_pair("handshake")
    found = []
    for what, (method, path, body, told) in HTTP_REQUESTS.items():
        difference = differs(Asked(body, told, path), *pair.ask(body, told, method, path))
        found += [f"{what}: {difference}"] if difference else []
    assert not found, shown(found)


def test_a_token_is_asked_for_alike(http_pair: StartHttpPair):
    pair = http_pair(THOUGHTBOX_TOKEN="t" * 40)
    found = [
        differs(given, *pair.ask(framed(1, "initialize", INITIALIZE), {"Authorization": given}))
        for given in (None, "", "Bearer", "Bearer x", f"Bearer {'t' * 40}", f"bearer {'t' * 40}", f"Basic {'t' * 40}")
    ]
    assert not (differing := [each for each in found if each]), shown(differing)


ROOTS = {"roots": [{"uri": "file:///somewhere/else", "name": "else"}]}
CRITIC = {"role": "assistant", "model": "critic", "content": {"type": "text", "text": "Is it so?"}}
LENDING = {"roots": {}, "sampling": {}}
REFUSED = {"error": {"code": 1, "message": "no"}}
NOT_LENT = {"error": {"code": -32601, "message": "no"}}
SILENT = {**CRITIC, "content": {"type": "text", "text": " "}}
ASKING: dict[str, tuple[Params, list[dict[str, Any]]]] = {
    "roots/list": ({"name": "list_roots", "arguments": {}}, [{"result": ROOTS}, {"result": {"roots": 5}}, REFUSED]),
    "sampling/createMessage": (
        {"name": "thought", "arguments": {"thought": "It holds.", "critique": True}},
        [{"result": CRITIC}, {"result": SILENT}, {"result": {}}, REFUSED, NOT_LENT],
    ),
}
"""By what the client is asked for: the call that asks, and what it may answer."""


@pytest.mark.parametrize("asked", ASKING)
def test_a_client_is_asked_alike_and_its_answer_is_taken_alike(stdio_pair: StartStdioPair, asked: str):
    pair = stdio_pair()
    opening = framed(0, "initialize", {**INITIALIZE, "capabilities": LENDING})
    assert_equal(pair, [opening, framed(None, "notifications/initialized"), *readied()])
    call, answers = ASKING[asked]
    for number, answer in enumerate(answers):
        message = framed(f"call {number}", "tools/call", call)
        pair.send(message)
        theirs, ours = pair.told(answer)
        assert theirs.messages[0]["method"] == asked
        assert (said := differs(message, theirs, ours)) is None, said


@pytest.mark.parametrize("asked", ASKING)
def test_a_stateless_client_is_asked_alike_in_rounds(stdio_pair: StartStdioPair, asked: str):
    pair = stdio_pair("stateless")
    meta = {**ENVELOPE, "io.modelcontextprotocol/clientCapabilities": LENDING}
    assert_equal(pair, readied(meta))
    call, answers = ASKING[asked]
    for number, answer in enumerate(answers):
        message = framed(f"call {number}", "tools/call", {**call, "_meta": meta})
        assert (said := differs(message, *pair.ask(message))) is None, said
        for more in ({"inputResponses": {"asked": answer.get("result", {})}}, {}, {"inputResponses": {"other": ROOTS}}):
            again = framed(f"again {number} {len(more)}", "tools/call", {**call, **more, "_meta": meta})
            for others in (False, True):
                said = differs(again, *pair.ask_again(again, theirs_is_ours=others))
                assert said is None, said


def readied(meta: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
    """Calls after which a client may think."""
    calls = [("start_new", {"sessionTitle": "Asked"}), ("cipher", {})]
    more = {} if meta is None else {"_meta": meta}
    return [framed(name, "tools/call", {"name": name, "arguments": arguments, **more}) for name, arguments in calls]


def test_changes_are_told_alike(stdio_pair: StartStdioPair):
    """A new session, a session that grows, and another stage: each is told once the call that did it is answered."""
    record: Params = {"name": "thought_record", "arguments": THOUGHT}
    begin: Params = {"name": "start_new", "arguments": {"sessionTitle": "Stages"}}
    asked = {
        "handshake": framed(1, "resources/subscribe", {"uri": "thoughtbox://trail/s1"}),
        "stateless": framed(1, "subscriptions/listen", in_era("stateless", {"notifications": FILTER})),
    }
    for era, asking_for in asked.items():
        pair = stdio_pair(era)
        assert_equal(pair, [asking_for, framed("w", "tools/call", in_era(era, record))])
        for method in ("notifications/resources/list_changed", "notifications/resources/updated"):
            assert (said := differs(method, *pair.next(method))) is None, said
        pair.send(framed("b", "tools/call", in_era(era, begin)))
        assert (said := differs(begin, *pair.next("notifications/tools/list_changed"))) is None, said


LEVEL = "io.modelcontextprotocol/logLevel"


def test_what_is_said_beside_an_answer_is_said_alike(stdio_pair: StartStdioPair, http_pair: StartHttpPair):
    """Entries of the log, to whoever asked for them: once, or with every request."""
    record: Params = {"name": "thought_record", "arguments": THOUGHT}
    shaken, stateless = stdio_pair("handshake"), stdio_pair("stateless")
    assert_equal(shaken, [framed(1, "logging/setLevel", {"level": "debug"})])
    asked = in_era("stateless", record) or {}
    asked["_meta"][LEVEL] = "info"

    for pair, params in ((shaken, record), (stateless, asked)):
        theirs, ours = pair.ask(message := framed(2, "tools/call", params))
        assert [each.get("method") for each in theirs.messages] == ["notifications/message", None]
        assert (said := differs(message, theirs, ours)) is None, said
    theirs, ours = http_pair().ask(message := framed(2, "tools/call", asked), headers("stateless", message))
    assert len(theirs.messages) == 2
    assert (said := differs(message, theirs, ours)) is None, said


def test_progress_is_told_alike(stdio_pair: StartStdioPair, http_pair: StartHttpPair):
    for era in ERAS:
        params = in_era(era, {"name": "ledger_verify", "arguments": {}}) or {}
        params["_meta"] = {**params.get("_meta", {}), "progressToken": "how far"}
        message = framed(1, "tools/call", params)
        stdio = stdio_pair(era, theirs=STEADY_VERIFY, ours=STEADY_VERIFY)
        http = http_pair(era, theirs=STEADY_VERIFY, ours=STEADY_VERIFY)
        for theirs, ours in (stdio.ask(message, aside=()), http.ask(message, headers(era, message), aside=())):
            assert [each.get("method") for each in theirs.messages] == ["notifications/progress"] * 3 + [None]
            assert (said := differs(message, theirs, ours)) is None, said


@pytest.mark.parametrize("era", ERAS)
def test_a_call_that_its_client_gives_up_is_ended_alike(stdio_pair: StartStdioPair, tmp_path: Path, era: str):
    marks = [tmp_path / "theirs ended", tmp_path / "ours ended"]
    theirs, ours = map(slow_verify, marks)
    pair = stdio_pair(era, theirs=theirs, ours=ours)
    pair.send(framed("long", "tools/call", in_era(era, {"name": "ledger_verify", "arguments": {}})))
    assert_equal(pair, [framed(2, "tools/list", in_era(era, {}))])  # it does not hold up what comes behind it

    pair.send(framed(None, "notifications/cancelled", in_era(era, {"requestId": "long", "reason": "enough"})))
    soon(lambda: all(mark.exists() and mark.stat().st_size for mark in marks))

    assert_equal(pair, [framed(3, "tools/list", in_era(era, {})), framed("long", "tools/list", in_era(era, {}))])


IDS: tuple[Any, ...] = (1, 2, "a", "", -1, None, 1.5, True, [], 2**60)
OTHER_NAMES = ("name", "uri", "_meta", "params", "Method", "id")


def near(era: str) -> st.SearchStrategy[Any]:
    """Messages near valid ones: several things are dropped, retyped, renamed, nested or doubled at once."""

    @st.composite
    def message(draw: st.DrawFn) -> Any:
        method, params = draw(st.sampled_from(requests(era)))
        made = framed(draw(st.sampled_from(IDS)), method, in_era(era, params))
        made = json.loads(json.dumps(made))
        for _ in range(draw(st.integers(0, 3))):
            if found := list(places(made, 5)):
                _mutate(draw, made, draw(st.sampled_from(found)))
        if draw(st.integers(0, 9)) == 0 and made:
            return doubled(made, draw(st.sampled_from(sorted(made))), draw(st.sampled_from(INSTEAD)))
        return made

    return message()


def _mutate(draw: st.DrawFn, made: dict[str, Any], path: tuple[str, ...]) -> None:
    *above, name = path
    inside = at(made, above)
    match draw(st.sampled_from(["drop", "retype", "rename", "nest", "add"])):
        case "drop":
            del inside[name]
        case "retype":
            inside[name] = deepcopy(draw(st.sampled_from(INSTEAD)))
        case "rename":
            inside[draw(st.sampled_from((f"{name}s", *OTHER_NAMES)))] = inside.pop(name)
        case "nest":
            inside[name] = draw(st.sampled_from([{name: inside[name]}, [inside[name]]]))
        case _:
            inside["more"] = deepcopy(draw(st.sampled_from(INSTEAD)))


@pytest.mark.sampled(2)
def test_what_is_nearly_right_is_answered_alike(asking: Asking, request: pytest.FixtureRequest):
    @EXAMPLES
    @given(near(era_of(request)))
    def answered_alike(message: Any) -> None:
        difference = asking.difference(message)
        if difference is not None:
            asking.begin_anew()
        assert difference is None, difference

    answered_alike()


OTHER_TOOLS = """
import os
os.environ["THOUGHTBOX_TOOLSET"] = "trail"
"""
LATER = """
import thoughtbox.app
before = thoughtbox.app.World
def later():
    world = before()
    return type(world)(now_ms=lambda: world.now_ms() + 1, random_bytes=world.random_bytes)
thoughtbox.app.World = later
"""


def test_a_door_that_answers_otherwise_is_found(stdio_pair: StartStdioPair, http_pair: StartHttpPair):
    opening = framed(1, "initialize", INITIALIZE)
    record = framed(2, "tools/call", in_era("stateless", {"name": "thought_record", "arguments": THOUGHT}))

    assert differs(opening, *stdio_pair(ours=OTHER_TOOLS).ask(opening))
    assert differs(opening, *http_pair(ours=OTHER_TOOLS).ask(opening))
    assert differs(record, *stdio_pair(ours=LATER).ask(record)), "a millisecond is enough"
    assert differs(record, *http_pair(ours=LATER).ask(record, headers("stateless", record)))


def test_what_may_differ_is_no_more_than_is_listed():
    def said(status: int = 400, kind: str = "application/json", **error: Any) -> Said:
        words = {"code": -32602, "message": "Invalid request parameters", "data": "", **error}
        return Said([{"jsonrpc": "2.0", "id": 1, "error": words}], status, {"content-type": kind})

    assert all(allowed.reason for allowed in ALLOWED)
    assert differs("x", said(), said()) is None
    assert differs("x", said(), said(message="tools/call: `name` is a text", data=None)) is None
    for other in (said(200), said(kind="text/plain"), said(code=-32600), Said([], 400, said().headers)):
        assert differs("x", said(), other)
    done = Said([{"jsonrpc": "2.0", "id": 1, "result": {}}], 200, {"content-type": "application/json"})
    for one, other in ((said(), done), (done, said()), (said(500), said(503)), (done, Said([], 200, done.headers))):
        assert differs("x", one, other)
    own, versions = {"code": "INVALID_PAYLOAD"}, {"supported": ["2026-07-28"], "requested": "x"}
    assert differs("x", said(data=own), said(data=own, message="what we say ourselves is to be the same"))
    assert differs("x", said(data=versions), said(data=versions, message="our own words")) is None
    assert differs("x", said(data=versions), said(data={**versions, "requested": "y"}))
