"""The HTTP API: from a request to a route, from its answer to a response. GET only; nothing here writes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any, Final
from urllib.parse import parse_qsl

import orjson

from thoughtbox import __version__
from thoughtbox.app import Thoughtbox
from thoughtbox.doors.http.http_request import JSON, Header, HttpRequest
from thoughtbox.doors.http.principal import reached
from thoughtbox.doors.observatory import listing
from thoughtbox.doors.observatory.downloads import Downloads
from thoughtbox.doors.observatory.gate import IN_A_SANDBOX, NOTHING_RUNS, refuse
from thoughtbox.doors.observatory.models import Health
from thoughtbox.doors.observatory.openapi import document
from thoughtbox.doors.observatory.reads.notebooks import Sent
from thoughtbox.doors.observatory.reads.records import all_workspaces
from thoughtbox.doors.observatory.routes import (
    AS_OF,
    LONGEST_VALUE,
    NUMBERS,
    WORKSPACE,
    Given,
    Matcher,
    Parameter,
    Route,
)
from thoughtbox.errors import (
    CallError,
    InvalidPayload,
    NotFound,
    StorageBusy,
    ThoughtboxError,
    WorkspaceLocked,
    WorkspaceNotAllowed,
)
from thoughtbox.operations import Tx
from thoughtbox.operations.caller import Caller
from thoughtbox.operations.dispatch import Call, fault
from thoughtbox.search.texts import Texts
from thoughtbox.settings import WORKSPACE as WORKSPACE_NAME
from thoughtbox.settings import WORKSPACE_RULE

logger = logging.getLogger(__name__)

WATCHER: Final = Caller(agent="observatory", transport="observatory")
"""Who asks: it reads, and never writes."""

PREFIX = "/api/"
SHAPE: tuple[Header, ...] = (JSON, (b"cache-control", b"no-store"), NOTHING_RUNS)


class Api:
    """Answers what the gate has let in. On one event loop."""

    def __init__(
        self,
        box: Thoughtbox,
        *,
        connections: Callable[[], int],
        headers: Callable[[HttpRequest], tuple[Header, ...]],
        tells: Callable[[HttpRequest], bool],
    ) -> None:
        """`tells`: whether whoever asks may know more than that somebody is there."""
        self._box = box
        self._tells = tells
        self._loop = asyncio.get_running_loop()
        self._connections = connections
        self._headers = headers
        self._matcher = Matcher()
        self._downloads = Downloads(box, WATCHER)
        self._document: bytes | None = None

    def answer(self, request: HttpRequest) -> None:
        try:
            self._route(request)
        except ThoughtboxError as error:
            self.fail(request, error)

    def _route(self, request: HttpRequest) -> None:
        path = request.path.rstrip("/")
        if path == "/api/health":
            self._respond(request, orjson.dumps(self._health(request).answer()))
        elif not self._box.settings.observatory_http_api:
            refuse(request, 404, "the HTTP API is turned off (see THOUGHTBOX_OBSERVATORY_HTTP_API)")
        elif path == "/api/openapi.json":
            if self._document is None:
                self._document = orjson.dumps(document(self._box.table))
            self._respond(request, self._document)
        elif path == "/api/workspaces":
            self._workspaces(request)
        elif path == "/api/sessions":
            given = self._given(request, listing.PARAMETERS)
            self._when_done(request, listing.listed(self._box, WATCHER, self._workspace(request, given), given))
        elif path == "/api/export":
            given = self._given(request, Downloads.PARAMETERS)
            workspace = self._workspace(request, given)
            self._downloads.begin(request, workspace, given, self._headers(request), self.fail)
        elif (found := self._matcher.find(path)) is not None:
            self._run(request, *found)
        else:
            refuse(request, 404, "there is nothing here; /api/openapi.json tells what there is")

    def _health(self, request: HttpRequest) -> Health:
        settings = self._box.settings
        if not self._tells(request):
            return Health(status="ok", version=__version__)
        return Health(
            status="ok",
            version=__version__,
            workspace=settings.project,
            connections=self._connections(),
            max_connections=settings.observatory_max_connections,
            read_only=not self._box.is_writable,
        )

    def _workspaces(self, request: HttpRequest) -> None:
        box = self._box
        own = reached(request.principal, None, box.settings.project)
        may_see = request.principal.workspaces if request.principal is not None else None

        def read(tx: Tx) -> bytes:
            found = all_workspaces(tx, own, may_see=may_see)
            found.workspaces = [each for each in found.workspaces if _is_open(box, each.workspace)]
            return orjson.dumps(found.answer())

        self._given(request, ())
        self._when_done(request, box.dispatcher.ask(own, WATCHER, read))

    def _run(self, request: HttpRequest, route: Route, id: str | None) -> None:
        parameters = (*route.parameters, *([AS_OF] if route.has_as_of else []))
        given: dict[str, Any] = {**self._given(request, parameters), "id": id}
        workspace = self._workspace(request, given)
        if isinstance(route.answers, str):
            self._when_done(request, self._called(route, route.answers, workspace, given))
            return
        read, send, dispatcher = route.read, route.send, self._box.dispatcher
        if send is not None:
            sent = dispatcher.ask(
                workspace, WATCHER, lambda tx: send(tx, given), as_of=given.get("asOf"), long=route.is_long
            )
            self._when_done(request, sent)
            return
        assert read is not None
        if route.is_fresh:
            fresh = dispatcher.ask_fresh(
                workspace, WATCHER, lambda tx: read(tx, given).answer(), fresh=[Texts], as_of=given["asOf"]
            )
            self._when_done(request, fresh)
            return
        answered = dispatcher.ask(
            workspace,
            WATCHER,
            lambda tx: orjson.dumps(read(tx, given).answer()),
            as_of=given.get("asOf"),
            long=route.is_long,
        )
        self._when_done(request, answered)

    def _called(self, route: Route, operation: str, workspace: str, given: Given) -> Future[dict[str, Any]]:
        """The answer of an operation, just as it gives it on every door."""
        arguments = {
            name: _number(given[parameter]) if name in NUMBERS else given[parameter]
            for parameter, name in route.arguments.items()
            if given.get(parameter) is not None
        }
        return self._box.dispatcher.submit(
            Call(
                operation=operation,
                workspace=workspace,
                arguments=arguments,
                caller=WATCHER,
                as_of=given.get("asOf"),
                focus=self._box.first_focus("none"),
            )
        )

    def _given(self, request: HttpRequest, parameters: tuple[Parameter, ...]) -> dict[str, Any]:
        """What a request says, each part once; whatever else it says is refused by name."""
        known = {parameter.name: parameter for parameter in (*parameters, WORKSPACE)}
        said: dict[str, str] = {}
        try:
            pairs = parse_qsl(request.query.decode("ascii"), keep_blank_values=True, max_num_fields=50, errors="strict")
        except ValueError:
            raise _refusal("the query cannot be read", "Write it as name=value, with & between them.") from None
        for name, value in pairs:
            if name not in known:
                raise _refusal(f"there is no parameter `{name}`", f"There are {', '.join(known)}.", name)
            if name in said:
                raise _refusal(f"`{name}` stands there twice", "Send it once.", name)
            said[name] = value
        return {name: _value(parameter, said.get(name)) for name, parameter in known.items()}

    def _workspace(self, request: HttpRequest, given: Given) -> str:
        named = given.get("workspace")
        if named is not None and not WORKSPACE_NAME.fullmatch(named):
            raise _refusal("this cannot be the name of a workspace", f"It has {WORKSPACE_RULE}.", "workspace")
        workspace = reached(request.principal, named, self._box.settings.project)
        self._box.dispatcher.must_be_open(workspace)
        return workspace

    def _when_done(self, request: HttpRequest, answer: Future[Any]) -> None:
        def done(future: Future[Any]) -> None:
            if future.cancelled():  # nobody waits any more
                return
            # In the thread that has read: what is long to write does not hold up those who are served.
            try:
                found = future.result()
                if isinstance(found, Sent):
                    step = partial(self._send, request, found)
                else:
                    body = found if isinstance(found, bytes) else orjson.dumps(found)
                    step = partial(self._respond, request, body)
            except BaseException as error:
                step = partial(self.fail, request, error)
            self._loop.call_soon_threadsafe(step)

        request.when_gone = partial(_give_up, answer)
        answer.add_done_callback(done)

    def _respond(self, request: HttpRequest, body: bytes) -> None:
        if not request.is_answered:
            request.respond(200, body, *SHAPE, *self._headers(request))

    def _send(self, request: HttpRequest, sent: Sent) -> None:
        if request.is_answered:
            return
        disposition = "inline" if sent.is_shown else "attachment"
        request.respond(
            200,
            sent.body,
            (b"content-type", sent.type.encode()),
            (b"content-disposition", f'{disposition}; filename="{sent.name}"'.encode()),
            (b"cache-control", b"private, max-age=86400, immutable"),  # what has this hash never changes
            IN_A_SANDBOX,
            *self._headers(request),
        )

    def fail(self, request: HttpRequest, error: BaseException) -> None:
        if request.is_answered:
            return
        known = fault(error)
        request.respond(status_of(known), orjson.dumps(known.payload()), *SHAPE, *self._headers(request))


def _give_up(answer: Future[Any]) -> None:
    """Nobody waits any more: what has not begun need not."""
    answer.cancel()


def status_of(error: ThoughtboxError) -> int:
    """The status that the document's table of errors gives, or the nearest to it."""
    if isinstance(error, NotFound):
        return 404
    if isinstance(error, StorageBusy):
        return 503
    if isinstance(error, WorkspaceLocked | WorkspaceNotAllowed):
        return 403
    return 400 if isinstance(error, CallError) else 500


