"""The MCP server: every request a client can make, answered from the table of operations."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import orjson
from mcp.server.lowlevel import Server
from mcp.server.lowlevel.server import NotificationOptions
from mcp.server.models import InitializationOptions
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CompleteRequestParams,
    CompleteResult,
    Completion,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    NotificationParams,
    PaginatedRequestParams,
    PromptMessage,
    ReadResourceRequestParams,
    ReadResourceResult,
    ResourceTemplateReference,
    TextContent,
    TextResourceContents,
)

from thoughtbox import __version__, content
from thoughtbox.app import Thoughtbox
from thoughtbox.doors.echo import Echo
from thoughtbox.doors.mcp import prompts, resources, toolsets
from thoughtbox.doors.mcp.changes import Changes, Context
from thoughtbox.doors.mcp.tools import tool
from thoughtbox.errors import InvalidOperation, InvalidPayload, ResourceNotFound, ThoughtboxError
from thoughtbox.operations.caller import Caller
from thoughtbox.operations.dispatch import Answer, Call, fault
from thoughtbox.operations.registry import Operation
from thoughtbox.operations.tx import Tx

META_KEY = "thoughtbox/idempotencyKey"
META_AS_OF = "thoughtbox/asOf"
META_WORKSPACE = "thoughtbox/workspace"

MOST_COMPLETIONS = 100


class GivenUp(Exception):
    """Ends work whose client no longer waits for it."""


class McpDoor:
    """One MCP server over one Thoughtbox; transports drive it."""

    def __init__(self, box: Thoughtbox, *, transport: str) -> None:
        self._box = box
        self._table = box.dispatcher.table
        self._transport = transport
        self._shown = toolsets.shown(self._table, box.settings.toolset)
        self._tools: ListToolsResult | None = None
        self._echo = Echo() if box.settings.log_thoughts else None
        bus = InMemorySubscriptionBus()
        self.changes = Changes(box, bus)
        self.server: Server[Any] = Server(
            "thoughtbox",
            version=__version__,
            title="Thoughtbox",
            instructions=content.text("instructions.md"),
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_resource_templates,
            on_read_resource=self._read_resource,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
            on_completion=self._complete,
            on_subscriptions_listen=ListenHandler(bus),
        )
        self.server.add_notification_handler("notifications/initialized", NotificationParams, self.changes.remember)
        # Spans go nowhere without an exporter, and cost time on every call.
        self.server.middleware.clear()

    def initialization(self) -> InitializationOptions:
        return self.server.create_initialization_options(
            NotificationOptions(tools_changed=True, resources_changed=True, prompts_changed=True)
        )

    async def _list_tools(self, ctx: Context, params: PaginatedRequestParams | None) -> ListToolsResult:
        if self._tools is None:
            self._tools = ListToolsResult(tools=[tool(operation) for operation in self._shown])
        return self._tools

    async def _call_tool(self, ctx: Context, params: CallToolRequestParams) -> Any:
        operation = self._table.operations.get(params.name)
        if operation is None:
            raise _unknown_tool(self._find, params.name)
        try:
            answer = await self._run(ctx, operation, params.arguments or {})
        except ThoughtboxError as error:
            return _result(error.payload(), is_error=True)
        if operation.writes and self._echo is not None:
            self._echo.say(operation.name, answer)
        return _result(answer, is_error=False)

    async def _list_resources(self, ctx: Context, params: PaginatedRequestParams | None) -> ListResourcesResult:
        """Fixed ones first, then what each listing resource has, a page at a time. The cursor says where to go on."""
        listing = [resource for resource in self._table.resources.values() if resource.listed is not None]
        place, after = _cursor(params.cursor if params else None, len(listing))
        found = resources.fixed(self._table) if place == 0 and not after else []
        while place < len(listing):
            list_values = listing[place].listed
            assert list_values is not None
            room_left = resources.PAGE - len(found)
            values = await self._ask(ctx, lambda tx, after=after, n=room_left, ask=list_values: ask(tx, after, n))
            found += resources.listed(listing[place], values)
            if len(values) == room_left:
                return ListResourcesResult(resources=found, next_cursor=json.dumps([place, values[-1]]))
            place, after = place + 1, ""
        return ListResourcesResult(resources=found)

    async def _list_resource_templates(
        self, ctx: Context, params: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        return ListResourceTemplatesResult(resource_templates=resources.templates(self._table))

    async def _read_resource(self, ctx: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        uri = str(params.uri)
        try:
            resource, arguments = resources.match(self._table, uri)
            operation = self._table.find(resource.operation)
            answer = await self._run(ctx, operation, {**resource.arguments, **arguments})
        except ThoughtboxError as error:
            raise _protocol_error(error) from None
        return ReadResourceResult(
            contents=[TextResourceContents(uri=uri, mime_type=resources.MIME, text=_text(answer))]
        )

    async def _list_prompts(self, ctx: Context, params: PaginatedRequestParams | None) -> ListPromptsResult:
        return ListPromptsResult(prompts=prompts.shown(self._table))

    async def _get_prompt(self, ctx: Context, params: GetPromptRequestParams) -> GetPromptResult:
        given = params.arguments or {}
        try:
            prompt = self._table.prompts.get(params.name)
            if prompt is None:
                raise InvalidOperation(
                    f"there is no prompt `{params.name}`", recovery=f"Prompts: {', '.join(self._table.prompts)}."
                )
            prompts.check(prompt, given)
            answer = None
            if prompt.operation is not None:
                answer = _text(await self._run(ctx, self._table.find(prompt.operation), given))
        except ThoughtboxError as error:
            raise _protocol_error(error) from None
        return GetPromptResult(
            description=prompt.description,
            messages=[
                PromptMessage(role="user", content=TextContent(type="text", text=prompts.fill(prompt, given, answer)))
            ],
        )

    async def _complete(self, ctx: Context, params: CompleteRequestParams) -> CompleteResult:
        """Values that begin with what was typed; none for an argument that nothing is known of."""
        name, typed = params.argument.name, params.argument.value
        if isinstance(params.ref, ResourceTemplateReference):
            known = params.ref.uri in self._table.resources
        else:
            known = params.ref.name in self._table.prompts
        if not known:
            raise _protocol_error(InvalidPayload("there is no such prompt or resource template"))
        values_of = self._table.completions.get(name)
        if values_of is None:
            return CompleteResult(completion=Completion(values=[]))
        values = await self._ask(ctx, lambda tx: values_of(tx, typed, MOST_COMPLETIONS + 1))
        return CompleteResult(
            completion=Completion(values=values[:MOST_COMPLETIONS], has_more=len(values) > MOST_COMPLETIONS)
        )

    def _find(self, name: str) -> Operation:
        return self._table.find(name)

    async def _run(self, ctx: Context, operation: Operation, arguments: Mapping[str, Any]) -> Answer:
        """Run an operation for this client; every failure comes out as a `ThoughtboxError`."""
        try:
            call = self._call(ctx, operation, arguments)
            if operation.long and "progress_token" in (ctx.meta or {}):
                return await self._run_with_progress(ctx, call)
            return await asyncio.wrap_future(self._box.dispatcher.submit(call))
        except Exception as error:
            raise fault(error) from error

    def _call(self, ctx: Context, operation: Operation, arguments: Mapping[str, Any]) -> Call:
        meta: Mapping[str, Any] = ctx.meta or {}
        return Call(
            operation=operation.name,
            workspace=_meta(meta, META_WORKSPACE, str) or self._box.settings.project,
            arguments=arguments,
            caller=self._caller(ctx),
            key=_meta(meta, META_KEY, str),
            as_of=_meta(meta, META_AS_OF, int),
        )

    async def _run_with_progress(self, ctx: Context, call: Call) -> Answer:
        """Report how far the work has come while it goes on in its own thread; stop it when the client gives up."""
        loop = asyncio.get_running_loop()
        news: asyncio.Queue[tuple[int, int]] = asyncio.Queue(maxsize=1)
        given_up = threading.Event()

        def report(done: int, total: int) -> None:
            if given_up.is_set():
                raise GivenUp
            loop.call_soon_threadsafe(_replace, news, (done, total))

        async def tell() -> None:
            while True:
                done, total = await news.get()
                await ctx.session.report_progress(done, total, f"{done} of {total} records")

        telling = asyncio.create_task(tell())
        try:
            return await asyncio.wrap_future(self._box.dispatcher.submit(replace(call, progress=report)))
        finally:
            given_up.set()
            telling.cancel()

    async def _ask(self, ctx: Context, question: Callable[[Tx], Any]) -> Any:
        """Put a question to the store outside of any operation: lists and completions."""
        dispatcher, workspace, caller = self._box.dispatcher, self._box.settings.project, self._caller(ctx)
        return await asyncio.wrap_future(dispatcher.ask(workspace, caller, question))

    def _caller(self, ctx: Context) -> Caller:
        agent = self._box.settings.agent
        if agent is None:
            client = ctx.session.client_params
            agent = client.client_info.name[:128] if client is not None else "anonymous"
        return Caller(agent=agent or "anonymous", transport=self._transport)


def _replace(queue: asyncio.Queue[tuple[int, int]], item: tuple[int, int]) -> None:
    """Only the newest counts."""
    if queue.full():
        queue.get_nowait()
    queue.put_nowait(item)


def _meta(meta: Mapping[str, Any], name: str, kind: type) -> Any:
    value = meta.get(name)
    if value is not None and (not isinstance(value, kind) or isinstance(value, bool)):
        raise InvalidPayload(f"_meta `{name}` must be a {'number' if kind is int else 'text'}")
    return value


def _text(answer: Answer) -> str:
    return orjson.dumps(answer).decode()


def _result(answer: Answer, *, is_error: bool) -> dict[str, Any]:
    return {
        "content": [{"type": "text", "text": _text(answer)}],
        "structuredContent": answer,
        "isError": is_error,
        "resultType": "complete",  # the newest revision asks for it; for older ones it is left out on the way
    }


def _unknown_tool(find: Callable[[str], Operation], name: str) -> MCPError:
    """A name that no operation has is a fault of the protocol, not of a tool."""
    try:
        find(name)
    except InvalidOperation as error:
        return MCPError(INVALID_PARAMS, f"Unknown tool: {name}", data=error.payload())
    raise AssertionError(name)


def _protocol_error(error: ThoughtboxError) -> MCPError:
    code = -32002 if isinstance(error, ResourceNotFound) else INVALID_PARAMS
    return MCPError(code, str(error), data=error.payload())


def _cursor(text: str | None, listings: int) -> tuple[int, str]:
    """Where a page begins: which listing, and behind which of its values."""
    if text is None:
        return 0, ""
    try:
        place, after = json.loads(text)
    except (ValueError, TypeError):
        place, after = -1, ""
    if not isinstance(place, int) or not 0 <= place < listings or not isinstance(after, str):
        raise _protocol_error(InvalidPayload("the cursor is not one that this server gave out"))
    return place, after
