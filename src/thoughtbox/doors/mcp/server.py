"""The MCP server: every request a client can make, answered from the table of operations.

One for each process; it has no input or output of its own. A transport makes connections with it (`connect`), and
hands them what comes in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

import orjson

from thoughtbox.app import Thoughtbox
from thoughtbox.doors.mcp import client_log, prompts, resources
from thoughtbox.doors.mcp.connection import Connection
from thoughtbox.doors.mcp.envelope import Peer
from thoughtbox.doors.mcp.focus import Clients
from thoughtbox.doors.mcp.jsonrpc import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    RESOURCE_NOT_FOUND,
    ProtocolError,
    writable,
)
from thoughtbox.doors.mcp.notifications import Notifications
from thoughtbox.doors.mcp.operation_calls import OperationCalls
from thoughtbox.doors.mcp.params import HANDSHAKE_METHODS, STATELESS_METHODS, invalid_params, must_fit
from thoughtbox.doors.mcp.principal import Principal
from thoughtbox.doors.mcp.request import Outlet, Place, Request, Steps
from thoughtbox.doors.mcp.request_state import refuse_state
from thoughtbox.doors.mcp.revisions import HANDSHAKE, IDENTITY, NEWEST_HANDSHAKE, STAMP, STATELESS
from thoughtbox.doors.mcp.tool_calls import ToolCalls
from thoughtbox.doors.mcp.tools import Tools
from thoughtbox.doors.mcp.wording import Wording
from thoughtbox.errors import InternalError, InvalidOperation, InvalidPayload, NotFound, StorageError, ThoughtboxError
from thoughtbox.operations.arguments import unstorable
from thoughtbox.operations.dispatch import fault
from thoughtbox.operations.models import wire_names
from thoughtbox.operations.paging import cursor, foreign_cursor, place_in

CAPABILITIES: Final = {
    "completions": {},
    "logging": {},
    "prompts": {"listChanged": True},
    "resources": {"listChanged": True, "subscribe": True},
    "tools": {"listChanged": True},
}

FRESH: Final = {"ttlMs": 0, "cacheScope": "private"}
"""That a result is not to be kept: what there is to list and to read changes with every call."""

CACHEABLE: Final = frozenset(
    {"server/discover", "tools/list", "resources/list", "resources/templates/list", "resources/read", "prompts/list"}
)

MOST_COMPLETIONS = 100

Result = dict[str, Any]
Handler = Callable[[Request], Result | Steps[Result]]


class AfterResource(NamedTuple):
    """Where a page of resources ends: in which listing, and behind which of its values."""

    listing: int
    value: str


class McpServer:
    """One MCP server over one Thoughtbox."""

    def __init__(self, box: Thoughtbox, *, transport: str) -> None:
        self._table = box.dispatcher.table
        self._calls = OperationCalls(box, transport)
        self._clients = Clients(box, transport)
        self._tools = Tools(self._table, box.settings.toolset)
        self._others: dict[str, Tools] = {}
        self._wording = Wording(self._table, box.settings.toolset)
        self.notifications = Notifications(box)
        self._tool_calls = ToolCalls(box, self._calls, self._tools, self.notifications)
        self._methods: Mapping[str, Handler] = {
            "initialize": self._initialize,
            "ping": lambda request: {},
            "server/discover": self._discover,
            "tools/list": self._list_tools,
            "resources/list": self._list_resources,
            "resources/templates/list": self._list_resource_templates,
            "resources/read": self._read_resource,
            "resources/subscribe": self.notifications.subscribe,
            "resources/unsubscribe": self.notifications.unsubscribe,
            "subscriptions/listen": self.notifications.listen,
            "prompts/list": self._list_prompts,
            "prompts/get": self._get_prompt,
            "completion/complete": self._complete,
            "logging/setLevel": client_log.set_level,
        }

    def connect(self, place: Place, outlet: Outlet, principal: Principal | None = None) -> Connection:
        """A connection of a client, which is remembered as long as that."""
        return Connection(self, place, outlet, self._clients.met(), principal=principal)

    def exchange(self, place: Place, outlet: Outlet, principal: Principal | None = None) -> Connection:
        """A connection for one request that stands for itself, of a client that is not remembered."""
        return Connection(self, place, outlet, self._clients.passing(), principal=principal)

    def handle(self, request: Request) -> Result | Steps[Result]:
        """What answers a request: its result, or steps that come to one. Raises `ProtocolError`."""
        is_stateless = request.peer.is_stateless
        check = (STATELESS_METHODS if is_stateless else HANDSHAKE_METHODS).get(request.method)
        if check is None:
            raise ProtocolError(METHOD_NOT_FOUND, "Method not found", request.method)
        must_fit(check, request.params)
        if not is_stateless and not request.connection.is_agreed and request.method not in ("initialize", "ping"):
            raise invalid_params()
        if request.method == "tools/call":
            return self._tool_calls.answer(request)
        refuse_state(request)
        try:
            answer = self._methods[request.method](request)
        except ProtocolError:
            raise
        except Exception as error:
            raise _protocol_error(request, fault(error)) from error
        return _stamped(request, answer) if isinstance(answer, dict) else self._in_steps(request, answer)

    def _in_steps(self, request: Request, steps: Steps[Result]) -> Steps[Result]:
        """The same, for what takes more than a moment: it fails with errors of the protocol."""
        try:
            return _stamped(request, (yield from steps))
        except ProtocolError:
            raise
        except Exception as error:
            raise _protocol_error(request, fault(error)) from error

    def _initialize(self, request: Request) -> Result:
        params = request.params
        requested = params["protocolVersion"]
        version = requested if requested in HANDSHAKE else NEWEST_HANDSHAKE
        request.connection.agree(Peer(version, params["clientInfo"]["name"], params["capabilities"]))
        return {
            "protocolVersion": version,
            "capabilities": CAPABILITIES,
            "serverInfo": IDENTITY,
            "instructions": self._wording.instructions,
        }

    def _discover(self, request: Request) -> Result:
        return {
            "supportedVersions": list(STATELESS),
            "capabilities": CAPABILITIES,
            "instructions": self._wording.instructions,
        }

    def _list_tools(self, request: Request) -> Steps[Result]:
        """The tools as this client sees them from where it stands, once the calls that it sent before are done."""
        _refuse_cursor(request)
        client, workspace = request.connection.client, self._calls.workspace(request)
        tools = self._tools_of(request)
        with client.turn.wanted() as turn:
            if turn is not None:
                yield turn
            return {"tools": tools.listed(client.focus(workspace))}

    def _tools_of(self, request: Request) -> Tools:
        """The tools of the toolset that a request names, beside what the protocol knows, or of the server's own."""
        toolset = request.params.get("toolset")
        if toolset is None:
            return self._tools
        known = self._table.toolsets()
        if toolset not in known:
            raise InvalidPayload("there is no such toolset", recovery=f"The toolsets are {', '.join(known)}.")
        if toolset not in self._others:
            self._others[toolset] = Tools(self._table, toolset)
        return self._others[toolset]

    def _list_resources(self, request: Request) -> Steps[Result]:
        """Fixed ones first, then what each listing resource has, a page at a time. The cursor says where to go on."""
        listing = [resource for resource in self._table.resources.values() if resource.listed is not None]
        given = request.params.get("cursor")
        place, after = place_in(given, AfterResource) if given is not None else (0, "")
        if place >= max(len(listing), 1):
            raise foreign_cursor()
        found = resources.fixed(self._table) if place == 0 and not after else []
        while place < len(listing):
            list_values = listing[place].listed
            assert list_values is not None
            room_left = resources.PAGE - len(found)
            titles = yield from self._calls.ask(
                request, lambda tx, after=after, n=room_left, ask=list_values: ask(tx, after, n)
            )
            found += resources.listed(listing[place], titles)
            if len(titles) == room_left:
                return {"resources": found, "nextCursor": cursor(AfterResource(place, list(titles)[-1]))}
            place, after = place + 1, ""
        return {"resources": found}

    def _list_resource_templates(self, request: Request) -> Result:
        _refuse_cursor(request)
        return {"resourceTemplates": resources.templates(self._table)}

    def _read_resource(self, request: Request) -> Steps[Result]:
        uri = request.params["uri"]
        resource, arguments = resources.match(self._table, uri)
        text = resource.text
        if text is None:
            operation = self._table.find(resource.operation)
            answer = yield from self._calls.read(request, operation, {**resource.arguments, **arguments})
            part = answer.get(resource.part) if resource.part is not None else answer
            text = part if isinstance(part, str) else _text(part)
        else:
            text = self._wording.of(text)
        return {"contents": [{"uri": uri, "mimeType": resource.mime, "text": text}]}

    def _list_prompts(self, request: Request) -> Result:
        _refuse_cursor(request)
        return {"prompts": prompts.shown(self._table, self._wording)}

    def _get_prompt(self, request: Request) -> Steps[Result]:
        name = request.params["name"]
        prompt = self._table.prompts.get(name)
        if prompt is None:
            raise InvalidOperation(
                f"there is no prompt `{name}`", recovery=f"Prompts: {', '.join(self._table.prompts)}."
            )
        given = prompts.check(prompt, request.params.get("arguments") or {})
        answer = None
        if prompt.operation is not None:
            operation = self._table.find(prompt.operation)
            own = {name: value for name, value in given.items() if name in wire_names(operation.input)}
            answer = _text((yield from self._calls.read(request, operation, own)))
        text = prompts.fill(prompt._replace(text=self._wording.of(prompt.text)), given, answer)
        return {
            "description": prompt.description,
            "messages": [{"role": "user", "content": {"type": "text", "text": text}}],
        }

    def _complete(self, request: Request) -> Steps[Result]:
        """Values that begin with what was typed; none for an argument that nothing is known of."""
        ref, argument = request.params["ref"], request.params["argument"]
        name, typed = argument["name"], argument["value"]
        if ref["type"] == "ref/resource":
            found = self._table.resources.get(ref["uri"])
        else:
            found = self._table.prompts.get(ref["name"])
        if found is None:
            raise InvalidPayload("there is no such prompt or resource template")
        values_of = self._table.completion(name, found.room)
        if values_of is None or unstorable(typed) is not None:
            return {"completion": {"values": []}}
        values = yield from self._calls.ask(request, lambda tx: values_of(tx, typed, MOST_COMPLETIONS + 1))
        return {"completion": {"values": values[:MOST_COMPLETIONS], "hasMore": len(values) > MOST_COMPLETIONS}}


def _stamped(request: Request, result: Result) -> Result:
    """A result as the client's revision wants it."""
    if not request.peer.is_stateless:
        return result
    fresh = FRESH if request.method in CACHEABLE else {}
    return {"resultType": "complete", **fresh, **result, "_meta": {**result.get("_meta", {}), **STAMP}}


def _protocol_error(request: Request, error: ThoughtboxError) -> ProtocolError:
    code = INVALID_PARAMS
    if isinstance(error, NotFound) and not request.peer.is_stateless:
        code = RESOURCE_NOT_FOUND
    elif isinstance(error, InternalError | StorageError):
        code = INTERNAL_ERROR
    asked = {"uri": request.params["uri"]} if isinstance(error, NotFound) and "uri" in request.params else {}
    return ProtocolError(code, str(error), writable({**error.payload(), **asked}))


def _text(answer: Any) -> str:
    return orjson.dumps(answer).decode()


def _refuse_cursor(request: Request) -> None:
    """For lists that come whole."""
    if request.params.get("cursor") is not None:
        raise foreign_cursor()
