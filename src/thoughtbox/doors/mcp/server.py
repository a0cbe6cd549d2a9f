"""The MCP server: every request a client can make, answered from the table of operations.

One for each process; it has no input or output of its own. A transport makes connections with it (`connect`), and
hands them what comes in.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Final

from thoughtbox.app import Thoughtbox
from thoughtbox.doors.http.principal import Principal
from thoughtbox.doors.mcp import client_log, prompts, resources
from thoughtbox.doors.mcp.call_options import workspace_of
from thoughtbox.doors.mcp.connection import Connection
from thoughtbox.doors.mcp.envelope import Peer
from thoughtbox.doors.mcp.focus import Clients
from thoughtbox.doors.mcp.jsonrpc import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    RESOURCE_NOT_FOUND,
    ProtocolError,
    hasten,
    writable,
)
from thoughtbox.doors.mcp.notifications import TOOLS, Notifications
from thoughtbox.doors.mcp.params import HANDSHAKE_METHODS, STATELESS_METHODS, invalid_params, must_fit
from thoughtbox.doors.mcp.request import Handler, Outlet, Place, Request, Result, Steps
from thoughtbox.doors.mcp.revisions import APPS, HANDSHAKE, IDENTITY, NEWEST_HANDSHAKE, STAMP, STATELESS, TASKS
from thoughtbox.doors.mcp.tools import Tools
from thoughtbox.doors.mcp.wording import Wording
from thoughtbox.errors import InternalError, InvalidPayload, NotFound, StorageError, ThoughtboxError

if TYPE_CHECKING:
    from thoughtbox.doors.mcp.operation_methods import OperationMethods
    from thoughtbox.operations.table import Table

CAPABILITIES: Final = {
    "completions": {},
    "logging": {},
    "prompts": {"listChanged": True},
    "resources": {"listChanged": True, "subscribe": True},
    "tools": {"listChanged": True},
}

EXTENSIONS: Final = {APPS: {}, TASKS: {}}
"""Told where the revision has a place for it. Apps need none to work: a client shows them if it can."""

FRESH: Final = {"ttlMs": 0, "cacheScope": "private"}
"""That a result is not to be kept: what there is to list and to read changes with every call."""

CACHEABLE: Final = frozenset(
    {"server/discover", "tools/list", "resources/list", "resources/templates/list", "resources/read", "prompts/list"}
)


class McpServer:
    """One MCP server over one Thoughtbox."""

    def __init__(self, box: Thoughtbox, *, transport: str) -> None:
        self._box = box
        self._table = box.table
        self._transport = transport
        self._clients = Clients(box, transport)
        self._tools = Tools(self._table, box.settings.toolset)
        self._others: dict[str, Tools] = {}
        self._wording = Wording(self._table, box.settings.toolset)
        self.notifications = Notifications(box)
        self._methods: Mapping[str, Handler] = {
            "initialize": self._initialize,
            "ping": lambda request: {},
            "server/discover": self._discover,
            "tools/list": self._list_tools,
            "resources/templates/list": self._list_resource_templates,
            "resources/subscribe": self.notifications.subscribe,
            "resources/unsubscribe": self.notifications.unsubscribe,
            "subscriptions/listen": lambda request: self.notifications.listen(
                request, lambda: self._operation_methods.tasks
            ),
            "prompts/list": self._list_prompts,
            "logging/setLevel": client_log.set_level,
        }

    @cached_property
    def _operation_methods(self) -> OperationMethods:
        """Those that need the store. They bring a lot along, which a start does not wait for."""
        from thoughtbox.doors.mcp.operation_methods import OperationMethods

        hasten()
        return OperationMethods(self._box, self._transport, self._tools, self._wording, self.notifications)

    def warm(self) -> None:
        """Have ready what first calls will need; in any thread, while the first answers go out."""
        hasten()
        self._box.warm()
        _ = self._operation_methods

    def tell_of_tools(self, connection: Connection) -> None:
        """Tell a client if it would now be shown other tools: its calls may have been answered in another process."""
        client, described = connection.client, self._tools.described
        if [workspace for workspace in client.workspaces if client.has_news(workspace, described)]:
            connection.tell(TOOLS)

    @property
    def has_tasks(self) -> bool:
        """Whether it works on any."""
        return "_operation_methods" in self.__dict__ and self._operation_methods.tasks.are_running

    def give_up_tasks(self) -> None:
        """The process ends, and works on none any more."""
        if "_operation_methods" in self.__dict__:
            self._operation_methods.tasks.end()

    @property
    def table(self) -> Table:
        """The operations, and what their rooms are."""
        return self._table

    def connect(self, place: Place, outlet: Outlet, principal: Principal | None = None) -> Connection:
        """A connection of a client, which is remembered as long as that."""
        return Connection(self, place, outlet, self._clients.met(), principal=principal)

    def exchange(self, place: Place, outlet: Outlet, principal: Principal | None = None) -> Connection:
        """A connection for one request that stands for itself, of a client that is not remembered."""
        return Connection(self, place, outlet, self._clients.passing(), principal=principal)

    def handle(self, request: Request) -> Result | Steps[Result]:
        """What answers a request: its result, or steps that come to one. Raises `ProtocolError`."""
        is_stateless = request.is_stateless
        check = (STATELESS_METHODS if is_stateless else HANDSHAKE_METHODS).get(request.method)
        if check is None:
            raise ProtocolError(METHOD_NOT_FOUND, "Method not found", request.method)
        must_fit(check, request.params)
        if not is_stateless and not request.connection.is_agreed and request.method not in ("initialize", "ping"):
            raise invalid_params()
        if request.method == "tools/call" and "_operation_methods" not in self.__dict__:
            self._box.foresee(request.params.get("name"), request.params.get("arguments"))
        handler = self._methods.get(request.method) or self._operation_methods.handlers[request.method]
        if request.method == "tools/call":
            return handler(request)
        if request.params.get("requestState") is not None:
            raise ProtocolError(INVALID_PARAMS, "Invalid or expired requestState", {"reason": "invalid_request_state"})
        try:
            answer = handler(request)
        except ProtocolError:
            raise
        except Exception as error:
            raise _protocol_error(request, error) from error
        return _stamped(request, answer) if isinstance(answer, dict) else self._in_steps(request, answer)

    def _in_steps(self, request: Request, steps: Steps[Result]) -> Steps[Result]:
        """The same, for what takes more than a moment: it fails with errors of the protocol."""
        try:
            return _stamped(request, (yield from steps))
        except ProtocolError:
            raise
        except Exception as error:
            raise _protocol_error(request, error) from error

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
            "capabilities": {**CAPABILITIES, "extensions": EXTENSIONS},
            "instructions": self._wording.instructions,
        }

    def _list_tools(self, request: Request) -> Steps[Result]:
        """The tools as this client sees them from where it stands, once the calls that it sent before are done."""
        _refuse_cursor(request)
        client, workspace = request.connection.client, workspace_of(request, self._box.settings.project)
        tools = self._tools_of(request)
        turn = client.turn.enter()
        try:
            if turn is not None:
                yield turn
            return {"tools": tools.listed(client.focus(workspace))}
        finally:
            client.turn.leave(turn)

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

    def _list_resource_templates(self, request: Request) -> Result:
        _refuse_cursor(request)
        return {"resourceTemplates": resources.templates(self._table)}

    def _list_prompts(self, request: Request) -> Result:
        _refuse_cursor(request)
        return {"prompts": prompts.shown(self._table, self._wording)}


def _stamped(request: Request, result: Result) -> Result:
    """A result as the client's revision wants it."""
    if not request.is_stateless:
        return result
    fresh = FRESH if request.method in CACHEABLE else {}
    return {"resultType": "complete", **fresh, **result, "_meta": {**result.get("_meta", {}), **STAMP}}


def _protocol_error(request: Request, raised: Exception) -> ProtocolError:
    error = raised if isinstance(raised, ThoughtboxError) else _fault(raised)
    code = INVALID_PARAMS
    if isinstance(error, NotFound) and not request.is_stateless:
        code = RESOURCE_NOT_FOUND
    elif isinstance(error, InternalError | StorageError):
        code = INTERNAL_ERROR
    asked = {"uri": request.params["uri"]} if isinstance(error, NotFound) and "uri" in request.params else {}
    return ProtocolError(code, str(error), writable({**error.payload(), **asked}))


def _refuse_cursor(request: Request) -> None:
    """For lists that come whole."""
    if request.params.get("cursor") is not None:
        from thoughtbox.operations.paging import foreign_cursor

        raise foreign_cursor()


def _fault(raised: Exception) -> ThoughtboxError:
    from thoughtbox.operations.dispatch import fault

    return fault(raised)
