"""The catalog that a snippet searches: operations, kinds, relations, prompts and resources, as plain values.

All of it is known without importing a room: it comes from the table, which has it from what was derived before.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, TypedDict

import orjson

from thoughtbox.domains.code.reachable import name_of, reachable
from thoughtbox.domains.code.signatures import (
    BUILDERS,
    HOST_ONLY,
    attributes_of,
    builder_signature,
    signature,
)
from thoughtbox.errors import HostOnly, all_codes
from thoughtbox.ledger.record import RELATION_MEANINGS
from thoughtbox.operations import KnownOperation, Prompt, Resource, Table

_IN_BRACES = re.compile(r"\{(\w+)\}")


class Called(TypedDict):
    """A call that goes before an example."""

    name: str
    arguments: dict[str, Any]


class OperationExample(TypedDict):
    """Arguments that run, once the calls before it did; or that show the form, where they are `refused`.

    What only a host does before it is not among those calls: the example runs without.
    """

    arguments: dict[str, Any]
    before: list[Called]
    refused: str | None


class ErrorEntry(TypedDict):
    code: str
    meaning: str


class OperationEntry(TypedDict):
    name: str
    """What it is called below `tb`."""
    room: str
    operation: str
    """What the gateway and the command line call it."""
    title: str
    summary: str
    description: str
    writes: bool
    needs: str | None
    signature: str
    input: dict[str, Any]
    output: dict[str, Any]
    example: OperationExample
    errors: list[ErrorEntry]


class KindExample(TypedDict):
    javascript: str
    python: str


class KindEntry(TypedDict):
    name: str
    summary: str
    authored: bool
    """Whether a snippet writes such records; the others are the host's alone."""
    attrs: dict[str, str]
    signature: str | None
    example: KindExample | None
    errors: list[ErrorEntry]


class RelationEntry(TypedDict):
    name: str
    """An option of every builder: the records that the new one is this to."""
    summary: str


class ArgumentEntry(TypedDict):
    name: str
    description: str
    required: bool


class PromptEntry(TypedDict):
    name: str
    room: str
    title: str
    description: str
    arguments: list[ArgumentEntry]


class ResourceEntry(TypedDict):
    uri: str
    name: str
    room: str
    title: str
    description: str
    mime: str
    arguments: list[str]


class Catalog(TypedDict):
    operations: list[OperationEntry]
    kinds: list[KindEntry]
    relations: list[RelationEntry]
    prompts: list[PromptEntry]
    resources: list[ResourceEntry]


def catalog(table: Table) -> Catalog:
    """All that there is, in the order in which rooms have declared it."""
    operations = reachable(table)
    names = {operation.name: name_of(operation) for operation in operations}
    meanings = {code: error.meaning for code, error in all_codes().items()}
    return {
        "operations": [_operation(table, each, names, meanings) for each in operations],
        "kinds": [*map(_authored, BUILDERS), *map(_host_only, HOST_ONLY)],
        "relations": [{"name": name, "summary": says} for name, says in RELATION_MEANINGS.items()],
        "prompts": [_prompt(each) for each in table.prompts.values()],
        "resources": [_resource(each) for each in table.resources.values()],
    }


def catalog_json(table: Table) -> bytes:
    """The same in JSON, made once."""
    return _json(table, len(table.known))


@lru_cache(maxsize=2)
def _json(table: Table, operations: int) -> bytes:
    return orjson.dumps(catalog(table))


def _operation(
    table: Table, operation: KnownOperation, names: Mapping[str, str], meanings: Mapping[str, str]
) -> OperationEntry:
    schemas, usage = table.schemas(operation.name), orjson.loads(table.usage(operation.name))
    return {
        "name": name_of(operation),
        "room": operation.room,
        "operation": operation.name,
        "title": operation.title,
        "summary": operation.summary,
        "description": operation.description,
        "writes": operation.writes,
        "needs": operation.needs,
        "signature": signature(table, operation),
        "input": orjson.loads(schemas.input),
        "output": orjson.loads(schemas.output or b"{}"),
        "example": {
            "arguments": usage["arguments"],
            "before": [
                {"name": names[call["operation"]], "arguments": call["arguments"]}
                for call in usage["before"]
                if call["operation"] in names
            ],
            "refused": usage.get("refused"),
        },
        "errors": [{"code": code, "meaning": meanings[code]} for code in usage["errors"]],
    }


def _authored(kind: str) -> KindEntry:
    builder = BUILDERS[kind]
    return {
        "name": kind,
        "summary": builder.says,
        "authored": True,
        "attrs": attributes_of(kind),
        "signature": builder_signature(kind),
        "example": {"javascript": builder.javascript, "python": builder.python},
        "errors": [],
    }


def _host_only(kind: str) -> KindEntry:
    return {
        "name": kind,
        "summary": HOST_ONLY[kind].says,
        "authored": False,
        "attrs": attributes_of(kind),
        "signature": None,
        "example": None,
        "errors": [{"code": HostOnly.code, "meaning": HostOnly.meaning}],
    }


def _prompt(prompt: Prompt) -> PromptEntry:
    return {
        "name": prompt.name,
        "room": prompt.room,
        "title": prompt.title,
        "description": prompt.description,
        "arguments": [*_arguments(prompt.arguments, required=True), *_arguments(prompt.optional, required=False)],
    }


def _arguments(arguments: Mapping[str, str], *, required: bool) -> list[ArgumentEntry]:
    return [{"name": name, "description": says, "required": required} for name, says in arguments.items()]


def _resource(resource: Resource) -> ResourceEntry:
    return {
        "uri": resource.uri,
        "name": resource.name,
        "room": resource.room,
        "title": resource.title,
        "description": resource.description,
        "mime": resource.mime,
        "arguments": _IN_BRACES.findall(resource.uri),
    }
