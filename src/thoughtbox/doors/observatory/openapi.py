"""The OpenAPI document, made from the table of routes: the page's types are generated from it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from typing import Any

import orjson
from pydantic.json_schema import models_json_schema

from thoughtbox import __version__
from thoughtbox.domains.thoughts.watched import models as watched
from thoughtbox.domains.thoughts.watched.models import WatchedSessions
from thoughtbox.doors.observatory import listing, models
from thoughtbox.doors.observatory.downloads import Downloads
from thoughtbox.doors.observatory.models import ErrorShown, Health, Workspaces
from thoughtbox.doors.observatory.routes import AS_OF, ROUTES, WORKSPACE, Parameter, Route
from thoughtbox.operations import Output
from thoughtbox.operations.table import Table

Schema = dict[str, Any]

REFERENCE = "#/components/schemas/{model}"

_OTHERS: tuple[tuple[str, str, type[Output], tuple[Parameter, ...]], ...] = (
    ("/api/health", "Whether the server is there, and how many watch.", Health, ()),
    ("/api/workspaces", "The workspaces that there are.", Workspaces, ()),
    (
        "/api/sessions",
        "Sessions of thoughts, the one that was updated last first.",
        WatchedSessions,
        listing.PARAMETERS,
    ),
)


def document(table: Table) -> Schema:
    """The whole document."""
    own = [route.answers for route in ROUTES if isinstance(route.answers, type)]
    answers = dict.fromkeys([*(answer for _, _, answer, _ in _OTHERS), *own, ErrorShown])
    _, found = models_json_schema(
        [(model, "serialization") for model in answers], by_alias=True, ref_template=REFERENCE
    )
    schemas: Schema = dict(found.get("$defs", {}))
    for name, model in [*vars(models).items(), *vars(watched).items()]:
        if name in schemas and issubclass(model, Output) and model.sparse:
            schemas[name] = _sparse(model, schemas[name])
    paths: Schema = {
        path: _path(summary, parameters, _named(answers)) for path, summary, answers, parameters in _OTHERS
    }
    for route in ROUTES:
        answer = _of(table, route.answers, schemas) if isinstance(route.answers, str) else _named(route.answers)
        paths[route.path] = _path(route.summary, _parameters(route), answer, in_path="{id}" in route.path)
    paths["/api/export"] = _path(Downloads.SUMMARY, Downloads.PARAMETERS, None)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Thoughtbox Observatory",
            "version": __version__,
            "description": "Watch, search, compare and verify what agents have recorded. Everything is GET.",
        },
        "paths": paths,
        "components": {"schemas": schemas},
    }


def _sparse(model: type[Output], schema: Schema) -> Schema:
    """What such a model has nothing to say of is left out of its answers, and never null."""
    optional = {info.alias or name for name, info in model.model_fields.items() if not info.is_required()}
    properties = {
        name: _without_null(part) if name in optional else part for name, part in schema["properties"].items()
    }
    required = [name for name in schema.get("required", ()) if name not in optional]
    return {**schema, "properties": properties, "required": required}


def _without_null(schema: Schema) -> Schema:
    choices = [choice for choice in schema.get("anyOf", ()) if choice.get("type") != "null"]
    rest = {name: value for name, value in schema.items() if name not in ("anyOf", "default")}
    return {**rest, **choices[0]} if len(choices) == 1 else schema


def _parameters(route: Route) -> tuple[Parameter, ...]:
    return (*route.parameters, *([AS_OF] if route.has_as_of else []))


def _named(model: type[Output] | None) -> Schema | None:
    return {"$ref": REFERENCE.format(model=model.__name__)} if model is not None else None


def _of(table: Table, operation: str, schemas: Schema) -> Schema:
    """The schema of an operation's answer, with its parts among the others under names of its own."""
    text = (table.schemas(operation).output or b"{}").decode()
    schema: Schema = orjson.loads(re.sub(r'"#/\$defs/([^"]+)"', rf'"#/components/schemas/{operation}.\1"', text))
    for name, part in schema.pop("$defs", {}).items():
        schemas[f"{operation}.{name}"] = part
    schemas[operation] = schema
    return {"$ref": REFERENCE.format(model=operation)}


def _path(summary: str, parameters: Iterable[Parameter], answer: Schema | None, *, in_path: bool = False) -> Schema:
    described = [_described(parameter) for parameter in (*parameters, WORKSPACE)]
    if in_path:
        described.insert(0, {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}})
    media = {"application/json": {"schema": answer}} if answer is not None else {"application/octet-stream": {}}
    error = {"application/json": {"schema": {"$ref": REFERENCE.format(model=ErrorShown.__name__)}}}
    return {
        "get": {
            "summary": summary,
            "parameters": described,
            "responses": {
                "200": {"description": "The answer.", "content": media},
                "default": {"description": "What was wrong.", "content": error},
            },
        }
    }


def _described(parameter: Parameter) -> Schema:
    schema: Schema
    if parameter.is_number:
        schema = {"type": "integer", "minimum": parameter.least, "maximum": parameter.most}
    elif parameter.is_list:
        schema = {"type": "array", "items": {"type": "string"}, "maxItems": parameter.most}
    else:
        schema = {"type": "string"}
    if parameter.choices:
        schema["enum"] = list(parameter.choices)
    if parameter.default is not None:
        schema["default"] = parameter.default
    return {
        "name": parameter.name,
        "in": "query",
        "required": parameter.is_required,
        "description": parameter.says,
        "schema": schema,
        **({"style": "form", "explode": False} if parameter.is_list else {}),
    }


def main() -> None:
    """Print the document: the page's types are generated from it."""
    from thoughtbox import domains

    sys.stdout.buffer.write(orjson.dumps(document(domains.known()), option=orjson.OPT_INDENT_2))


if __name__ == "__main__":
    main()
