"""Tokens: strong enough or refused, kept as hashes, and each for its workspaces only."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from http.client import HTTPException
from pathlib import Path
from typing import Any

import pytest

from tests.support.forks import PATIENCE
from tests.support.servers import HANDSHAKE, INITIALIZE, HttpServer, environment, soon
from thoughtbox.doors.mcp.transports.gate import check_exposure
from thoughtbox.errors import ConfigurationError
from thoughtbox.settings import load
from thoughtbox.tokens import FILE, Tokens
from thoughtbox.world import World

MASTER = "correct-horse-battery-staple"
OWN, SHARED, OTHERS, PROJECT = "team/alice", "team/shared", "team/bob", "_default"


def thoughtbox(*words: str, directory: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "thoughtbox", *words],
        env=environment(directory, **settings),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )


class TokenBearer:
    """A client with a token, in one protocol era or the other."""

    def __init__(self, server: HttpServer, token: str, *, handshake: bool = False) -> None:
        self._server = server
        self._headers = {"Authorization": f"Bearer {token}"}
        self._handshake = handshake
        if handshake:
            body = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": INITIALIZE}
            opened = server.request(body=body, headers=self._headers)
            self._headers |= {
                "Mcp-Session-Id": opened.headers["mcp-session-id"],
                "MCP-Protocol-Version": HANDSHAKE,
            }
            initialized = {"jsonrpc": "2.0", "method": "notifications/initialized"}
            server.request(body=initialized, headers=self._headers)

    def ask(self, method: str, workspace: str | None = None, **params: Any) -> dict[str, Any]:
        meta = {} if workspace is None else {"_meta": {"thoughtbox/workspace": workspace}}
        if not self._handshake:
            name = {"Mcp-Name": params["uri"]} if "uri" in params else {}
            return self._server.ask(method, {**params, **meta}, headers={**self._headers, **name}).json()
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, **meta}}
        return self._server.request(body=body, headers=self._headers).json()

    def call(self, tool: str, workspace: str | None = None, **arguments: Any) -> dict[str, Any]:
        return self.ask("tools/call", workspace, name=tool, arguments=arguments)["result"]

    def note(self, content: str, workspace: str | None = None) -> dict[str, Any]:
        return self.call("thought_record", workspace, sessionId="s1", thoughtType="note", content=content)


class Served:
    """A server with a token for everything and one for two workspaces."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.named = Tokens(directory).add("alice", [OWN, SHARED], World())
        self.server = HttpServer(environment(directory, THOUGHTBOX_TOKEN=MASTER))
        for workspace in (OWN, OTHERS, PROJECT):
            TokenBearer(self.server, MASTER).note(f"of {workspace}", workspace)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    served = Served(tmp_path_factory.mktemp("tokens"))
    yield served
    served.server.stop()


@pytest.fixture(params=["stateless", "handshake"])
def alice(served: Served, request: pytest.FixtureRequest) -> TokenBearer:
    return TokenBearer(served.server, served.named, handshake=request.param == "handshake")


@pytest.fixture
def master(served: Served) -> TokenBearer:
    return TokenBearer(served.server, MASTER)


@pytest.mark.parametrize(
    "token",
    [
        " ",
        "x",
        "fifteen-letters",
        " padded-with-blanks ",
        "a blank in the middle",
        "tabs\tare-blanks-too",
        "not-only-äscii-in-it",
    ],
)
@pytest.mark.parametrize("how", ["variable", "option"])
def test_a_token_that_could_be_guessed_or_does_not_fit_a_header_is_refused_at_the_start(
    tmp_path: Path, token: str, how: str
):
    if how == "variable":
        refused = thoughtbox("serve", "--http", directory=tmp_path, THOUGHTBOX_TOKEN=token)
    else:
        refused = thoughtbox("serve", "--http", "--token", token, directory=tmp_path)

    assert refused.returncode == 2
    assert ("THOUGHTBOX_TOKEN" if how == "variable" else "--token") in refused.stderr
    assert "characters" in refused.stderr or "blanks" in refused.stderr
    assert token.strip() == "x" or not token.strip() or token not in refused.stderr
    assert "Traceback" not in refused.stderr
    assert not list(tmp_path.iterdir()), "nothing was opened"


