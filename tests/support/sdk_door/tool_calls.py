"""A tool call from beginning to end: find the operation, ask the client for what only it has, run it, answer.

What an operation has done stays done, whatever becomes of a question to the client afterwards.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

import orjson
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolRequestParams, InputRequiredResult, ListRootsRequest

from tests.support.sdk_door import client_log, client_requests, request_state
from tests.support.sdk_door.client_requests import NoAnswer, NotLent, Said
from tests.support.sdk_door.context import Context, is_stateless
from tests.support.sdk_door.echo import echo
from tests.support.sdk_door.focus import Client
from tests.support.sdk_door.notifications import Notifications
from tests.support.sdk_door.operation_calls import OperationCalls
from tests.support.sdk_door.request_state import Round, Rounds
from tests.support.sdk_door.tools import Tools
from thoughtbox.app import Thoughtbox
from thoughtbox.errors import InternalError, InvalidOperation, SamplingFailed, StorageError, ThoughtboxError, shown
from thoughtbox.operations.caller import Landing, Root
from thoughtbox.operations.dispatch import Answer, Call, fault
from thoughtbox.operations.operation import Operation, Outside, Sampling
from thoughtbox.operations.repetition import known_answer

FAILED = SamplingFailed.code


class ToolCalls:
    """Answers `tools/call`."""

    def __init__(self, box: Thoughtbox, calls: OperationCalls, tools: Tools, notifications: Notifications) -> None:
        self._table = box.dispatcher.table
        self._world = box.world
        self._toolset = box.settings.toolset
        self._calls = calls
        self._tools = tools
        self._notifications = notifications
        self._is_echoing = not box.settings.disable_thought_logging
        self._rounds = Rounds()

    async def answer(self, ctx: Context, params: CallToolRequestParams) -> Any:
        """The result; a failed operation is one, too. A name that no operation has is a fault of the protocol."""
        try:
            tool = self._tools.find(params.name, params.arguments or {})
        except InvalidOperation as error:
            raise MCPError(INVALID_PARAMS, f"Unknown tool: {shown(params.name)}", data=error.payload()) from None
        operation: Operation = tool
        arguments: Mapping[str, Any] = params.arguments or {}
        try:
            operation, arguments = self._table.routed(self._table.known[tool.name], params.arguments or {})
            return await self._answer(ctx, operation, arguments, params)
        except MCPError:
            raise
        except Exception as error:
            outside = Outside(self._world.now_ms(), self._toolset)
            return result(_writable(operation.refusal(fault(error), arguments, outside)), is_error=True)

    async def _answer(
        self, ctx: Context, operation: Operation, arguments: Mapping[str, Any], params: CallToolRequestParams
    ) -> Any:
        client = self._calls.client(ctx)
        async with client.turn:
            call = self._calls.prepare(ctx, client, operation, arguments)
            earlier = self._rounds.resumed(params, call.workspace)
            if earlier is not None and earlier.answer is not None:
                return result(await self._finished(ctx, client, operation, call, earlier, params))
            if operation.from_client.roots and client_requests.tells_roots(ctx):
                if is_stateless(ctx) and earlier is None:
                    return Round(workspace=call.workspace).asking(ListRootsRequest())
                call = call._replace(roots=await self._roots(ctx, params))
            running = self._run(ctx, client, operation, call)
            answer = None if operation.long and not operation.in_turn else await running
        if answer is None:  # what takes long does not hold up what the client sends behind it
            answer = await running
        whole = await self._consulted(ctx, client, operation, call, answer)
        if client.has_news(call.workspace, self._tools.described):
            self._notifications.tell_of_tools(ctx)
        return whole if isinstance(whole, InputRequiredResult) else result(whole)

    async def _roots(self, ctx: Context, params: CallToolRequestParams) -> Sequence[Root] | None:
        if is_stateless(ctx):
            return client_requests.roots_in(request_state.response(params))
        return await client_requests.roots(ctx)

    async def _run(self, ctx: Context, client: Client, operation: Operation, call: Call) -> Answer:
        try:
            answer = await self._calls.run(ctx, client, operation, call)
        except (InternalError, StorageError) as error:
            await client_log.tell(ctx, "error", f"{operation.name}: {error}")
            raise
        if operation.writes and self._is_echoing:
            said = operation.echo(operation.name, answer)
            echo(said)
            await client_log.tell(ctx, "info", said)
        return answer

    async def _consulted(
        self, ctx: Context, client: Client, operation: Operation, call: Call, answer: Answer
    ) -> Answer | InputRequiredResult:
        """The answer with what the client's model says to the question in it, if there is one and a model is lent."""
        sampling = operation.from_client.sampling
        if sampling is None or sampling.question not in answer or not client_requests.lends_model(ctx):
            return answer
        if call.key is not None and (kept := await self._kept(ctx, call.key)) is not None:
            return _completed(sampling, answer, kept)
        request = client_requests.question(ctx, answer[sampling.question])
        if is_stateless(ctx):
            return Round(workspace=call.workspace, answer=answer).asking(request)
        try:
            said = await client_requests.model(ctx, request)
        except NotLent:
            return answer
        except NoAnswer as why:
            return _unanswered(sampling, answer, str(why))
        return await self._keep(ctx, client, sampling, call, answer, said)

    async def _finished(
        self,
        ctx: Context,
        client: Client,
        operation: Operation,
        call: Call,
        earlier: Round,
        params: CallToolRequestParams,
    ) -> Answer:
        """The last round of a stateless call: the operation has run, and the client has asked its model."""
        sampling = operation.from_client.sampling
        assert sampling is not None
        assert earlier.answer is not None
        self._rounds.use(earlier)
        call = call._replace(key=call.key or earlier.id)
        if await self._kept(ctx, call.key) is not None:  # by another process, or before this one was started
            raise request_state.used_before()
        try:
            said = client_requests.said_in(request_state.response(params))
        except NoAnswer as why:
            return _unanswered(sampling, earlier.answer, str(why))
        return await self._keep(ctx, client, sampling, call, earlier.answer, said)

    async def _keep(
        self, ctx: Context, client: Client, sampling: Sampling, call: Call, answer: Answer, said: Said
    ) -> Answer:
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
            kept = await self._run(ctx, client, keeping, call)
        except ThoughtboxError as error:
            return _unanswered(sampling, answer, f"it could not be recorded ({error.message})")
        return _completed(sampling, answer, kept)

    async def _kept(self, ctx: Context, key: str | None) -> Answer | None:
        """What a call under the same key has already recorded of a model, so that none is asked again."""

        return await self._calls.ask(ctx, lambda tx: known_answer(tx, _key_of_the_rest(key or "")))


