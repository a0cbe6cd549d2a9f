"""The agent of a story: a real MCP client in front of a real server process.

    def test_a_plan_is_kept(agent):
        agent.thought_plan(sessionId="s1", planDescription="Move the cache")

The same story can be told through every door there is: over stdio and HTTP, in both
protocol eras, on both engines. Servers are started once per test process and shared;
every story has a workspace of its own in them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count, product
from pathlib import Path
from typing import Any, Literal, TextIO, cast, get_args

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import CallToolResult, Implementation, RequestParamsMeta, Tool

from tests.support.postgres import fresh_schema, server_url
from tests.support.servers import PATIENCE, SERVE, STATELESS, HttpServer, environment
from thoughtbox.app import Thoughtbox
from thoughtbox.ledger.replay import rebuild
from thoughtbox.ledger.verify import verify_workspace
from thoughtbox.settings import load

Transport = Literal["stdio", "http"]
Era = Literal["handshake", "stateless"]
Engine = Literal["sqlite", "postgres"]


@dataclass(frozen=True, slots=True)
class Door:
    """One way in: how the client connects, which protocol it speaks, and what the server keeps its records in."""

    transport: Transport
    era: Era
    engine: Engine

    def __str__(self) -> str:
        return f"{self.transport}-{self.era}-{self.engine}"

    @property
    def mode(self) -> str:
        """What the SDK's client calls the era."""
        return "legacy" if self.era == "handshake" else STATELESS


DOORS = [Door(*parts) for parts in product(get_args(Transport), get_args(Era), get_args(Engine))]


def choose(seed: str, test: str, doors: list[Door]) -> Door:
    """The door that this test takes under this seed: always the same one."""
    return random.Random(f"{seed} {test}").choice(doors)


class ToolFailed(Exception):
    """The server refused a call, or could not do it."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(f"{error.get('code')}: {error.get('message')}")
        self.code: str = error["code"]
        self.message: str = error["message"]
        self.recovery: str | None = error.get("recovery")
        self.details: dict[str, Any] = error.get("details", {})


class Agent:
    """A connected client, with a plain function for every operation."""

    def __init__(self, door: Door, portal: BlockingPortal, client: Client, workspace: str) -> None:
        self.door = door
        self.client = client
        self.workspace = workspace
        self._portal = portal

    def __getattr__(self, operation: str) -> Callable[..., dict[str, Any]]:
        if operation.startswith("_"):
            raise AttributeError(operation)
        return lambda **arguments: self.call(operation, arguments)

    def call(
        self, operation: str, arguments: dict[str, Any] | None = None, *, key: str | None = None, as_of: Any = None
    ) -> dict[str, Any]:
        """The operation's answer; `ToolFailed` when it was refused."""
        options = {"thoughtbox/idempotencyKey": key, "thoughtbox/asOf": as_of}
        result = self.raw_call(
            operation, arguments, {name: value for name, value in options.items() if value is not None}
        )
        assert result.structured_content is not None
        if result.is_error:
            raise ToolFailed(result.structured_content)
        return result.structured_content

    def raw_call(
        self, operation: str, arguments: dict[str, Any] | None = None, meta: dict[str, Any] | None = None
    ) -> CallToolResult:
        """What the protocol carried."""
        told = cast("RequestParamsMeta", {"thoughtbox/workspace": self.workspace, **(meta or {})})
        return self.run(lambda: self.client.call_tool(operation, arguments or {}, meta=told))

    def list_tools(self) -> list[Tool]:
        return self.run(lambda: self.client.list_tools(cache_mode="bypass")).tools

    def run(self, ask: Callable[[], Any]) -> Any:
        """Await something in the client's own event loop: `agent.run(lambda: agent.client.list_tools())`."""
        return self._portal.call(ask)


