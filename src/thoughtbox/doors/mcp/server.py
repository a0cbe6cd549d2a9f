"""The MCP server: every request a client can make, answered from the table of operations."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import orjson
from mcp.server.lowlevel import Server
from mcp.server.lowlevel.server import NotificationOptions
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
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
    ServerCapabilities,
    SetLevelRequestParams,
    TextContent,
    TextResourceContents,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from thoughtbox import __version__, content
from thoughtbox.app import Thoughtbox
from thoughtbox.doors.echo import echo, line
from thoughtbox.doors.mcp import journal, prompts, resources, toolsets
from thoughtbox.doors.mcp.calls import Calls
from thoughtbox.doors.mcp.changes import Changes, Context
from thoughtbox.doors.mcp.tools import tool
from thoughtbox.errors import InternalError, InvalidOperation, InvalidPayload, NotFound, StorageError, ThoughtboxError
from thoughtbox.operations.arguments import unstorable
from thoughtbox.operations.dispatch import Answer, fault

RESOURCE_NOT_FOUND = -32002
"""What revisions before 2026-07-28 call it; since then it is an invalid parameter."""

MOST_COMPLETIONS = 100

P = TypeVar("P")
R = TypeVar("R")
Handler = Callable[[Context, P], Awaitable[R]]


class McpServer(Server[Any]):
    """The SDK's server. On every transport it says that its lists may change."""

    def get_capabilities(
        self, notification_options: NotificationOptions | None = None, *more: Any, **options: Any
    ) -> ServerCapabilities:
        announced = NotificationOptions(tools_changed=True, resources_changed=True, prompts_changed=True)
        return super().get_capabilities(announced, *more, **options)


