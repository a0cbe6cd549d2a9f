"""A client's request as a call on an operation: who calls, in which workspace, where they stand, and how it is run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from thoughtbox.app import Thoughtbox
from thoughtbox.doors.mcp.call_options import AS_OF, KEY, option, workspace_of
from thoughtbox.doors.mcp.focus import Client
from thoughtbox.doors.mcp.request import Request, Steps
from thoughtbox.errors import ThoughtboxError
from thoughtbox.operations.caller import ANONYMOUS, Caller, Landing
from thoughtbox.operations.dispatch import Answer, Call, fault
from thoughtbox.operations.operation import Operation
from thoughtbox.operations.tx import Tx
from thoughtbox.operations.workspaces import named_workspace

LONGEST_NAME = 128
LONGEST_SAID = 4_000
"""Characters of what work says of itself that wait to be passed on."""


class GivenUp(Exception):
    """Ends work whose client no longer waits for it."""


class OperationCalls:
    """Runs operations for the clients of one transport; every failure comes out as a `ThoughtboxError`."""

    def __init__(self, box: Thoughtbox, transport: str) -> None:
        self._dispatcher = box.dispatcher
        self._settings = box.settings
        self._transport = transport

    def prepare(self, request: Request, client: Client, operation: Operation, arguments: Mapping[str, Any]) -> Call:
        """A call of a client whose turn it is, from where the client stands."""
        meta = request.meta
        named = named_workspace(operation, arguments) if operation.names_workspace else None
        workspace = workspace_of(request, self._settings.project, named)
        return Call(
            operation=operation,
            workspace=workspace,
            arguments=arguments,
            caller=self.caller(request),
            key=option(meta, KEY, str) if meta else None,
            as_of=option(meta, AS_OF, int) if meta else None,
            focus=client.focus(workspace),
            landing=Landing(),
        )

    def read(self, request: Request, operation: Operation, arguments: Mapping[str, Any]) -> Steps[Answer]:
        """What an operation answers, for a request that is not a tool call."""
        client = request.connection.client
        turn = client.turn.enter()
        try:
            if turn is not None:
                yield turn
            return (
                yield from self.run(request, client, operation, self.prepare(request, client, operation, arguments))
            )
        finally:
            client.turn.leave(turn)

    def run(self, request: Request, client: Client, operation: Operation, call: Call) -> Steps[Answer]:
        """Run a call; the client then stands where it ended."""
        try:
            if operation.long:
                answer = yield from self._run_long(request, call)
            else:
                submitted = self._dispatcher.submit(call, here=request.here)
                is_done = submitted.done() and submitted.exception() is None
                answer = submitted.result() if is_done else (yield submitted)
        except ThoughtboxError:
            raise
        except Exception as error:
            raise fault(error) from error
        if call.landing is not None and call.landing.focus is not None:
            client.move(call.workspace, call.landing.focus)
        return answer

    def ask(self, request: Request, question: Callable[[Tx], Any]) -> Steps[Any]:
        """Put a question to the store outside of any operation: lists and completions."""
        try:
            workspace = workspace_of(request, self._settings.project)
            return (yield self._dispatcher.ask(workspace, self.caller(request), question, here=request.here))
        except ThoughtboxError:
            raise
        except Exception as error:
            raise fault(error) from error

    def _run_long(self, request: Request, call: Call) -> Steps[Answer]:
        """Report how far the work has come while it goes on in its own thread; stop it when the client gives up."""
        reporting = _Reporting(request)
        try:
            return (yield self._dispatcher.submit(call._replace(progress=reporting.report)))
        finally:
            reporting.is_given_up = True

    def caller(self, request: Request) -> Caller:
        """Who sends a request, as its records name them."""
        return _called(self._settings.agent or request.peer.name, self._transport, self._settings.toolset)


class _Reporting:
    """Passes on how far long work has come: of reports that come faster than they go out, the newest."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._newest: tuple[int, int, str | None] | None = None
        self.is_given_up = False

    def report(self, done: int, total: int, said: str | None = None) -> None:
        """Runs in the thread that works. Of words nothing is passed over, as long as they are few."""
        if self.is_given_up:
            raise GivenUp
        waiting = self._newest
        if waiting is not None and waiting[2] is not None:
            said = f"{waiting[2]}{said or ''}"[-LONGEST_SAID:]
        self._newest = (done, total, said)
        if waiting is None:
            self._request.connection.place.post(self._tell)

    def _tell(self) -> None:
        newest, self._newest = self._newest, None
        if newest is not None:
            done, total, said = newest
            self._request.report(done, total, said or f"{done} of {total} records")


@lru_cache(maxsize=256)
def _called(named: str, transport: str, toolset: str) -> Caller:
    """Who calls, by the name that a client has given itself."""
    agent = "".join(filter(str.isprintable, named))[:LONGEST_NAME]
    return Caller(agent=agent or ANONYMOUS.agent, transport=transport, toolset=toolset)
