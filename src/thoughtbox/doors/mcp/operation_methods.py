"""Methods that operations answer: calls of tools and their tasks, resources, prompts and completions.

Imported with the first of them, and not before: operations bring all that it takes to run one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import orjson

from thoughtbox.app import Thoughtbox
from thoughtbox.doors.mcp import apps, prompts, resources
from thoughtbox.doors.mcp.notifications import Notifications
from thoughtbox.doors.mcp.operation_calls import OperationCalls
from thoughtbox.doors.mcp.request import Handler, Request, Result, Steps
from thoughtbox.doors.mcp.tasks import Tasks
from thoughtbox.doors.mcp.tool_calls import ToolCalls
from thoughtbox.doors.mcp.tools import Tools
from thoughtbox.doors.mcp.wording import Wording
from thoughtbox.errors import InvalidOperation, InvalidPayload
from thoughtbox.operations.models import wire_names
from thoughtbox.operations.paging import cursor, foreign_cursor, place_in
from thoughtbox.operations.storable import unstorable

MOST_COMPLETIONS = 100


class AfterResource(NamedTuple):
    """Where a page of resources ends: in which listing, and behind which of its values."""

    listing: int
    value: str


class OperationMethods:
    """What needs the store."""

    def __init__(
        self, box: Thoughtbox, transport: str, tools: Tools, wording: Wording, notifications: Notifications
    ) -> None:
        self._table = box.table
        self._wording = wording
        self._calls = OperationCalls(box, transport)
        self.tasks = Tasks(box, self._calls)
        self._tool_calls = ToolCalls(box, self._calls, tools, notifications, self.tasks)
        self.handlers: Mapping[str, Handler] = {
            "tools/call": self._tool_calls.answer,
            "resources/list": self._list_resources,
            "resources/read": self._read_resource,
            "prompts/get": self._get_prompt,
            "completion/complete": self._complete,
            "tasks/get": self.tasks.get,
            "tasks/update": self.tasks.update,
            "tasks/cancel": self.tasks.cancel,
        }

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

    def _read_resource(self, request: Request) -> Steps[Result]:
        uri = request.params["uri"]
        if (app := apps.at(uri)) is not None:
            return {"contents": [app.contents()]}
        resource, arguments = resources.match(self._table, uri)
        text = resource.text
        if text is None:
            operation = self._table.find(resource.operation)
            answer = yield from self._calls.read(request, operation, {**resource.arguments, **arguments})
            part = answer.get(resource.part) if resource.part is not None else answer
            if resource.is_self_describing:
                field = "blob" if answer["encoding"] == "base64" else "text"
                return {"contents": [{"uri": uri, "mimeType": answer["mime"], field: part}]}
            text = part if isinstance(part, str) else _text(part)
        else:
            text = self._wording.of(text)
        return {"contents": [{"uri": uri, "mimeType": resource.mime, "text": text}]}

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


def _text(answer: Any) -> str:
    return orjson.dumps(answer).decode()