def test_an_option_without_a_token_is_a_mistake_and_not_an_open_door(tmp_path: Path):
    refused = thoughtbox("serve", "--http", "--token", "", directory=tmp_path)

    assert refused.returncode == 2
    assert "--token" in refused.stderr
    assert "it is empty" in refused.stderr


def test_sixteen_characters_will_do(tmp_path: Path):
    assert load(environment(tmp_path, THOUGHTBOX_TOKEN="x" * 16)).token == "x" * 16


def test_a_token_is_32_random_bytes_and_only_its_hash_is_kept(tmp_path: Path):
    made = thoughtbox("token", "add", "ci", "--workspace", "builds", "--workspace", "team/a", directory=tmp_path)

    token = made.stdout.strip()
    assert len(base64.urlsafe_b64decode(f"{token}=")) == 32
    kept = (tmp_path / FILE).read_text(encoding="utf-8")
    assert token not in kept
    (entry,) = json.loads(kept)["tokens"]
    assert (entry["name"], entry["workspaces"]) == ("ci", ["builds", "team/a"])
    assert entry["sha256"] == sha256(token.encode()).hexdigest()
    assert (tmp_path / FILE).stat().st_mode & 0o777 == 0o600
    assert token not in made.stderr


def test_tokens_are_listed_without_what_opens_anything_and_removed(tmp_path: Path):
    token = thoughtbox("token", "add", "ci", "--workspace", "builds", directory=tmp_path).stdout.strip()

    listed = thoughtbox("token", "list", directory=tmp_path)
    as_json = json.loads(thoughtbox("token", "list", "--json", directory=tmp_path).stdout)
    removed = thoughtbox("token", "remove", "ci", directory=tmp_path)

    assert "builds" in listed.stdout
    assert token not in listed.stdout
    assert as_json["tokens"][0].keys() == {"name", "workspaces", "createdAt"}
    assert removed.returncode == 0
    assert Tokens(tmp_path).read() == ()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["add", "ci"], "--workspace"),
        (["add", "--workspace", "a"], "name"),
        (["add", "a b", "--workspace", "a"], "cannot be the name"),
        (["add", "ci", "--workspace", "a/../b"], "a/../b"),
        (["remove", "nobody"], "there is no token"),
        (["remove"], "name"),
        (["list", "ci"], "no name"),
        (["remove", "ci", "--workspace", "a"], "as a whole"),
        (["mint", "ci"], "mint"),
    ],
)
def test_a_token_command_that_cannot_be_done_says_why(tmp_path: Path, words: list[str], said: str):
    refused = thoughtbox("token", *words, directory=tmp_path)

    assert refused.returncode == 2
    assert said in refused.stderr
    assert refused.stdout == ""


def test_one_name_is_one_token(tmp_path: Path):
    tokens = Tokens(tmp_path)
    tokens.add("ci", ["a"], World())

    with pytest.raises(ConfigurationError, match="already"):
        tokens.add("ci", ["b"], World())

    assert [token.workspaces for token in tokens.read()] == [("a",)]


def test_tokens_made_at_the_same_time_are_all_kept(tmp_path: Path):
    threads = [
        threading.Thread(target=lambda name=f"t{number}": Tokens(tmp_path).add(name, ["a"], World()))
        for number in range(16)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert {token.name for token in Tokens(tmp_path).read()} == {f"t{number}" for number in range(16)}


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"tokens": [{}]}',
        '{"tokens": [{"name": "a", "sha256": "", "workspaces": ["a"], "createdAt": ""}]}',
        json.dumps({"tokens": [{"name": "a", "sha256": "0" * 64, "workspaces": [], "createdAt": ""}]}),
        json.dumps({"tokens": [{"name": "a", "sha256": "0" * 64, "workspaces": ["../x"], "createdAt": ""}]}),
    ],
)
def test_a_token_file_that_cannot_be_read_is_no_reason_to_let_everybody_in(tmp_path: Path, text: str):
    (tmp_path / FILE).write_text(text, encoding="utf-8")

    with pytest.raises(ConfigurationError, match=FILE):
        check_exposure(load(environment(tmp_path)))