def result(answer: Answer, *, is_error: bool = False) -> dict[str, Any]:
    return {
        "content": [{"type": "text", "text": orjson.dumps(answer).decode()}],
        "structuredContent": answer,
        "isError": is_error,
        "resultType": "complete",  # the newest revision asks for it; for older ones it is left out on the way
    }


def _completed(sampling: Sampling, answer: Answer, kept: Answer) -> Answer:
    rest = {name: value for name, value in answer.items() if name not in sampling.replaces}
    return {**rest, sampling.part: kept[sampling.part]}


def _unanswered(sampling: Sampling, answer: Answer, why: str) -> Answer:
    """What was recorded stays, and so does the question, for whoever asked to see to it."""
    message = f"The client's model gave no answer: {why}. See to {sampling.question} yourself, then attach it: "
    return {**answer, sampling.notice: {"code": FAILED, "message": f"{message}{sampling.operation}."}}


def _key_of_the_rest(key: str) -> str:
    """The idempotency key of what follows from a call with this one."""
    return f"sampling/{sha256(key.encode()).hexdigest()}"


def _writable(payload: dict[str, Any]) -> dict[str, Any]:
    """An error repeats what was sent, and that may be half of a surrogate pair, which no message can carry."""
    try:
        orjson.dumps(payload)
    except TypeError:
        return orjson.loads(json.dumps(payload, ensure_ascii=False).encode("utf-8", "replace"))
    return payload
