"""Who may look: this machine, or who has a token; never a page from somewhere else. And what anybody may cost."""

from __future__ import annotations

import gc
import hmac
import inspect
import logging
import re
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from websockets.exceptions import InvalidStatus

from tests.support.box import WORKSPACE, Box, ticking_world
from tests.support.forks import PATIENCE
from tests.support.servers import Response, soon
from tests.support.watching import (
    HANDSHAKE,
    PING,
    TEXT,
    Observed,
    Story,
    all_are_gone,
    all_of,
    answer_of,
    masked,
    observed,
    said,
    taken,
)
from thoughtbox.doors.http import limits
from thoughtbox.doors.http.bounded_http import BoundedHttp
from thoughtbox.doors.observatory import audience, gate, server, watcher
from thoughtbox.doors.observatory.gate import Gate
from thoughtbox.operations.caller import Caller
from thoughtbox.operations.dispatch import Call
from thoughtbox.tokens import Tokens

TOKEN = "correct-horse-battery-staple"
FRIEND = "https://dash.example"
OTHER = "elsewhere"

ROUTES = ("/", "/index.html", "/api/health", "/api/records", "/api/openapi.json", "/api/export", "/nothing", "/ws")
"""One of every kind: the page, a file, what needs no token, what does, a download, nothing, and where sockets are."""


def box_in(directory: Path | None = None, **variables: str) -> Iterator[Observed]:
    with ExitStack() as kept:
        box = Box(directory, **variables)
        kept.callback(box.close)
        box.thought_plan(sessionId="s", planDescription="Look around.")
        yield kept.enter_context(observed(box))


@pytest.fixture(scope="module")
def open_to_this_machine() -> Iterator[Observed]:
    yield from box_in(THOUGHTBOX_OBSERVATORY_CORS=f"{FRIEND},http://localhost:3000", THOUGHTBOX_ALLOWED_HOSTS="Box.lan")


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[Observed]:
    yield from box_in(tmp_path, THOUGHTBOX_TOKEN=TOKEN)


def status_of_upgrade(shown: Observed, path: str = "/ws", **headers: str) -> int:
    """What a handshake with these headers is answered with."""
    origin = headers.pop("Origin", None)
    try:
        shown.watch(path, additional_headers=headers, origin=origin)
    except InvalidStatus as refused:
        return refused.response.status_code
    return 101


def plain_upgrade(shown: Observed, *lines: str, head: bytes = HANDSHAKE) -> bytes:
    """The same, where a library would not send such headers."""
    more = "".join(f"{line}\r\n" for line in lines).encode("latin-1")
    connection = shown.connect(head[:-2] + more + b"\r\n")
    return connection.recv(1 << 16).split(b"\r\n", 1)[0]


# Names and pages


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:1729", "LOCALHOST", "[::1]:1729", "box.lan", "BOX.lan:80"])
def test_names_of_this_machine_and_those_allowed_are_served(open_to_this_machine: Observed, host: str):
    for path in ROUTES:
        assert open_to_this_machine.get(path, headers={"Host": host}).status in (200, 404)
    head = HANDSHAKE.replace(b"Host: localhost", f"Host: {host}".encode())
    assert plain_upgrade(open_to_this_machine, head=head).startswith(b"HTTP/1.1 101")


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:1729",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "127.0.0.1@evil.example",
        "127.0.0.1:80:80",
        "127.0.0.2",
        "0.0.0.0",
        "[::2]",
        "::1",
        "2130706433",
        "0x7f.1",
        "localhost.",
        "localhost:port",
        "",
    ],
)
def test_a_foreign_host_is_forbidden_everywhere(open_to_this_machine: Observed, host: str):
    for path in ROUTES:
        for method in ("GET", "HEAD", "OPTIONS", "POST"):
            assert open_to_this_machine.get(path, headers={"Host": host}, method=method).status == 403
    head = HANDSHAKE.replace(b"Host: localhost", f"Host: {host}".encode())
    assert plain_upgrade(open_to_this_machine, head=head).startswith(b"HTTP/1.1 403")


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "http://localhost:1",
        "http://127.0.0.1:80",
        "http://127.0.0.1",
        "http://127.0.0.1:{port}0",
        "http://localhost:{port}",
        "http://127.0.0.1:{port}.evil.example",
        "http://127.0.0.1:{port}@evil.example",
        "ws://127.0.0.1:{port}",
        "file://127.0.0.1:{port}",
        "null",
        "",
        "file://",
        "chrome-extension://abcdef",
        "127.0.0.1:{port}",
        "https://dash.example.evil.example",
        "http://dash.example",
        "https://dash.example:444",
        "https://sub.dash.example",
    ],
)
def test_a_page_from_somewhere_else_is_forbidden_everywhere_another_port_of_this_machine_too(
    open_to_this_machine: Observed, origin: str
):
    shown = open_to_this_machine
    origin = origin.format(port=shown.port)
    for path in ROUTES:
        for method in ("GET", "HEAD", "OPTIONS"):
            answer = shown.get(path, headers={"Origin": origin}, method=method)
            assert answer.status == 403, (path, method)
            assert not any(name.startswith("access-control") for name in answer.headers)
    own = f"Host: 127.0.0.1:{shown.port}".encode()
    head = HANDSHAKE.replace(b"Host: localhost", own)
    for path in (b"/ws", b"/"):
        assert plain_upgrade(shown, f"Origin: {origin}", head=head.replace(b"/ws", path)).startswith(b"HTTP/1.1 403")