def test_a_token_with_a_name_is_enough_to_listen_beyond_this_machine(tmp_path: Path):
    token = Tokens(tmp_path).add("ci", [PROJECT], World())
    server = HttpServer(environment(tmp_path, THOUGHTBOX_HOST="0.0.0.0"))
    try:
        assert TokenBearer(server, token).note("x")["isError"] is False
        assert server.request(body={}, headers={}).status == 401
    finally:
        server.stop()


def test_a_token_reaches_its_workspaces(alice: TokenBearer, master: TokenBearer):
    assert alice.call("ledger_status", OWN)["structuredContent"]["workspace"] == OWN
    written = alice.note("shared", SHARED)["structuredContent"]

    assert written["success"]
    assert master.call("ledger_status", SHARED)["structuredContent"]["records"] >= 1


def test_a_request_that_names_no_workspace_goes_to_the_tokens_first(alice: TokenBearer):
    """The server's own is not among them, and most clients cannot name one."""
    assert alice.call("ledger_status")["structuredContent"]["workspace"] == OWN


def test_the_servers_own_workspace_comes_first_for_a_token_that_reaches_it(tmp_path: Path):
    token = Tokens(tmp_path).add("ci", ["builds", PROJECT], World())
    server = HttpServer(environment(tmp_path))
    try:
        assert TokenBearer(server, token).call("ledger_status")["structuredContent"]["workspace"] == PROJECT
    finally:
        server.stop()


@pytest.mark.parametrize("workspace", [OTHERS, PROJECT, "nobody/has/this"])
def test_what_a_token_does_not_reach_is_not_there_whether_it_exists_or_not(alice: TokenBearer, workspace: str):
    """On every kind of request; nothing in the answer depends on the workspace but its name."""
    calls = [
        alice.call("ledger_status", workspace),
        alice.note("intruding", workspace),
        alice.call("thought_tree", workspace, sessionId="s1"),
        alice.call("thoughtbox_gateway", workspace, operation="start_new", args={"title": "x"}),
    ]
    refusals = [
        alice.ask("resources/read", workspace, uri="thoughtbox://ledger/status"),
        alice.ask("resources/list", workspace),
        alice.ask("tools/list", workspace),
        alice.ask("prompts/get", workspace, name="explain_action", arguments={"actionId": "a"}),
        alice.ask(
            "completion/complete",
            workspace,
            ref={"type": "ref/prompt", "name": "explain_action"},
            argument={"name": "actionId", "value": ""},
        ),
    ]

    for result in calls:
        assert result["isError"]
        assert result["structuredContent"] == {
            "code": "WORKSPACE_NOT_FOUND",
            "message": f"there is no workspace `{workspace}` for this token",
            "recovery": f"It reaches {OWN}, {SHARED}.",
        }
    for answer in refusals:
        assert answer["error"]["data"]["code"] == "WORKSPACE_NOT_FOUND"


def test_nothing_was_written_where_the_token_does_not_reach(alice: TokenBearer, master: TokenBearer):
    alice.note("intruding", OTHERS)

    assert master.call("ledger_status", OTHERS)["structuredContent"]["records"] == 1


def test_changes_where_the_token_does_not_reach_are_not_told(served: Served):
    handshake = TokenBearer(served.server, served.named, handshake=True)
    subscribed = handshake.ask("resources/subscribe", uri="thoughtbox://ledger/status")
    listening = TokenBearer(served.server, served.named).ask(
        "subscriptions/listen", notifications={"resourcesListChanged": True}
    )

    assert subscribed["error"]["data"]["code"] == "WORKSPACE_NOT_FOUND"
    assert listening["error"]["data"]["code"] == "WORKSPACE_NOT_FOUND"


def test_the_token_for_everything_reaches_every_workspace(master: TokenBearer):
    for workspace in (OWN, OTHERS, PROJECT, "one/more"):
        assert master.call("ledger_status", workspace)["structuredContent"]["workspace"] == workspace


