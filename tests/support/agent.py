"""The agent of a story: a real MCP client in front of a real server process.

    def test_a_plan_is_kept(agent):
        agent.thought_plan(sessionId="s1", planDescription="Move the cache")

The same story can be told through every door there is: over stdio and HTTP, in both
protocol eras, on both engines. Servers are started once per test process and shared;
every story has a workspace of its own in them.
"""

from __future__ import annotations

import queue
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import count, product
from pathlib import Path
from typing import Any, Literal, TextIO, TypeVar, cast, get_args

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client
from mcp_types import CallToolResult, Implementation, RequestParamsMeta, Tool

from tests.support.box import empty_schema
from tests.support.forked_stdio import forked_stdio
from tests.support.servers import HANDSHAKE, PATIENCE, SERVE, STATELESS, HttpServer, environment
from tests.support.tapped_http import tapped_http
from thoughtbox.app import Thoughtbox
from thoughtbox.ledger.comparison import compare
from thoughtbox.ledger.verify import verify_workspace
from thoughtbox.settings import load

Transport = Literal["stdio", "http"]
Era = Literal["handshake", "stateless"]
Engine = Literal["sqlite", "postgres"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Door:
    """One way in: how the client connects, which protocol it speaks, and what the server keeps its records in."""

    transport: Transport
    era: Era
    engine: Engine

    @property
    def remembers(self) -> bool:
        """Whether the server remembers the client from call to call; one that it does not has no stages."""
        return self.transport == "stdio" or self.era == "handshake"

    def __str__(self) -> str:
        return f"{self.transport}-{self.era}-{self.engine}"


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


@dataclass(slots=True)
class Connection:
    """A client that is connected, the environment its server runs in, and what it was told without asking."""

    client: Client
    told: dict[str, str]
    url: str
    """Where others find the same server; empty when it is this client's own."""
    heard: queue.Queue[Any] = field(default_factory=queue.Queue)


class Agent:
    """A connected client, with a plain function for every operation."""

    def __init__(self, door: Door, portal: BlockingPortal, connection: Connection, workspace: str) -> None:
        self.door = door
        self.client = connection.client
        self.heard = connection.heard
        """Notifications, in the order they came."""
        self.settings = load(connection.told)
        self.workspace = workspace
        self.connection = connection
        self._portal = portal

    def __getattr__(self, operation: str) -> Callable[..., dict[str, Any]]:
        if operation.startswith("_"):
            raise AttributeError(operation)
        return lambda **arguments: self.call(operation, arguments)

    @property
    def meta(self) -> RequestParamsMeta:
        """What tells the server which workspace a request is about."""
        return {"thoughtbox/workspace": self.workspace}

    def call(
        self, operation: str, arguments: dict[str, Any] | None = None, *, key: str | None = None, as_of: Any = None
    ) -> dict[str, Any]:
        """The operation's answer; `ToolFailed` when it was refused."""
        options = {"thoughtbox/idempotencyKey": key, "thoughtbox/asOf": as_of}
        result = self.raw_call(
            operation, arguments, **{name: value for name, value in options.items() if value is not None}
        )
        assert result.structured_content is not None
        if result.is_error:
            raise ToolFailed(result.structured_content)
        return result.structured_content

    def raw_call(self, operation: str, arguments: dict[str, Any] | None = None, **meta: Any) -> CallToolResult:
        """What the protocol carried."""
        told = cast("RequestParamsMeta", {**self.meta, **meta})
        return self.run(lambda: self.client.call_tool(operation, arguments or {}, meta=told))

    def list_tools(self) -> list[Tool]:
        return self.run(lambda: self.client.list_tools(cache_mode="bypass", meta=self.meta)).tools

    def run(self, ask: Callable[[], Awaitable[T]]) -> T:
        """Await something in the client's own event loop: `agent.run(lambda: agent.client.list_prompts())`."""
        return self._portal.call(ask)

    def within(self, context: AbstractAsyncContextManager[T]) -> AbstractContextManager[T]:
        """An asynchronous context of the client, for a plain `with`."""
        return self._portal.wrap_async_context_manager(context)


STORIES_COMPARED = 20
"""Stories after which views are compared, which goes through all of the store; and once more at the end."""


class Doors:
    """The servers of one test process. Each is started when a story first comes through it."""

    def __init__(self, config: pytest.Config, directory: Path) -> None:
        self._config = config
        self._directory = directory
        self._open = ExitStack()
        self._portal = self._open.enter_context(start_blocking_portal())
        self._connections: dict[Door, Connection] = {}
        self._servers: dict[Engine, HttpServer] = {}
        self._stores: dict[Engine, dict[str, str]] = {}
        self._boxes: dict[Engine, Thoughtbox] = {}
        self._workspaces = count(1)
        self._told: Counter[Engine] = Counter()
        """Stories since the views were last compared."""

    def close(self) -> None:
        try:
            for engine, stories in self._told.items():
                if stories:
                    self._compare_views(engine)
        finally:
            self._open.close()

    @contextmanager
    def agent(self, door: Door) -> Generator[Agent]:
        """An agent in a workspace of its own. When its story was told, its books are checked; now and then, all."""
        workspace = f"story-{next(self._workspaces)}"
        agent = Agent(door, self._portal, self._connected(door), workspace)
        while not agent.heard.empty():
            agent.heard.get()
        yield agent
        self._verify(door.engine, workspace)
        self._told[door.engine] += 1
        if self._told[door.engine] >= STORIES_COMPARED:
            self._compare_views(door.engine)

    @contextmanager
    def fresh_agent(
        self,
        door: Door,
        directory: Path,
        *,
        prelude: str = "",
        settings: dict[str, str] | None = None,
        client: Mapping[str, Any] | None = None,
    ) -> Generator[Agent]:
        """An agent with a server and a store that nobody else uses.

        `prelude` is code that the server runs first; `client` is what the client can do beyond calling.
        """
        with ExitStack() as kept:
            told = environment(directory, **self._place(door.engine, kept), **(settings or {}))
            url = ""
            if door.transport == "http":
                server = HttpServer(told, prelude=prelude, stderr=_errors(kept, directory))
                kept.callback(server.stop)
                url = server.url
            errors = _errors(kept, directory)
            connection = kept.enter_context(self._connect(door, told, url, prelude, errors, client or {}))
            yield Agent(door, self._portal, connection, load(told).project)

    @contextmanager
    def beside(self, agent: Agent) -> Generator[Agent]:
        """Another agent in the same workspace of the same server, which must be one over HTTP."""
        assert agent.connection.url
        with ExitStack() as kept:
            errors = _errors(kept, self._directory)
            connecting = self._connect(agent.door, agent.connection.told, agent.connection.url, "", errors, {})
            yield Agent(agent.door, self._portal, kept.enter_context(connecting), agent.workspace)

    @contextmanager
    def at(self, url: str, era: Era, told: dict[str, str], client: Mapping[str, Any] | None = None) -> Generator[Agent]:
        """An agent of a server over HTTP that somebody else has started, in the workspace that it has."""
        door = Door("http", era, "sqlite")
        with ExitStack() as kept:
            errors = _errors(kept, self._directory)
            connection = kept.enter_context(self._connect(door, told, url, "", errors, client or {}))
            yield Agent(door, self._portal, connection, load(told).project)

    def other_process(self, engine: Engine) -> Thoughtbox:
        """The shared store, opened a second time: here, and not in the server."""
        if engine not in self._boxes:
            self._boxes[engine] = self._open.enter_context(Thoughtbox(load(self._store(engine))))
        return self._boxes[engine]

    def _connected(self, door: Door) -> Connection:
        if door not in self._connections:
            told = self._store(door.engine)
            url = self._server(door.engine).url if door.transport == "http" else ""
            connecting = self._connect(door, told, url, "", _errors(self._open, self._directory), {})
            self._connections[door] = self._open.enter_context(connecting)
        return self._connections[door]

    def _server(self, engine: Engine) -> HttpServer:
        if engine not in self._servers:
            server = HttpServer(self._store(engine), stderr=_errors(self._open, self._directory))
            self._open.callback(server.stop)
            self._servers[engine] = server
        return self._servers[engine]

    def _store(self, engine: Engine) -> dict[str, str]:
        if engine not in self._stores:
            place = self._place(engine, self._open)
            # Most stories are about the trail: its tools are shown. What is not shown can be called all the same.
            self._stores[engine] = environment(self._directory / engine, THOUGHTBOX_TOOLSET="trail", **place)
        return self._stores[engine]

    def _place(self, engine: Engine, kept: ExitStack) -> dict[str, str]:
        if engine == "sqlite":
            return {}
        return {"THOUGHTBOX_DATABASE_URL": kept.enter_context(empty_schema(self._config))}

    @contextmanager
    def _connect(
        self, door: Door, told: dict[str, str], url: str, prelude: str, errors: TextIO, more: Mapping[str, Any]
    ) -> Generator[Connection]:
        heard: queue.Queue[Any] = queue.Queue()

        async def hear(message: Any) -> None:
            heard.put(message)

        client = Client(
            tapped_http(url) if url else forked_stdio([*SERVE, "stdio", prelude], told, errors),
            mode="legacy" if door.era == "handshake" else "auto",
            client_info=Implementation(name="tester", version="1"),
            message_handler=hear,
            read_timeout_seconds=PATIENCE,
            **more,
        )
        with self._portal.wrap_async_context_manager(client):
            assert client.protocol_version == (HANDSHAKE if door.era == "handshake" else STATELESS)
            yield Connection(client, told, url, heard)

    def _verify(self, engine: Engine, workspace: str) -> None:
        """Whether what the story has written verifies."""
        box = self.other_process(engine)
        notes = box.keyring.recall(workspace)
        verdict = box.engine.read(
            lambda sql: verify_workspace(sql, workspace, keys=box.keyring.verifiers, notes=notes)
        ).result()
        assert verdict.valid, verdict.problem

    def _compare_views(self, engine: Engine) -> None:
        """Whether every view is what the ledger makes of it, after all stories so far."""
        self._told[engine] = 0
        box = self.other_process(engine)
        found = box.engine.scratch(lambda sql: compare(sql, box.views)).result()
        assert not found.uncompared
        assert not found.differences


def _errors(kept: ExitStack, directory: Path) -> TextIO:
    """Where a server's own complaints go: a file beside the store."""
    directory.mkdir(parents=True, exist_ok=True)
    file: TextIO = (directory / "stderr.txt").open("a", encoding="utf-8")
    return kept.enter_context(file)