def test_our_own_page_is_welcome_and_gets_no_cors(open_to_this_machine: Observed):
    shown = open_to_this_machine
    for origin in (shown.origin, shown.origin.replace("http:", "https:")):
        for path in ROUTES:
            answer = shown.get(path, headers={"Origin": origin})
            assert answer.status in (200, 404)
            assert not any(name.startswith("access-control") for name in answer.headers)
        assert status_of_upgrade(shown, Origin=origin) == 101


@pytest.mark.parametrize("origin", [FRIEND, "HTTPS://Dash.example", "http://localhost:3000"])
def test_a_page_on_the_list_may_ask_and_watch(open_to_this_machine: Observed, origin: str):
    shown = open_to_this_machine
    answer = shown.get("/api/records", headers={"Origin": origin})
    assert answer.status == 200
    assert answer.headers["access-control-allow-origin"] == origin
    assert "origin" in answer.headers["vary"]
    asked = {"Origin": origin, "Access-Control-Request-Method": "GET"}
    before = shown.get("/api/records", headers=asked, method="OPTIONS")
    assert before.status == 204
    assert before.headers["access-control-allow-methods"] == "GET"
    assert status_of_upgrade(shown, Origin=origin) == 101


@pytest.mark.parametrize(
    ("site", "mode", "path", "status"),
    [
        ("cross-site", "no-cors", "/", 403),
        ("cross-site", "no-cors", "/api/records", 403),
        ("cross-site", "no-cors", "/api/export", 403),
        ("same-site", "no-cors", "/api/records", 403),
        ("same-site", "cors", "/api/records", 403),
        ("cross-site", "navigate", "/api/records", 403),
        ("cross-site", "navigate", "/api/export", 403),
        ("cross-site", "navigate", "/", 200),
        ("same-site", "navigate", "/", 200),
        ("none", "navigate", "/", 200),
        ("none", "navigate", "/api/records", 200),
        ("same-origin", "cors", "/api/records", 200),
    ],
)
def test_what_a_browser_says_of_where_a_request_comes_from_counts(
    open_to_this_machine: Observed, site: str, mode: str, path: str, status: int
):
    """A picture or a script from elsewhere says no origin; a link may be followed to the page, and to no data."""
    headers = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode}

    assert open_to_this_machine.get(path, headers=headers).status == status


@pytest.mark.parametrize("name", ["Host", "Origin", "Authorization"])
def test_what_is_said_twice_is_refused(open_to_this_machine: Observed, name: str):
    lines = f"Host: localhost\r\n{name}: localhost\r\n{name}: localhost\r\n"
    connection = open_to_this_machine.connect(f"GET /api/records HTTP/1.1\r\n{lines}\r\n".encode())

    assert answer_of(connection).split()[1] == b"400"


# Tokens


def cookie_of(shown: Observed, token: str, path: str = "/") -> str:
    """The cookie that a token is exchanged for."""
    answer = shown.get(path, {"token": token})
    assert answer.status == 303, answer.body
    return answer.headers["set-cookie"].partition(";")[0]


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer"},
        {"Authorization": "Bearer wrong"},
        {"Authorization": f"Bearer {TOKEN}x"},
        {"Authorization": f"Bearer {TOKEN[:-1]}"},
        {"Authorization": f"Basic {TOKEN}"},
        {"Authorization": TOKEN},
        {"Authorization": "Bearer \xff\xfe"},
        {"Cookie": f"token={TOKEN}"},
        {"X-Token": TOKEN},
    ],
    ids=str,
)
def test_without_the_token_there_is_nothing_but_health(guarded: Observed, headers: dict[str, str]):
    for path in ROUTES:
        answer = guarded.get(path, headers=headers)
        assert answer.status == (200 if path == "/api/health" else 401)
        assert "www-authenticate" in answer.headers or path == "/api/health"
        assert TOKEN.encode() not in answer.body
        assert b"Look around" not in answer.body
    lines = [f"{name}: {value}" for name, value in headers.items()]
    for path in (b"/ws", b"/"):
        refused = plain_upgrade(guarded, *lines, head=HANDSHAKE.replace(b"/ws", path))
        assert refused.startswith(b"HTTP/1.1 401")