def test_a_removed_token_opens_nothing_in_a_running_server_and_its_streams_end(tmp_path: Path):
    tokens = Tokens(tmp_path)
    gone, kept = (tokens.add(name, [PROJECT], World()) for name in ("gone", "kept"))
    server = HttpServer(environment(tmp_path))
    try:
        client = TokenBearer(server, gone, handshake=True)
        ended: set[str] = set()

        def watch(token: str) -> None:
            listen = {"notifications": {"resourcesListChanged": True}}
            with suppress(OSError, HTTPException):
                server.ask("subscriptions/listen", listen, {"Authorization": f"Bearer {token}"})
            ended.add(token)

        for token in (gone, kept):
            threading.Thread(target=watch, args=(token,), daemon=True).start()
        assert TokenBearer(server, gone).note("x")["isError"] is False
        assert client.note("y")["isError"] is False

        assert thoughtbox("token", "remove", "gone", directory=tmp_path).returncode == 0

        assert server.request(body={}, headers={"Authorization": f"Bearer {gone}"}).status == 401
        assert server.request(body={}, headers=client._headers).status == 401
        assert TokenBearer(server, kept).note("z")["isError"] is False
        soon(lambda: gone in ended)
        assert kept not in ended
    finally:
        server.stop()


def test_a_server_without_tokens_asks_for_one_as_soon_as_there_is_one_and_never_opens_again(tmp_path: Path):
    server = HttpServer(environment(tmp_path))
    try:
        assert server.call("ledger_status")["records"] == 0

        token = Tokens(tmp_path).add("first", [PROJECT], World())
        assert server.request(body={}).status == 401
        assert TokenBearer(server, token).note("x")["isError"] is False

        Tokens(tmp_path).remove("first")
        assert server.request(body={}).status == 401

        (tmp_path / FILE).write_text("{", encoding="utf-8")
        assert server.request(body={}, headers={"Authorization": f"Bearer {token}"}).status == 401
    finally:
        server.stop()


def test_no_token_is_ever_logged(tmp_path: Path):
    said = tmp_path / "stderr"
    data = tmp_path / "data"
    named = Tokens(data).add("ci", [PROJECT], World())
    with said.open("w", encoding="utf-8") as stderr:
        server = HttpServer(
            environment(data, THOUGHTBOX_TOKEN=MASTER, THOUGHTBOX_LOG_LEVEL="debug"),
            prelude="import logging\nlogging.basicConfig(level=1)\n",
            stderr=stderr,
        )
    try:
        for token in (named, MASTER, f"{named}x"):
            server.request(body={}, headers={"Authorization": f"Bearer {token}"})
        TokenBearer(server, named).note("x")
        TokenBearer(server, named, handshake=True).note("x")
        TokenBearer(server, named).note("x", OTHERS)
        os.truncate(data / FILE, 5)
        server.request(body={}, headers={"Authorization": f"Bearer {named}"})
    finally:
        server.popen.terminate()
        server.ends_within(PATIENCE)
        server.stop()
    text = said.read_text(encoding="utf-8")
    assert FILE in text, "but that the file is damaged is"
    assert named not in text
    assert MASTER not in text


def test_the_state_of_a_call_belongs_to_the_token_that_got_it(served: Served):
    """A call in two rounds, the first of which another token has seen."""
    other = Tokens(served.directory).add("bob", [OWN], World())
    roots = {"io.modelcontextprotocol/clientCapabilities": {"roots": {}}}
    call = {"name": "list_roots", "arguments": {}, "_meta": {"thoughtbox/workspace": OWN, **roots}}

    def asked(token: str, **more: Any) -> dict[str, Any]:
        return served.server.ask("tools/call", {**call, **more}, {"Authorization": f"Bearer {token}"}).json()

    begun = asked(served.named)["result"]
    answer = {name: {"roots": [{"uri": "file:///home/alice"}]} for name in begun["inputRequests"]}

    taken = asked(other, requestState=begun["requestState"], inputResponses=answer)
    own = asked(served.named, requestState=begun["requestState"], inputResponses=answer)

    assert taken["error"]["data"]["reason"] == "invalid_request_state"
    assert own["result"]["structuredContent"]["roots"][0]["uri"] == "file:///home/alice"
