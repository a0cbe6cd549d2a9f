"""A tool call from beginning to end: find the operation, ask the client for what only it has, run it, answer.

What an operation has done stays done, whatever becomes of a question to the client afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from hashlib import sha256
from typing import Any

import orjson

from thoughtbox.app import Thoughtbox
from thoughtbox.doors.echo import echo
from thoughtbox.doors.mcp import client_log, client_requests
from thoughtbox.doors.mcp.client_requests import NoAnswer, NotLent, Said
from thoughtbox.doors.mcp.focus import Client
from thoughtbox.doors.mcp.jsonrpc import INVALID_PARAMS, ProtocolError, writable
from thoughtbox.doors.mcp.notifications import Notifications
from thoughtbox.doors.mcp.operation_calls import OperationCalls
from thoughtbox.doors.mcp.request import Request, Steps
from thoughtbox.doors.mcp.request_state import Round, Rounds, response, used_before
from thoughtbox.doors.mcp.revisions import STAMP
from thoughtbox.doors.mcp.tasks import Tasks
from thoughtbox.doors.mcp.tools import Tools
from thoughtbox.errors import InternalError, InvalidOperation, SamplingFailed, StorageError, ThoughtboxError, shown
from thoughtbox.operations.caller import Landing, Root
from thoughtbox.operations.dispatch import Answer, Call, fault
from thoughtbox.operations.operation import Operation, Outside, Sampling
from thoughtbox.operations.repetition import known_answer

Result = dict[str, Any]

FAILED = SamplingFailed.code


class ToolCalls:
    """Answers `tools/call`."""

    def __init__(
        self, box: Thoughtbox, calls: OperationCalls, tools: Tools, notifications: Notifications, tasks: Tasks
    ) -> None:
        self._dispatcher = box.dispatcher
        self._table = box.table
        self._world = box.world
        self._toolset = box.settings.toolset
        self._calls = calls
        self._tools = tools
        self._notifications = notifications
        self._tasks = tasks
        self._is_echoing = not box.settings.disable_thought_logging
        self._rounds = Rounds(box.keyring)

    def answer(self, request: Request) -> Steps[Result]:
        """The result; a failed operation is one, too. A name that no operation has is a fault of the protocol."""
        params = request.params
        name, given = params["name"], params.get("arguments") or {}
        earlier = self._rounds.resumed(request) if "requestState" in params else None
        try:
            tool = self._tools.find(name, given)
        except InvalidOperation as error:
            raise ProtocolError(INVALID_PARAMS, f"Unknown tool: {shown(name)}", writable(error.payload())) from None
        operation, arguments = None, given
        try:
            operation, arguments = self._table.routed(tool, given)
            return (yield from self._answer(request, operation, arguments, earlier))
        except ProtocolError:
            raise
        except Exception as error:
            # No name for the error here: its traceback would keep this frame, and a long message in it.
            return result(request, writable(self._refusal(operation, arguments, fault(error))), is_error=True)

    def _refusal(
        self, operation: Operation | None, arguments: Mapping[str, Any], error: ThoughtboxError
    ) -> dict[str, Any]:
        if operation is None:
            return error.payload()
        return operation.refusal(error, arguments, Outside(self._world.now_ms(), self._toolset))

    def _answer(
        self, request: Request, operation: Operation, arguments: Mapping[str, Any], earlier: Round | None
    ) -> Steps[Result]:
        client = request.connection.client
        turn = client.turn.enter()
        try:
            if turn is not None:
                yield turn
            call = self._calls.prepare(request, client, operation, arguments)
            if earlier is not None:
                earlier.must_be_about(call.workspace)
                if earlier.answer is not None:
                    return result(request, (yield from self._finished(request, client, operation, call, earlier)))
            if operation.from_client.roots and client_requests.tells_roots(request):
                if request.is_stateless and earlier is None:
                    return self._rounds.asking(request, Round(workspace=call.workspace), client_requests.FOR_ROOTS)
                call = call._replace(roots=(yield from self._roots(request)))
            # What takes long does not hold up what the client sends behind it, unless that is meant to wait.
            is_awaited = operation.in_turn or not operation.long
            if is_awaited and operation.long:
                return (yield from self._long(request, client, operation, call))
            answer = (yield from self._run(request, client, operation, call)) if is_awaited else None
        finally:
            client.turn.leave(turn)
        if answer is None:
            return (yield from self._long(request, client, operation, call))
        return (yield from self._completed(request, client, operation, call, answer))

    def _long(self, request: Request, client: Client, operation: Operation, call: Call) -> Steps[Result]:
        """The result of a call that may take long: as a task, where the client wants that."""
        if self._tasks.takes(request) and self._is_well_formed(call):
            patient = call._replace(is_patient=True)
            work = partial(self._worked_on, client=client, operation=operation, call=patient)
            return (yield from self._tasks.answer(request, call, work))
        answer = yield from self._run(request, client, operation, call)
        return (yield from self._completed(request, client, operation, call, answer))

    def _is_well_formed(self, call: Call) -> bool:
        """Whether a call will be run at all; one that will not is refused at once, and leaves no task."""
        try:
            self._dispatcher.must_be_well_formed(call)
        except ThoughtboxError:
            return False
        return True

    def _worked_on(self, request: Request, client: Client, operation: Operation, call: Call) -> Steps[Result]:
        """A call that may become a task: its result, as that of the plain call."""
        try:
            answer = yield from self._run(request, client, operation, call)
            return (yield from self._completed(request, client, operation, call, answer))
        except ProtocolError:
            raise
        except Exception as error:
            refusal = self._refusal(operation, call.arguments, fault(error))
            return result(request, writable(refusal), is_error=True)

    def _completed(
        self, request: Request, client: Client, operation: Operation, call: Call, answer: Answer
    ) -> Steps[Result]:
        """The result of a call that was run: the client's model is consulted first, where the answer asks for that."""
        sampling = operation.from_client.sampling
        if sampling is not None and sampling.question in answer and client_requests.lends_model(request):
            return (yield from self._consulted(request, client, sampling, call, answer))
        self._tell_of_news(request, client, call)
        return result(request, answer)

    def _tell_of_news(self, request: Request, client: Client, call: Call) -> None:
        if client.has_news(call.workspace, self._tools.described):
            self._notifications.tell_of_tools(request)

    def _roots(self, request: Request) -> Steps[Sequence[Root] | None]:
        if request.is_stateless:
            return client_requests.roots_in(response(request))
        return (yield from client_requests.roots(request))

    def _run(self, request: Request, client: Client, operation: Operation, call: Call) -> Steps[Answer]:
        try:
            answer = yield from self._calls.run(request, client, operation, call)
        except (InternalError, StorageError) as error:
            client_log.tell(request, "error", f"{operation.name}: {error}")
            raise
        if operation.writes and self._is_echoing:
            said = operation.echo(operation.name, answer)
            request.connection.place.post(partial(echo, said))  # once the answer is out
            client_log.tell(request, "info", said)
        return answer

    def _consulted(
        self, request: Request, client: Client, sampling: Sampling, call: Call, answer: Answer
    ) -> Steps[Result]:
        """The answer with what the client's model says to the question in it."""
        if call.key is not None and (kept := (yield from self._kept(request, call.key))) is not None:
            whole = _whole(sampling, answer, kept)
        else:
            asked = client_requests.question(request, answer[sampling.question])
            if not request.can_ask:
                self._tell_of_news(request, client, call)
                return self._rounds.asking(request, Round(workspace=call.workspace, answer=answer), asked)
            whole = yield from self._asked(request, client, sampling, call, answer, asked)
        self._tell_of_news(request, client, call)
        return result(request, whole)

    def _asked(
        self,
        request: Request,
        client: Client,
        sampling: Sampling,
        call: Call,
        answer: Answer,
        asked: client_requests.Question,
    ) -> Steps[Answer]:
        try:
            said = yield from client_requests.model(request, asked)
        except NotLent:
            return answer
        except NoAnswer as why:
            return _unanswered(sampling, answer, str(why))
        return (yield from self._keep(request, client, sampling, call, answer, said))

    def _finished(
        self, request: Request, client: Client, operation: Operation, call: Call, earlier: Round
    ) -> Steps[Answer]:
        """The last round of a stateless call: the operation has run, and the client has asked its model."""
        sampling = operation.from_client.sampling
        assert sampling is not None
        assert earlier.answer is not None
        self._rounds.use(earlier)
        call = call._replace(key=call.key or earlier.id)
        if (yield from self._kept(request, call.key)) is not None:  # by another process, or before this one was started
            raise used_before()
        try:
            said = client_requests.said_in(response(request))
        except NoAnswer as why:
            return _unanswered(sampling, earlier.answer, str(why))
        return (yield from self._keep(request, client, sampling, call, earlier.answer, said))

    def _keep(
        self, request: Request, client: Client, sampling: Sampling, call: Call, answer: Answer, said: Said
    ) -> Steps[Answer]:
        """Have what the model said recorded, where the operation that asked wants it."""
        keeping = self._table.find(sampling.operation)
        arguments = sampling.arguments(answer, said.text, said.model)
        key = _key_of_the_rest(call.key) if call.key is not None else None
        call = call._replace(
            operation=keeping,
            arguments=arguments,
            key=key,
            roots=None,
            focus=client.focus(call.workspace),
            landing=Landing(),
        )
        try:
            kept = yield from self._run(request, client, keeping, call)
        except ThoughtboxError as error:
            return _unanswered(sampling, answer, f"it could not be recorded ({error.message})")
        return _whole(sampling, answer, kept)

    def _kept(self, request: Request, key: str | None) -> Steps[Answer | None]:
        """What a call under the same key has already recorded of a model, so that none is asked again."""
        return self._calls.ask(request, lambda tx: known_answer(tx, _key_of_the_rest(key or "")))


def result(request: Request, answer: Answer, *, is_error: bool = False) -> Result:
    """An answer as the result of a tool call. It is written once, and stands in it twice: as text, and as it is."""
    written = orjson.dumps(answer)
    found: Result = {
        "content": [{"type": "text", "text": written.decode()}],
        "structuredContent": orjson.Fragment(written),
        "isError": is_error,
    }
    if request.is_stateless:
        found["resultType"] = "complete"
        found["_meta"] = STAMP
    return found


def _whole(sampling: Sampling, answer: Answer, kept: Answer) -> Answer:
    rest = {name: value for name, value in answer.items() if name not in sampling.replaces}
    return {**rest, sampling.part: kept[sampling.part]}


def _unanswered(sampling: Sampling, answer: Answer, why: str) -> Answer:
    """What was recorded stays, and so does the question, for whoever asked to see to it."""
    message = f"The client's model gave no answer: {why}. See to {sampling.question} yourself, then attach it: "
    return {**answer, sampling.notice: {"code": FAILED, "message": f"{message}{sampling.operation}."}}


def _key_of_the_rest(key: str) -> str:
    """The idempotency key of what follows from a call with this one."""
    return f"sampling/{sha256(key.encode()).hexdigest()}"