def test_health_tells_a_stranger_that_somebody_is_there_and_nothing_more(guarded: Observed):
    known = {"Authorization": f"Bearer {TOKEN}"}

    assert set(guarded.get("/api/health").json()) == {"status", "version"}
    assert {"workspace", "connections", "readOnly"} <= set(guarded.get("/api/health", headers=known).json())


def test_with_the_token_as_a_bearer_everything_is_served(guarded: Observed):
    headers = {"Authorization": f"Bearer {TOKEN}"}

    assert guarded.get("/api/records", headers=headers).status == 200
    assert guarded.get("/", headers=headers).status == 200
    assert status_of_upgrade(guarded, **headers) == 101


def test_a_token_in_an_address_is_exchanged_for_a_cookie_and_gone_from_the_address(guarded: Observed):
    answer = guarded.get("/", {"view": "table", "token": TOKEN, "sel": "th:1 &"})

    assert (answer.status, answer.body) == (303, b"")
    assert answer.headers["location"] == "/?view=table&sel=th%3A1+%26"
    assert TOKEN not in str(answer.headers)
    parts = [part.strip() for part in answer.headers["set-cookie"].split(";")]
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(parts)
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["referrer-policy"] == "no-referrer"
    cookie = {"Cookie": parts[0]}
    assert guarded.get("/api/records", headers=cookie).status == 200
    assert guarded.get("/", headers=cookie).status == 200
    assert status_of_upgrade(guarded, **cookie) == 101


def test_a_wrong_token_in_an_address_opens_nothing(guarded: Observed):
    for token in ("wrong", TOKEN + "x", "", "é", "\0", "x" * 5000):
        answer = guarded.get("/", {"token": token})
        assert answer.status == 401
        assert "set-cookie" not in answer.headers
    assert guarded.get("/?" + "&".join(["a=1"] * 200) + "&token=wrong").status == 401


def test_a_token_in_the_address_of_data_is_not_taken(guarded: Observed):
    assert guarded.get("/api/records", {"token": TOKEN}).status == 401