class Doors:
    """The servers of one test process. Each is started when a story first comes through it."""

    def __init__(self, config: pytest.Config, directory: Path) -> None:
        self._config = config
        self._directory = directory
        self._open = ExitStack()
        self._portal = self._open.enter_context(start_blocking_portal())
        self._clients: dict[Door, Client] = {}
        self._servers: dict[Engine, HttpServer] = {}
        self._stores: dict[Engine, dict[str, str]] = {}
        self._auditors: dict[Engine, Thoughtbox] = {}
        self._workspaces = count(1)

    def close(self) -> None:
        self._open.close()

    @contextmanager
    def agent(self, door: Door) -> Generator[Agent]:
        """An agent in a workspace of its own. When its story has been told, the books are checked."""
        workspace = f"story-{next(self._workspaces)}"
        yield Agent(door, self._portal, self._connected(door), workspace)
        self._audit(door.engine, workspace)

    @contextmanager
    def fresh_agent(self, door: Door, directory: Path, **settings: str) -> Generator[Agent]:
        """An agent with a server and a store that nobody else uses."""
        with ExitStack() as kept:
            told = environment(directory, **self._place(door.engine, kept), **settings)
            url = ""
            if door.transport == "http":
                server = HttpServer(told)
                kept.callback(server.stop)
                url = server.url
            client = kept.enter_context(self._client(door, told, url, self._errors(kept, directory)))
            yield Agent(door, self._portal, client, load(told).project)

    def _connected(self, door: Door) -> Client:
        if door not in self._clients:
            told = self._store(door.engine)
            url = self._server(door.engine).url if door.transport == "http" else ""
            errors = self._errors(self._open, self._directory)
            self._clients[door] = self._open.enter_context(self._client(door, told, url, errors))
        return self._clients[door]

    def _server(self, engine: Engine) -> HttpServer:
        if engine not in self._servers:
            self._servers[engine] = HttpServer(self._store(engine), stderr=self._errors(self._open, self._directory))
            self._open.callback(self._servers[engine].stop)
        return self._servers[engine]

    def _store(self, engine: Engine) -> dict[str, str]:
        if engine not in self._stores:
            self._stores[engine] = environment(self._directory / engine, **self._place(engine, self._open))
        return self._stores[engine]

    def _place(self, engine: Engine, kept: ExitStack) -> dict[str, str]:
        if engine == "sqlite":
            return {}
        return {"THOUGHTBOX_DATABASE_URL": kept.enter_context(fresh_schema(server_url(self._config)))}

    @contextmanager
    def _client(self, door: Door, told: dict[str, str], url: str, errors: TextIO) -> Generator[Client]:
        server = StdioServerParameters(command=SERVE[0], args=[*SERVE[1:], "stdio"], env=told)
        client = Client(
            url or stdio_client(server, errlog=errors),
            mode=door.mode,
            client_info=Implementation(name="tester", version="1"),
            read_timeout_seconds=PATIENCE,
        )
        with self._portal.wrap_async_context_manager(client):
            yield client

    def _errors(self, kept: ExitStack, directory: Path) -> TextIO:
        """Where a server's own complaints go: a file beside the store."""
        directory.mkdir(parents=True, exist_ok=True)
        file: TextIO = (directory / "stderr.txt").open("a", encoding="utf-8")
        return kept.enter_context(file)

    def _audit(self, engine: Engine, workspace: str) -> None:
        """Whether the workspace verifies, and every view, made anew from the ledger, equals the one in use."""
        if engine not in self._auditors:
            self._auditors[engine] = self._open.enter_context(Thoughtbox(load(self._store(engine))))
        box = self._auditors[engine]
        verdict = box.engine.read(
            lambda sql: verify_workspace(
                sql, workspace, keys=box.keyring.verifiers, notes=box.keyring.recall(workspace)
            )
        ).result()
        assert verdict.valid, verdict.problem
        changed = [kind.name for kind in box.views.kinds if not rebuild(box.engine, kind, box.views)]
        assert not changed, f"made anew from the ledger, these views differ: {', '.join(changed)}"