def _is_open(box: Thoughtbox, workspace: str) -> bool:
    try:
        box.dispatcher.must_be_open(workspace)
    except ThoughtboxError:
        return False
    return True


def _value(parameter: Parameter, text: str | None) -> Any:
    name = parameter.name
    if text is None or text == "":
        if parameter.is_required:
            raise _refusal(f"`{name}` is missing", parameter.says, name)
        return [] if parameter.is_list else parameter.default
    if parameter.is_list:
        parts = [part.strip() for part in text.split(",") if part.strip()]
        if parameter.most is not None and len(parts) > parameter.most:
            raise _refusal(f"`{name}` has more than {parameter.most} parts", parameter.says, name)
        return parts
    if parameter.is_number:
        return _counted(parameter, text)
    if parameter.choices and text not in parameter.choices:
        raise _refusal(f"`{name}` is `{text}`", f"It is one of {', '.join(parameter.choices)}.", name)
    if len(text) > LONGEST_VALUE or "\0" in text:
        raise _refusal(f"`{name}` is too long, or holds a NUL", f"It has {LONGEST_VALUE} characters at most.", name)
    return text


def _counted(parameter: Parameter, text: str) -> int:
    most = parameter.most or 0
    digits = text.removeprefix("th:")
    if not digits.isascii() or not digits.isdigit() or len(digits) > 16:
        raise _refusal(f"`{parameter.name}` is `{text}`", "It is a whole number.", parameter.name)
    value = int(digits)
    if not parameter.least <= value <= most:
        raise _refusal(
            f"`{parameter.name}` is {value}", f"It lies between {parameter.least} and {most}.", parameter.name
        )
    return value


def _number(text: Any) -> Any:
    return int(text) if isinstance(text, str) and text.isascii() and text.isdigit() and len(text) < 16 else text


def _refusal(message: str, recovery: str, *fields: str) -> InvalidPayload:
    return InvalidPayload(message, recovery=recovery, details={"fields": list(fields)} if fields else None)