def test_an_exchange_leads_to_this_server_and_nowhere_else(guarded: Observed):
    for path in (
        "//evil.example/x",
        "///evil.example",
        "/\\evil.example",
        "/%0d%0aset-cookie:x=y",
        "/%2f%2fevil.example",
    ):
        connection = guarded.connect(f"GET {path}?token={TOKEN} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        head = answer_of(connection).partition(b"\r\n\r\n")[0]
        if b" 303 " in head:
            [location] = re.findall(rb"\r\nlocation: ([^\r\n]*)", head)
            assert re.match(rb"/(?![/\\])", location), location
            assert len(re.findall(rb"\r\nset-cookie:", head)) == 1


def test_where_no_token_is_asked_for_one_in_an_address_is_taken_out_and_does_no_harm(open_to_this_machine: Observed):
    answer = open_to_this_machine.get("/", {"token": "of another server", "view": "table"})

    assert (answer.status, answer.headers["location"]) == (303, "/?view=table")
    assert "set-cookie" not in answer.headers


def test_the_link_that_is_printed_opens_it_and_holds_no_token(guarded: Observed):
    assert TOKEN not in guarded.link
    [token] = re.findall(r"\?token=([\w-]+)$", guarded.link)

    cookie = cookie_of(guarded, token)

    assert guarded.get("/api/records", headers={"Cookie": cookie}).status == 200
    assert TOKEN not in cookie
    assert guarded.get("/api/records", headers={"Authorization": f"Bearer {token}"}).status == 401


def test_where_no_token_is_asked_for_the_link_has_none(open_to_this_machine: Observed):
    assert open_to_this_machine.link == f"{open_to_this_machine.origin}/"


def test_a_cookie_stands_beside_those_of_other_programs_of_this_machine(guarded: Observed):
    cookie = cookie_of(guarded, TOKEN)

    for others in ('prefs={"a":1,"b":[2]}', "a=b c d", "lonely", "x=é", "thoughtbox_1=1.2", "=", 'q="a\\"b'):
        for both in (f"{others}; {cookie}", f"{cookie}; {others}", f"{others};{cookie}"):
            assert guarded.get("/api/records", headers={"Cookie": both}).status == 200, both


def test_a_cookie_that_was_forged_has_expired_or_is_another_servers_opens_nothing(guarded: Observed):
    name, _, value = cookie_of(guarded, TOKEN).partition("=")
    until, _, seal = value.partition(".")
    forged = [
        f"{name}={value[:-1]}{'0' if value[-1] != '0' else '1'}",
        f"{name}={int(until) + 1}.{seal}",
        f"{name}={'9' * 12}.{seal}",
        f"{name}=.{seal}",
        f"{name}={until}.",
        f"{name}={until}",
        f"{name}=",
        f"{name}=..",
        f"{name}={'9' * 5000}.{seal}",
        f"{name}=-1.{seal}",
        f"{name}=٣.{seal}",
        f'{name}="\\351.1.{seal}"',
        f"{name}={until}.\xe9",
        f"{name}=link.{until}.{seal}",
        f"{name}x={value}",
        f"x{name}={value}",
        f"thoughtbox_1={value}",
    ]
    for cookie in forged:
        head = f"GET /api/records HTTP/1.1\r\nHost: localhost\r\nCookie: {cookie}\r\n\r\n".encode()
        assert answer_of(guarded.connect(head)).startswith(b"HTTP/1.1 401"), cookie


def test_a_cookie_holds_for_its_time_and_not_longer(guarded: Observed, monkeypatch: pytest.MonkeyPatch):
    headers = {"Cookie": cookie_of(guarded, TOKEN)}
    now = gate.time.time()

    class Later:
        time = staticmethod(lambda: now + gate.COOKIE_SECONDS + 2)

    assert guarded.get("/api/records", headers=headers).status == 200
    monkeypatch.setattr(gate, "time", Later)
    assert guarded.get("/api/records", headers=headers).status == 401


def test_a_cookie_holds_for_the_next_process_of_the_same_installation(guarded: Observed):
    """On the same port; a browser tells servers of one machine apart by the name of the cookie."""
    box = guarded.box
    first = Gate(box.app.settings, lambda _: None, port=1729, seal=server._seal(box.app))
    second = Gate(box.app.settings, lambda _: None, port=1729, seal=server._seal(box.app))
    [holder] = first.admission.known

    assert first._sealed(holder, 5) == second._sealed(holder, 5)
    assert first._key != second._key, "the link that is printed is good for its process alone"


def test_another_token_ends_what_was_opened_with_the_link(guarded: Observed):
    box, opened = guarded.box, []
    settings = box.app.settings
    for token in (settings.token, "another-token-of-20c"):
        gate = Gate(settings._replace(token=token), lambda _: None, port=1729, seal=server._seal(box.app))
        opened.append(gate._sealed(gate._bearer_of_link, 5))

    assert opened[0] != opened[1]


def test_tokens_and_cookies_are_compared_in_constant_time():
    """By construction: by nothing but `compare_digest`, and all of them every time."""
    visitor = inspect.getsource(Gate._visitor)
    holder = inspect.getsource(Gate._holder)

    assert "compare_digest(expected, seal)" in visitor
    assert "compare_digest(shown.encode(), self._key.encode())" in holder
    assert "==" not in visitor + holder
    assert hmac.compare_digest("a", "a")


# Tokens of a workspace


@pytest.fixture
def shared(guarded: Observed) -> tuple[Observed, str]:
    """A server with two workspaces, and a token that reaches the second one."""
    guarded.box.app.dispatcher.call(_plan_in(OTHER, "Only for Bob."))
    return guarded, Tokens(guarded.box.app.settings.data_dir).add("bob", [OTHER], ticking_world())


def _plan_in(workspace: str, text: str) -> Call:
    arguments = {"sessionId": "s", "planDescription": text}
    caller = Caller(agent="tester", transport="test")
    return Call(operation="thought_plan", workspace=workspace, arguments=arguments, caller=caller)


@pytest.mark.parametrize("how", ["bearer", "cookie"])
def test_a_token_of_a_workspace_sees_that_workspace_and_no_other(shared: tuple[Observed, str], how: str):
    shown, token = shared
    headers = {"Authorization": f"Bearer {token}"} if how == "bearer" else {"Cookie": cookie_of(shown, token)}

    def ask(path: str, **query: object) -> Response:
        return shown.get(path, query, headers)

    for path in ("/api/records", "/api/chain", "/api/graph", "/api/streams", "/api/export", "/api/search"):
        needed: dict[str, object] = {"q": "look only"} if path == "/api/search" else {}
        own = ask(path, **needed)
        assert own.status == 200
        assert b"Look around" not in own.body
        assert ask(path, workspace=OTHER, **needed).body == own.body or path == "/api/search"
        foreign, unknown = ask(path, workspace=WORKSPACE, **needed), ask(path, workspace="nowhere", **needed)
        assert foreign.status == unknown.status == 404
        assert foreign.body.replace(WORKSPACE.encode(), b"nowhere") == unknown.body, "it is not told what there is"
    assert ask("/api/workspaces").json() == {
        "workspaces": [{"workspace": OTHER, "records": 1, "streams": 1}],
        "default": OTHER,
    }
    watcher = shown.watch(additional_headers=headers)
    for channel in ("records", "sessions"):
        watcher.subscribe(channel, workspace=WORKSPACE)
        assert watcher.next()["data"]["code"] == "WORKSPACE_NOT_FOUND"
    watcher.subscribe("records", since=0)
    assert watcher.next()["data"]["record"]["body"]["text"] == "Only for Bob."
    shown.box.thought_plan(sessionId="s", planDescription="Not for Bob.")
    shown.box.app.dispatcher.call(_plan_in(OTHER, "For Bob, too."))
    assert watcher.next()["data"]["record"]["body"]["text"] == "For Bob, too."


def test_whose_token_is_removed_sees_nothing_more_and_the_others_go_on(shared: tuple[Observed, str]):
    shown, token = shared
    cookie = {"Cookie": cookie_of(shown, token)}
    by_link = {"Cookie": cookie_of(shown, re.findall(r"token=([\w-]+)", shown.link)[0])}
    bob = shown.watch(additional_headers=cookie)
    others = [shown.watch(additional_headers=headers) for headers in ({"Authorization": f"Bearer {TOKEN}"}, by_link)]

    Tokens(shown.box.app.settings.data_dir).remove("bob")

    assert shown.get("/api/records", headers=cookie).status == 401
    assert shown.get("/api/records", headers={"Authorization": f"Bearer {token}"}).status == 401
    assert bob.closed_with() == 1008
    for other in others:
        assert other.rest() == []
    assert shown.get("/api/records", headers=by_link).status == 200


# What every answer has


def test_every_answer_says_that_nothing_runs_or_is_framed_and_is_what_it_says_it_is(guarded: Observed):
    bearer = {"Authorization": f"Bearer {TOKEN}"}
    answers = [
        *(guarded.get(path, headers=headers) for path in ROUTES for headers in ({}, bearer)),
        *(guarded.get(path, headers={**bearer, "Host": "evil.example"}) for path in ROUTES),
        *(guarded.get(path, headers=bearer, method="HEAD") for path in ROUTES),
        guarded.get("/", {"token": TOKEN}),
        guarded.get("/", headers=bearer, method="POST"),
        guarded.get("/api/records", {"limit": 0}, bearer),
        guarded.get("/api/sessions/nobody", headers=bearer),
        guarded.get("/ws", headers={**bearer, "Upgrade": "websocket"}),
    ]
    for answer in answers:
        headers = answer.headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["x-frame-options"] == "DENY"
        assert headers["cross-origin-opener-policy"] == "same-origin"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        policy = dict(part.strip().partition(" ")[::2] for part in headers["content-security-policy"].split(";"))
        assert policy["default-src"] == policy["frame-ancestors"] == "'none'"
        assert "unsafe" not in headers["content-security-policy"]
        assert "*" not in headers["content-security-policy"]
        assert policy.get("script-src", "'self'") == "'self'"
        assert "set-cookie" not in headers or answer.status == 303


def test_the_page_runs_what_was_built_and_asks_this_server_alone(guarded: Observed):
    host = f"127.0.0.1:{guarded.port}"
    page = guarded.get("/", headers={"Authorization": f"Bearer {TOKEN}"})

    policy = dict(part.strip().partition(" ")[::2] for part in page.headers["content-security-policy"].split(";"))
    assert policy["connect-src"] == f"'self' ws://{host} wss://{host}"
    assert (policy["base-uri"], policy["form-action"]) == ("'none'", "'none'")
    assert page.headers["content-type"] == "text/html; charset=utf-8"


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND"])
def test_nothing_but_get_is_answered(open_to_this_machine: Observed, method: str):
    for path in ROUTES:
        answer = open_to_this_machine.get(path, method=method)
        assert answer.status == 405
        assert answer.headers["allow"] == "GET, HEAD, OPTIONS"


@pytest.mark.parametrize(
    "path",
    [
        "/../gate.py",
        "/page/../../gate.py",
        "/..%2fgate.py",
        "/%2e%2e/gate.py",
        "/%2e%2e%2f%2e%2e%2fetc/passwd",
        "/assets/../../gate.py",
        "/assets/%2e%2e/%2e%2e/gate.py",
        "//etc/passwd",
        "/etc/passwd",
        "/index.html%00",
        "/index.html/",
        "/./index.html",
        "/app.html",
        "/ASSETS",
        "/assets",
        "/assets/",
        "/\\..\\gate.py",
        "/%c0%ae%c0%ae/gate.py",
    ],
)
def test_no_path_leads_out_of_what_was_built(open_to_this_machine: Observed, path: str):
    connection = open_to_this_machine.connect(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())

    assert answer_of(connection).split()[1] in (b"404", b"400")


# Bounds


@pytest.mark.parametrize(
    ("accepts", "packed"),
    [("gzip, br", True), ("gzip;q=0.5", True), ("gzip;q=0", False), ("br, gzip; q=0.0", False), ("", False)],
)
def test_the_page_comes_packed_to_those_who_take_it_so(open_to_this_machine: Observed, accepts: str, packed: bool):
    answer = open_to_this_machine.get("/", headers={"Accept-Encoding": accepts})

    assert (answer.headers.get("content-encoding") == "gzip") is packed


def test_a_query_and_a_head_without_end_are_refused(open_to_this_machine: Observed):
    shown = open_to_this_machine
    assert shown.get("/api/search?q=" + "x" * 9_000).status == 414
    assert shown.get("/?token=" + "x" * 9_000).status == 414
    connection = shown.connect(b"GET /api/health HTTP/1.1\r\nHost: localhost\r\nX-Long: ")
    with pytest.raises(ConnectionError):
        connection.sendall(b"x" * 50 * 2**20)
    assert shown.ask("/api/health")["status"] == "ok"


def test_a_page_of_records_holds_as_many_as_a_page_may(open_to_this_machine: Observed):
    """However it is asked for, nobody makes the server read more than its page."""
    for path, most in (("records", 500), ("sessions", 200), ("graph", 20_000), ("chain", 2_000), ("streams", 500)):
        assert open_to_this_machine.get(f"/api/{path}", {"limit": most}).status == 200
        assert open_to_this_machine.get(f"/api/{path}", {"limit": most + 1}).status == 400


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> Iterator[Observed]:
    """A server with limits short enough to wait for, and long enough for who keeps them."""
    for name in ("HEAD_SECONDS", "BODY_SECONDS"):
        monkeypatch.setattr(limits, name, 1.0)
    monkeypatch.setattr(limits, "SILENCE_SECONDS", 2.0)
    monkeypatch.setattr(watcher, "PING_SECONDS", 0.2)
    monkeypatch.setattr(watcher, "SILENCE_SECONDS", 3.0)
    monkeypatch.setattr(server, "TICK_SECONDS", 0.05)
    monkeypatch.setattr(server, "LOOK_SECONDS", 1)
    yield from box_in()


def test_the_limits_that_are_waited_for_are_within_a_minute():
    looks = server.TICK_SECONDS * server.LOOK_SECONDS
    assert max(limits.HEAD_SECONDS, limits.BODY_SECONDS) <= 60
    assert watcher.SILENCE_SECONDS + looks <= 60
    assert watcher.PING_SECONDS + looks < watcher.SILENCE_SECONDS


@pytest.mark.parametrize(
    "begun",
    [
        b"",
        b"G",
        HANDSHAKE[:40],
        HANDSHAKE[:-2],
        b"GET /api/records HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nx",
    ],
    ids=["nothing", "a letter", "half a head", "nearly all of it", "half a body"],
)
def test_half_a_request_is_dropped(hurried: Observed, begun: bytes):
    connection = hurried.connect(begun)

    all_of(connection)  # which ends when the server closes it


@pytest.mark.parametrize("begun", [b"", masked(TEXT, b"x" * 90)[:9], masked(TEXT, b"x", is_final=False)])
def test_who_does_not_answer_a_ping_is_dropped(hurried: Observed, begun: bytes):
    connection = hurried.connect(HANDSHAKE)
    taken(connection, b"\r\n\r\n")
    connection.sendall(begun)

    assert bytes([0x80 | PING, 0]) in all_of(connection), "it was asked"
    all_are_gone(hurried)


def test_who_answers_pings_stays(hurried: Observed):
    there = hurried.watch()  # which a library answers for
    gone = hurried.connect(HANDSHAKE)

    all_of(gone)

    assert there.rest() == []


def test_who_takes_nothing_is_dropped_however_much_it_says(hurried: Observed):
    """Its own pings do not keep it, and what it would be answered does not pile up."""
    connection = hurried.connect(HANDSHAKE, takes=4096)
    sending = threading.Thread(target=_flood, args=(connection, masked(PING, b"x" * 125) * 500), daemon=True)
    sending.start()

    sending.join(PATIENCE)

    assert not sending.is_alive()
    all_are_gone(hurried)


def _flood(connection: socket.socket, data: bytes) -> None:
    try:
        while True:
            connection.sendall(data)
    except OSError:
        return


def test_what_is_not_taken_does_not_pile_up(open_to_this_machine: Observed, monkeypatch: pytest.MonkeyPatch):
    """Whoever sends and does not read is not read any more, either: it can send no more than is kept on the way."""
    monkeypatch.setattr(watcher, "HIGH_WATER", 1 << 16)
    connection = open_to_this_machine.connect(HANDSHAKE, takes=4096)
    connection.setblocking(False)
    sent, stuck = 0, 0
    data = masked(PING, b"x" * 125) * 500
    while stuck < 20:
        try:
            sent += connection.send(data)
            stuck = 0
        except BlockingIOError:
            stuck += 1
            open_to_this_machine.ask("/api/health")  # others are served meanwhile
        assert sent < 50 << 20, "it takes whatever comes"


def test_what_is_asked_for_and_not_taken_is_not_even_read(
    open_to_this_machine: Observed, monkeypatch: pytest.MonkeyPatch
):
    """Many large answers asked for at once are made as they are taken; in the end all of them come."""
    asked, shown = 80, open_to_this_machine
    monkeypatch.setattr(watcher, "HIGH_WATER", 1 << 16)
    story = Story(shown.box)
    for _ in range(3):
        story.mia.think("x" * 100_000)
    made: list[str] = []
    real = audience.session_page
    monkeypatch.setattr(audience, "session_page", lambda tx, id, **given: (made.append(id), real(tx, id, **given))[1])
    connection = shown.connect(HANDSHAKE, takes=4096)
    taken(connection, b"\r\n\r\n")

    connection.sendall(said({"action": "subscribe", "channel": "reasoning", "sessionId": story.id}) * asked)

    before = -1
    while len(made) > before:  # as long as more are made
        before = len(made)
        for _ in range(20):
            shown.ask("/api/records", limit=1)
    assert len(made) < asked // 2
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
    name, rest, found = b'"session:snapshot"', b"", 0
    while found < asked:
        some = connection.recv(1 << 20)
        assert some, "it is closed"
        found += (rest + some).count(name)
        rest = (rest + some)[1 - len(name) :]
    assert len(made) == asked


def test_a_download_that_nobody_takes_is_dropped(hurried: Observed, monkeypatch: pytest.MonkeyPatch):
    for _ in range(60):
        hurried.box.thought_plan(sessionId="s", planDescription="x" * 100_000)
    dropped = threading.Event()
    drop = BoundedHttp.drop
    monkeypatch.setattr(BoundedHttp, "drop", lambda line: (drop(line), dropped.set()))
    connection = hurried.connect(b"GET /api/export HTTP/1.1\r\nHost: localhost\r\n\r\n", takes=4096)
    assert connection.recv(12) == b"HTTP/1.1 200"

    assert dropped.wait(PATIENCE)

    assert not all_of(connection).endswith(b"0\r\n\r\n"), "it can be told from one that is whole"


def test_a_download_comes_whole_to_who_says_no_more(open_to_this_machine: Observed, monkeypatch: pytest.MonkeyPatch):
    """It is looked whether anybody is there, and nothing of that gets into the file."""
    shown = open_to_this_machine
    for _ in range(60):
        shown.box.thought_plan(sessionId="s", planDescription="x" * 100_000)
    probed = threading.Event()
    probe = BoundedHttp._probe
    monkeypatch.setattr(limits, "PROBE_SECONDS", 0.01)
    monkeypatch.setattr(BoundedHttp, "_probe", lambda line: (probe(line), probed.set()))
    connection = shown.connect(b"GET /api/export HTTP/1.1\r\nHost: localhost\r\n\r\n", takes=4096)
    connection.recv(1)
    connection.shutdown(socket.SHUT_WR)
    assert probed.wait(PATIENCE)

    body = all_of(connection).partition(b"\r\n\r\n")[2]

    assert b": ping" not in body
    whole = b""
    while body:
        size, _, body = body.partition(b"\r\n")
        whole += body[: int(size, 16)]
        body = body[int(size, 16) + 2 :]
    assert whole == shown.get("/api/export").body


def test_who_goes_before_the_answer_comes_is_no_failure_of_the_server(
    in_memory: Observed, caplog: pytest.LogCaptureFixture
):
    paths = ("/api/records", "/api/sessions", "/api/search?q=x", "/api/graph", "/api/verify", "/api/export")
    for number in range(120):
        path = paths[number % len(paths)]
        with socket.create_connection(("127.0.0.1", in_memory.port)) as connection:
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # without a word

    assert soon(lambda: in_memory.get("/api/export").status == 200)
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


def test_300_connections_that_come_and_go_leave_nothing(in_memory: Observed):
    def left() -> tuple[int, int]:
        gc.collect()
        return len(list(Path("/proc/self/fd").iterdir())), threading.active_count()

    in_memory.watch().rest()
    files, threads = left()
    begun = [b"", b"GET /", b"GET /api/records HTTP/1.1\r\nHost: localhost\r\n\r\n", HANDSHAKE]
    begun += [HANDSHAKE + said({"action": "subscribe", "channel": "records", "since": 0}), HANDSHAKE + b"\xff" * 9]
    for number in range(300):
        with socket.create_connection(("127.0.0.1", in_memory.port)) as connection:
            connection.sendall(begun[number % len(begun)])

    soon(lambda: in_memory.watchers() == 1)
    soon(lambda: left()[0] <= files + 1)
    assert left()[1] <= threads + 4, "a few readers of the store at most"


# Handshakes


@pytest.mark.parametrize(
    ("was", "now", "status"),
    [
        (b"Upgrade: websocket\r\n", b"Upgrade: h2c\r\n", b"400"),
        (b"Connection: Upgrade\r\n", b"", b"400"),
        (b"Connection: Upgrade\r\n", b"Connection: keep-alive\r\n", b"400"),
        (b"Connection: Upgrade\r\n", b"Connection: keep-alive, Upgrade\r\n", b"101"),
        (b"Version: 13", b"Version: 8", b"426"),
        (b"Sec-WebSocket-Version: 13\r\n", b"", b"426"),
        (b"dGhlIHNhbXBsZSBub25jZQ==", b"", b"400"),
        (b"dGhlIHNhbXBsZSBub25jZQ==", b"eA==", b"400"),
        (b"HTTP/1.1", b"HTTP/1.0", b"400"),
        (b"GET", b"HEAD", b"400"),
        (b"GET", b"POST", b"405"),
        (b"/ws", b"/elsewhere", b"404"),
        (b"/ws", b"/api/ws", b"404"),
        (b"websocket", b"WebSocket", b"101"),
    ],
)
def test_what_is_no_handshake_is_answered_as_what_it_is(
    open_to_this_machine: Observed, was: bytes, now: bytes, status: bytes
):
    connection = open_to_this_machine.connect(HANDSHAKE.replace(was, now))

    assert connection.recv(1 << 16).split()[1] == status


def test_a_handshake_is_taken_after_an_answer_and_with_what_comes_behind_it(open_to_this_machine: Observed):
    health = b"GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n"

    connection = open_to_this_machine.connect(health + HANDSHAKE + said("ping"))

    assert taken(connection, b"pong").count(b"HTTP/1.1 ") == 2


def test_a_handshake_that_did_not_wait_for_an_answer_is_refused_and_the_connection_ends(
    open_to_this_machine: Observed,
):
    records = b"GET /api/records HTTP/1.1\r\nHost: localhost\r\n\r\n"

    answers = all_of(open_to_this_machine.connect(records + HANDSHAKE + said("ping")))

    assert re.findall(rb"HTTP/1\.1 (\d+)", answers) == [b"200", b"400"]


def test_behind_a_handshake_that_is_refused_nothing_is_read(open_to_this_machine: Observed):
    """What was meant for a WebSocket, or as its body, is never taken for a request."""
    behind = b"GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n"
    refused = HANDSHAKE.replace(b"Version: 13", b"Version: 8")

    for sent in (refused + behind, refused[:-2] + b"Content-Length: 49\r\n\r\n" + behind):
        assert re.findall(rb"HTTP/1\.1 (\d+)", all_of(open_to_this_machine.connect(sent))) == [b"426"]


def test_no_extension_and_no_subprotocol_is_agreed_on(open_to_this_machine: Observed):
    watching = open_to_this_machine.watch(compression="deflate", subprotocols=["chat", "mcp"])

    assert watching.connection.protocol.extensions == []
    assert watching.connection.subprotocol is None


# Whatever comes


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.one_of(st.binary(max_size=60), st.builds(lambda body: masked(TEXT, body), st.binary(max_size=80)))))
def test_whatever_comes_over_a_socket_the_server_goes_on(open_to_this_machine: Observed, sent: list[bytes]):
    with socket.create_connection(("127.0.0.1", open_to_this_machine.port), timeout=PATIENCE) as connection:
        connection.sendall(HANDSHAKE + b"".join(sent) + masked(8, b"\x03\xe8"))
        connection.shutdown(socket.SHUT_WR)  # half a frame would be waited for as long as a watcher may be silent
        found = all_of(connection)

    assert found.startswith(b"HTTP/1.1 101")
    assert open_to_this_machine.ask("/api/health")["status"] == "ok"


HEADS = st.lists(
    st.tuples(
        st.sampled_from(["Cookie", "Origin", "Upgrade", "Authorization", "Sec-Fetch-Site", "Accept-Encoding", "X"]),
        st.text(st.characters(codec="latin-1", exclude_categories=["Cc"]), max_size=30),
    ),
    max_size=4,
)
TARGETS = st.one_of(
    st.sampled_from(ROUTES),
    st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=40).map(lambda text: f"/{text}"),
    st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=40).map(lambda text: f"/api/records?{text}"),
    st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=40).map(lambda text: f"/?token={text}"),
)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TARGETS, HEADS)
def test_whatever_is_asked_the_answer_is_no_failure_of_the_server(
    open_to_this_machine: Observed, target: str, headers: list[tuple[str, str]]
):
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
    head = f"GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{lines}\r\n".encode("latin-1")
    with socket.create_connection(("127.0.0.1", open_to_this_machine.port), timeout=PATIENCE) as connection:
        connection.sendall(head)
        found = all_of(connection)

    assert re.match(rb"HTTP/1\.1 (200|303|400|401|403|404|414|426) ", found), found[:200]
