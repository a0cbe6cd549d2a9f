"""A client's request as a call on an operation: who calls, in which workspace, where they stand, and how it is run."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from functools import lru_cache
from typing import Any, TypeVar

from tests.support.sdk_door.context import Context
from tests.support.sdk_door.focus import Client, Clients
from tests.support.sdk_door.loop_bridge import LoopBridge
from tests.support.sdk_door.principal import reached
from thoughtbox.app import Thoughtbox
from thoughtbox.errors import InvalidPayload, ThoughtboxError
from thoughtbox.operations.arguments import unstorable
from thoughtbox.operations.caller import ANONYMOUS, Caller, Landing
from thoughtbox.operations.dispatch import Answer, Call, fault
from thoughtbox.operations.operation import Operation
from thoughtbox.operations.tx import Tx
from thoughtbox.operations.workspaces import named_workspace
from thoughtbox.settings import WORKSPACE, WORKSPACE_RULE

META_KEY = "thoughtbox/idempotencyKey"
META_AS_OF = "thoughtbox/asOf"
META_WORKSPACE = "thoughtbox/workspace"

T = TypeVar("T")

LONGEST_NAME = 128


class GivenUp(Exception):
    """Ends work whose client no longer waits for it."""


class OperationCalls:
    """Runs operations for the clients of one transport; every failure comes out as a `ThoughtboxError`."""

    def __init__(self, box: Thoughtbox, transport: str) -> None:
        self._dispatcher = box.dispatcher
        self._settings = box.settings
        self._transport = transport
        self._bridge: LoopBridge | None = None
        self._clients = Clients(box, transport)

    def client(self, ctx: Context) -> Client:
        """The client that a request comes from."""
        return self._clients.of(ctx)

    def prepare(self, ctx: Context, client: Client, operation: Operation, arguments: Mapping[str, Any]) -> Call:
        """A call of a client whose turn it is, from where the client stands."""
        meta: Mapping[str, Any] = ctx.meta or {}
        workspace = self.workspace(ctx, named_workspace(operation, arguments))
        return Call(
            operation=operation,
            workspace=workspace,
            arguments=arguments,
            caller=self._caller(ctx),
            key=_meta(meta, META_KEY, str),
            as_of=_meta(meta, META_AS_OF, int),
            focus=client.focus(workspace),
            landing=Landing(),
        )

    async def read(self, ctx: Context, operation: Operation, arguments: Mapping[str, Any]) -> Answer:
        """What an operation answers, for a request that is not a tool call."""
        client = self.client(ctx)
        async with client.turn:
            return await self.run(ctx, client, operation, self.prepare(ctx, client, operation, arguments))

    async def run(self, ctx: Context, client: Client, operation: Operation, call: Call) -> Answer:
        """Run a call; the client then stands where it ended."""
        try:
            if operation.long:
                answer = await self._run_long(ctx, call)
            else:
                answer = await self._received(self._dispatcher.submit(call))
        except ThoughtboxError:
            raise
        except Exception as error:
            raise fault(error) from error
        if call.landing is not None and call.landing.focus is not None:
            client.move(call.workspace, call.landing.focus)
        return answer

    async def ask(self, ctx: Context, question: Callable[[Tx], Any]) -> Any:
        """Put a question to the store outside of any operation: lists and completions."""
        try:
            asked = self._dispatcher.ask(self.workspace(ctx), self._caller(ctx), question)
            return await self._received(asked)
        except ThoughtboxError:
            raise
        except Exception as error:
            raise fault(error) from error

    async def _run_long(self, ctx: Context, call: Call) -> Answer:
        """Report how far the work has come while it goes on in its own thread; stop it when the client gives up."""
        loop = asyncio.get_running_loop()
        news: asyncio.Queue[tuple[int, int]] = asyncio.Queue(maxsize=1)
        given_up = threading.Event()

        def report(done: int, total: int, said: str | None = None) -> None:
            if given_up.is_set():
                raise GivenUp
            loop.call_soon_threadsafe(_replace, news, (done, total))

        async def tell() -> None:
            while True:
                done, total = await news.get()
                await ctx.session.report_progress(done, total, f"{done} of {total} records")
                news.task_done()

        telling = asyncio.create_task(tell())
        try:
            answer = await self._received(self._dispatcher.submit(call._replace(progress=report)))
            await news.join()
            return answer
        finally:
            given_up.set()
            telling.cancel()

    async def _received(self, future: Future[T]) -> T:
        """The result of another thread, here."""
        if self._bridge is None:
            self._bridge = LoopBridge(asyncio.get_running_loop())
        return await self._bridge.receive(future)

    def workspace(self, ctx: Context, named: str | None = None) -> str:
        """The workspace that a request is about: the one named, in its arguments or beside them, or the server's own.

        Refused when its token does not reach that.
        """
        where = "workspace" if named is not None else f"_meta `{META_WORKSPACE}`"
        named = named if named is not None else _meta(ctx.meta or {}, META_WORKSPACE, str)
        if named is not None and not WORKSPACE.fullmatch(named):
            raise InvalidPayload(f"{where} cannot be the name of a workspace", recovery=f"It has {WORKSPACE_RULE}.")
        return reached(ctx, named, self._settings.project)

    def _caller(self, ctx: Context) -> Caller:
        client = ctx.session.client_params
        named = self._settings.agent or (client.client_info.name if client is not None else "")
        return _called(named, self._transport, self._settings.toolset)


@lru_cache(maxsize=256)
def _called(named: str, transport: str, toolset: str) -> Caller:
    """Who calls, by the name that a client has given itself."""
    agent = "".join(filter(str.isprintable, named))[:LONGEST_NAME]
    return Caller(agent=agent or ANONYMOUS.agent, transport=transport, toolset=toolset)


def _replace(queue: asyncio.Queue[tuple[int, int]], item: tuple[int, int]) -> None:
    """Only the newest counts."""
    if queue.full():
        queue.get_nowait()
        queue.task_done()
    queue.put_nowait(item)


def _meta(meta: Mapping[str, Any], name: str, kind: type) -> Any:
    value = meta.get(name)
    if value is not None and (not isinstance(value, kind) or isinstance(value, bool)):
        raise InvalidPayload(f"_meta `{name}` must be a {'number' if kind is int else 'text'}")
    if isinstance(value, str) and (what := unstorable(value)) is not None:
        raise InvalidPayload(f"_meta `{name}` contains {what}, which cannot be stored")
    return value
