"""The MCP server: every request a client can make, answered from the table of operations."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, TypeVar

import orjson
from mcp.server.lowlevel import Server
from mcp.server.lowlevel.server import NotificationOptions
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
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

from tests.support.sdk_door import client_log, prompts, request_state, resources
from tests.support.sdk_door.context import Context, is_stateless
from tests.support.sdk_door.notifications import Notifications
from tests.support.sdk_door.operation_calls import OperationCalls
from tests.support.sdk_door.tool_calls import ToolCalls
from tests.support.sdk_door.tools import Tools
from tests.support.sdk_door.wording import Wording
from thoughtbox import __version__
from thoughtbox.app import Thoughtbox
from thoughtbox.errors import InternalError, InvalidOperation, InvalidPayload, NotFound, StorageError, ThoughtboxError
from thoughtbox.operations.arguments import unstorable
from thoughtbox.operations.dispatch import fault
from thoughtbox.operations.models import wire_names
from thoughtbox.operations.paging import cursor, foreign_cursor, place_in

RESOURCE_NOT_FOUND = -32002
"""What revisions before 2026-07-28 call it; since then it is an invalid parameter."""

MOST_COMPLETIONS = 100

P = TypeVar("P")
R = TypeVar("R")
Handler = Callable[[Context, P], Awaitable[R]]


class AfterResource(NamedTuple):
    """Where a page of resources ends: in which listing, and behind which of its values."""

    listing: int
    value: str


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
        self._calls = OperationCalls(box, transport)
        self._tools = Tools(self._table, box.settings.toolset)
        self._others: dict[str, Tools] = {}
        self._wording = Wording(self._table, box.settings.toolset)
        self.notifications = Notifications(box)
        tool_calls = ToolCalls(box, self._calls, self._tools, self.notifications)
        self.server = McpServer(
            "thoughtbox",
            version=__version__,
            title="Thoughtbox",
            instructions=self._wording.instructions,
            # No argument travels in a header, so there is none to compare.
            get_tool_input_schema=lambda name: None,
            on_list_tools=_in_protocol(self._list_tools),
            on_call_tool=tool_calls.answer,
            on_list_resources=_in_protocol(self._list_resources),
            on_list_resource_templates=_in_protocol(self._list_resource_templates),
            on_read_resource=_in_protocol(self._read_resource),
            on_subscribe_resource=_in_protocol(self.notifications.subscribe),
            on_unsubscribe_resource=_in_protocol(self.notifications.unsubscribe),
            on_subscriptions_listen=_in_protocol(self.notifications.listen),
            on_list_prompts=_in_protocol(self._list_prompts),
            on_get_prompt=_in_protocol(self._get_prompt),
            on_completion=_in_protocol(self._complete),
        )
        self.server.add_notification_handler(
            "notifications/initialized", NotificationParams, self.notifications.remember
        )
        self.server.add_request_handler("logging/setLevel", SetLevelRequestParams, client_log.set_level)
        # Spans go nowhere without an exporter, and cost time on every call.
        self.server.middleware.clear()
        self.server.middleware.append(request_state.sealing(box.keyring))

    async def _list_tools(self, ctx: Context, params: PaginatedRequestParams | None) -> ListToolsResult:
        """The tools as this client sees them from where it stands, once the calls that it sent before are done."""
        _refuse_cursor(params)
        client, workspace = self._calls.client(ctx), self._calls.workspace(ctx)
        tools = self._tools_of(ctx)
        async with client.turn:
            return tools.listed(client.focus(workspace))

    def _tools_of(self, ctx: Context) -> Tools:
        """The tools of the toolset that a request names, beside what the protocol knows, or of the server's own."""
        toolset = (ctx.params or {}).get("toolset")
        if toolset is None:
            return self._tools
        known = self._table.toolsets()
        if toolset not in known:
            raise InvalidPayload("there is no such toolset", recovery=f"The toolsets are {', '.join(known)}.")
        if toolset not in self._others:
            self._others[toolset] = Tools(self._table, toolset)
        return self._others[toolset]

    async def _list_resources(self, ctx: Context, params: PaginatedRequestParams | None) -> ListResourcesResult:
        """Fixed ones first, then what each listing resource has, a page at a time. The cursor says where to go on."""
        listing = [resource for resource in self._table.resources.values() if resource.listed is not None]
        place, after = place_in(params.cursor, AfterResource) if params and params.cursor is not None else (0, "")
        if place >= max(len(listing), 1):
            raise foreign_cursor()
        found = resources.fixed(self._table) if place == 0 and not after else []
        while place < len(listing):
            list_values = listing[place].listed
            assert list_values is not None
            room_left = resources.PAGE - len(found)
            titles = await self._calls.ask(ctx, lambda tx, after=after, n=room_left, ask=list_values: ask(tx, after, n))
            found += resources.listed(listing[place], titles)
            if len(titles) == room_left:
                return ListResourcesResult(resources=found, next_cursor=cursor(AfterResource(place, list(titles)[-1])))
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
        text = resource.text
        if text is None:
            operation = self._table.find(resource.operation)
            answer = await self._calls.read(ctx, operation, {**resource.arguments, **arguments})
            part = answer.get(resource.part) if resource.part is not None else answer
            text = part if isinstance(part, str) else _text(part)
        else:
            text = self._wording.of(text)
        return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=resource.mime, text=text)])

    async def _list_prompts(self, ctx: Context, params: PaginatedRequestParams | None) -> ListPromptsResult:
        _refuse_cursor(params)
        return ListPromptsResult(prompts=prompts.shown(self._table, self._wording))

    async def _get_prompt(self, ctx: Context, params: GetPromptRequestParams) -> GetPromptResult:
        given = params.arguments or {}
        prompt = self._table.prompts.get(params.name)
        if prompt is None:
            raise InvalidOperation(
                f"there is no prompt `{params.name}`", recovery=f"Prompts: {', '.join(self._table.prompts)}."
            )
        given = prompts.check(prompt, given)
        answer = None
        if prompt.operation is not None:
            operation = self._table.find(prompt.operation)
            own = {name: value for name, value in given.items() if name in wire_names(operation.input)}
            answer = _text(await self._calls.read(ctx, operation, own))
        text = TextContent(
            type="text", text=prompts.fill(prompt._replace(text=self._wording.of(prompt.text)), given, answer)
        )
        return GetPromptResult(description=prompt.description, messages=[PromptMessage(role="user", content=text)])

    async def _complete(self, ctx: Context, params: CompleteRequestParams) -> CompleteResult:
        """Values that begin with what was typed; none for an argument that nothing is known of."""
        name, typed = params.argument.name, params.argument.value
        if isinstance(params.ref, ResourceTemplateReference):
            found = self._table.resources.get(params.ref.uri)
        else:
            found = self._table.prompts.get(params.ref.name)
        if found is None:
            raise InvalidPayload("there is no such prompt or resource template")
        values_of = self._table.completion(name, found.room)
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
        except MCPError:
            raise
        except Exception as error:
            raise _protocol_error(ctx, fault(error)) from error

    return handle


def _protocol_error(ctx: Context, error: ThoughtboxError) -> MCPError:
    code = INVALID_PARAMS
    if isinstance(error, NotFound) and not is_stateless(ctx):
        code = RESOURCE_NOT_FOUND
    elif isinstance(error, InternalError | StorageError):
        code = INTERNAL_ERROR
    asked = {"uri": ctx.params["uri"]} if ctx.params and isinstance(error, NotFound) and "uri" in ctx.params else {}
    return MCPError(code, str(error), data={**error.payload(), **asked})


def _text(answer: Any) -> str:
    return orjson.dumps(answer).decode()


def _refuse_cursor(params: PaginatedRequestParams | None) -> None:
    """For lists that come whole."""
    if params is not None and params.cursor is not None:
        raise foreign_cursor()