class McpDoor:
    """One MCP server over one Thoughtbox; transports drive it."""

    def __init__(self, box: Thoughtbox, *, transport: str) -> None:
        self._table = box.dispatcher.table
        self._calls = Calls(box, transport)
        self._shown = toolsets.shown(self._table, box.settings.toolset)
        self._tools: ListToolsResult | None = None
        self._is_echoing = box.settings.log_thoughts
        self.changes = Changes(box)
        self.server = McpServer(
            "thoughtbox",
            version=__version__,
            title="Thoughtbox",
            instructions=content.text("instructions.md"),
            # No argument travels in a header, so there is none to compare.
            get_tool_input_schema=lambda name: None,
            on_list_tools=_in_protocol(self._list_tools),
            on_call_tool=self._call_tool,
            on_list_resources=_in_protocol(self._list_resources),
            on_list_resource_templates=_in_protocol(self._list_resource_templates),
            on_read_resource=_in_protocol(self._read_resource),
            on_subscribe_resource=_in_protocol(self.changes.subscribe),
            on_unsubscribe_resource=_in_protocol(self.changes.unsubscribe),
            on_subscriptions_listen=self.changes.listen,
            on_list_prompts=_in_protocol(self._list_prompts),
            on_get_prompt=_in_protocol(self._get_prompt),
            on_completion=_in_protocol(self._complete),
        )
        self.server.add_notification_handler("notifications/initialized", NotificationParams, self.changes.remember)
        self.server.add_request_handler("logging/setLevel", SetLevelRequestParams, journal.set_level)
        # Spans go nowhere without an exporter, and cost time on every call.
        self.server.middleware.clear()

    async def _list_tools(self, ctx: Context, params: PaginatedRequestParams | None) -> ListToolsResult:
        _refuse_cursor(params)
        if self._tools is None:
            self._tools = ListToolsResult(tools=[tool(operation) for operation in self._shown])
        return self._tools

    async def _call_tool(self, ctx: Context, params: CallToolRequestParams) -> Any:
        operation = self._table.operations.get(params.name)
        if operation is None:
            raise self._unknown_tool(params.name)
        try:
            answer = await self._calls.run(ctx, operation, params.arguments or {})
        except ThoughtboxError as error:
            if isinstance(error, InternalError | StorageError):
                await journal.tell(ctx, "error", f"{operation.name}: {error}")
            return _result(error.payload(), is_error=True)
        if operation.writes and self._is_echoing:
            said = line(operation.name, answer)
            echo(said)
            await journal.tell(ctx, "info", said)
        return _result(answer, is_error=False)

    def _unknown_tool(self, name: str) -> MCPError:
        """A name that no operation has is a fault of the protocol, not of a tool."""
        try:
            self._table.find(name)
        except InvalidOperation as error:
            return MCPError(INVALID_PARAMS, f"Unknown tool: {name}", data=error.payload())
        raise AssertionError(name)

    async def _list_resources(self, ctx: Context, params: PaginatedRequestParams | None) -> ListResourcesResult:
        """Fixed ones first, then what each listing resource has, a page at a time. The cursor says where to go on."""
        listing = [resource for resource in self._table.resources.values() if resource.listed is not None]
        place, after = _cursor(params.cursor if params else None, len(listing))
        found = resources.fixed(self._table) if place == 0 and not after else []
        while place < len(listing):
            list_values = listing[place].listed
            assert list_values is not None
            room_left = resources.PAGE - len(found)
            values = await self._calls.ask(ctx, lambda tx, after=after, n=room_left, ask=list_values: ask(tx, after, n))
            found += resources.listed(listing[place], values)
            if len(values) == room_left:
                return ListResourcesResult(resources=found, next_cursor=json.dumps([place, values[-1]]))
            place, after = place + 1, ""
        return ListResourcesResult(resources=found)

    async def _list_resource_templates(
        self, ctx: Context, params: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        _refuse_cursor(params)
        return ListResourceTemplatesResult(resource_templates=resources.templates(self._table))

    async def _read_resource(self, ctx: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        uri = str(params.uri)
        resource, arguments = resources.match(self._table, uri)
        operation = self._table.find(resource.operation)
        answer = await self._calls.run(ctx, operation, {**resource.arguments, **arguments})
        return ReadResourceResult(
            contents=[TextResourceContents(uri=uri, mime_type=resources.MIME, text=_text(answer))]
        )

    async def _list_prompts(self, ctx: Context, params: PaginatedRequestParams | None) -> ListPromptsResult:
        _refuse_cursor(params)
        return ListPromptsResult(prompts=prompts.shown(self._table))

    async def _get_prompt(self, ctx: Context, params: GetPromptRequestParams) -> GetPromptResult:
        given = params.arguments or {}
        prompt = self._table.prompts.get(params.name)
        if prompt is None:
            raise InvalidOperation(
                f"there is no prompt `{params.name}`", recovery=f"Prompts: {', '.join(self._table.prompts)}."
            )
        prompts.check(prompt, given)
        answer = None
        if prompt.operation is not None:
            answer = _text(await self._calls.run(ctx, self._table.find(prompt.operation), given))
        text = TextContent(type="text", text=prompts.fill(prompt, given, answer))
        return GetPromptResult(description=prompt.description, messages=[PromptMessage(role="user", content=text)])

    async def _complete(self, ctx: Context, params: CompleteRequestParams) -> CompleteResult:
        """Values that begin with what was typed; none for an argument that nothing is known of."""
        name, typed = params.argument.name, params.argument.value
        if isinstance(params.ref, ResourceTemplateReference):
            known = params.ref.uri in self._table.resources
        else:
            known = params.ref.name in self._table.prompts
        if not known:
            raise InvalidPayload("there is no such prompt or resource template")
        values_of = self._table.completions.get(name)
        if values_of is None or unstorable(typed) is not None:
            return CompleteResult(completion=Completion(values=[]))
        values = await self._calls.ask(ctx, lambda tx: values_of(tx, typed, MOST_COMPLETIONS + 1))
        return CompleteResult(
            completion=Completion(values=values[:MOST_COMPLETIONS], has_more=len(values) > MOST_COMPLETIONS)
        )


def _in_protocol(handler: Handler[P, R]) -> Handler[P, R]:
    """The handler of a request that is not a tool call: it fails with errors of the protocol."""

    async def handle(ctx: Context, params: P) -> R:
        try:
            return await handler(ctx, params)
        except Exception as error:
            raise _protocol_error(ctx, fault(error)) from error

    return handle


def _protocol_error(ctx: Context, error: ThoughtboxError) -> MCPError:
    code = INVALID_PARAMS
    if isinstance(error, NotFound) and ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        code = RESOURCE_NOT_FOUND
    elif isinstance(error, InternalError | StorageError):
        code = INTERNAL_ERROR
    asked = {"uri": ctx.params["uri"]} if ctx.params and isinstance(error, NotFound) and "uri" in ctx.params else {}
    return MCPError(code, str(error), data={**error.payload(), **asked})


def _text(answer: Answer) -> str:
    return orjson.dumps(answer).decode()


def _result(answer: Answer, *, is_error: bool) -> dict[str, Any]:
    return {
        "content": [{"type": "text", "text": _text(answer)}],
        "structuredContent": answer,
        "isError": is_error,
        "resultType": "complete",  # the newest revision asks for it; for older ones it is left out on the way
    }


def _refuse_cursor(params: PaginatedRequestParams | None) -> None:
    """For lists that come whole."""
    if params is not None and params.cursor is not None:
        raise _foreign_cursor()


def _cursor(text: str | None, listings: int) -> tuple[int, str]:
    """Where a page begins: which listing, and behind which of its values."""
    if text is None:
        return 0, ""
    try:
        place, after = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        raise _foreign_cursor() from None
    if type(place) is not int or not 0 <= place < listings or not isinstance(after, str) or unstorable(after):
        raise _foreign_cursor()
    return place, after


def _foreign_cursor() -> InvalidPayload:
    return InvalidPayload("the cursor is not one that this server gave out", recovery="Leave it out to begin anew.")
