"""The declarations of `tb` in TypeScript: what a model reads that wants to know exactly, and an editor."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from json import dumps
from typing import TYPE_CHECKING, NamedTuple

import orjson

from thoughtbox.domains.code.reachable import Place, name_of, places, reachable
from thoughtbox.domains.code.shapes import (
    Field,
    Schema,
    definition,
    fields,
    literals,
    names_something,
    options,
    words,
)
from thoughtbox.domains.code.signatures import (
    BUILDERS,
    COMMON_OPTIONS,
    HOST_ONLY,
    RELATION_OPTIONS,
    Option,
    OptionType,
)
from thoughtbox.ledger.record import KINDS

if TYPE_CHECKING:
    from thoughtbox.operations import KnownOperation, Table

_HEAD = """\
// What a snippet can use. Calls are synchronous; `await` before one does no harm. Whatever fails throws a tb.Error.
// An answer that had to be shortened lacks what there was no room for, and says so in `budget`.

type TbJson = any;
type TbObject = { [name: string]: TbJson };
type TbKind = %(kinds)s;

/** A record that this snippet writes: it can stand wherever an id is wanted, at once. */
interface TbHandle {
  readonly id: string;
  readonly kind: TbKind;
}
type TbRef = string | TbHandle;

interface TbAnswer {
  /** There if the answer was asked to be, or had to be made, short. */
  budget?: { max_chars: number; used_chars: number; truncated: boolean; warnings?: TbObject[] };
}

declare class TbError extends Error {
  readonly code: string;
  /** What to do about it, often the next call. */
  readonly recovery?: string;
  readonly details?: TbObject;
}

/** Small JSON values that are kept for the session, by name. */
interface TbVars {
  set(name: string, value: TbJson): TbJson;
  get(name: string): TbJson;
  list(): TbJson;
  delete(name: string): TbJson;
}

/** What is logged comes back with the result. */
interface Console {
  log(...values: any[]): void;
  info(...values: any[]): void;
  warn(...values: any[]): void;
  error(...values: any[]): void;
  debug(...values: any[]): void;
}
declare var console: Console;

/** Only in `search`, which has no `tb`. */
declare const catalog: {
  operations: TbObject[];
  kinds: TbObject[];
  relations: TbObject[];
  prompts: TbObject[];
  resources: TbObject[];
};
"""

_TYPES: Mapping[OptionType, str] = {
    "text": "string",
    "texts": "string[]",
    "reference": "TbRef",
    "references": "TbRef | TbRef[]",
    "number": "number",
    "numbers": "{ [name: string]: number }",
    "object": "TbObject",
}
_NAME = re.compile(r"(?:type|interface|class) (\w+)")


def typescript_declarations(table: Table, names: Collection[str] | None = None) -> str:
    """All that can be called, or what is named so or below it (`thoughts.session`). The same table gives the same."""
    written = _Written(table)
    top = places(reachable(table, names))
    rooms = [line for place in top.places.values() for line in written.place(place)]
    kinds = " | ".join(map(dumps, sorted(KINDS)))
    lines = [_HEAD % {"kinds": kinds}, *_builders(), *written.interfaces, *rooms, *_tb(table, top)]
    return "\n".join([*lines, "declare const tb: Tb;", ""])


def _builders() -> Iterator[str]:
    yield "/** What may go with any record. A relation says what the new record is to another. */"
    yield "interface TbOptions {"
    for name, option in (*RELATION_OPTIONS.items(), *COMMON_OPTIONS.items()):
        yield from _option(name, option)
    yield "}"
    for kind, builder in BUILDERS.items():
        yield f"interface {_options_name(kind)} extends TbOptions {{"
        for name, option in builder.own.items():
            yield from _option(name, option)
        yield "}"
    yield ""


def _option(name: str, option: Option) -> Iterator[str]:
    yield f"  /** {option.says} */"
    yield f"  {name}{'' if option.required else '?'}: {_TYPES[option.type]};"


def _tb(table: Table, top: Place) -> Iterator[str]:
    yield "interface Tb {"
    for kind, builder in BUILDERS.items():
        mark = "" if any(option.required for option in builder.own.values()) else "?"
        yield f"  /** {builder.says} */"
        yield f"  {kind}(text: string, options{mark}: {_options_name(kind)}): TbHandle;"
    for kind, builder in HOST_ONLY.items():
        yield f"  /** @deprecated Always refused: the host alone writes these. {builder.says} */"
        yield f"  {kind}(...never: never[]): never;"
    yield "  readonly vars: TbVars;"
    yield "  readonly Error: typeof TbError;"
    for name, place in top.places.items():
        yield f"  /** {_comment(table.rooms[name].summary)} */"
        yield f"  readonly {name}: {_name(*place.path)};"
    yield "}"


class _Schema(NamedTuple):
    """A schema whose types are written, and what they are for."""

    root: Schema
    operation: KnownOperation
    is_answer: bool
    """In an answer everything is there, as long as its budget lasts."""


class _Written:
    """Collects the interfaces that operations need: what is the same in several is written once."""

    def __init__(self, table: Table) -> None:
        self.interfaces: list[str] = []
        self._table = table
        self._names: dict[tuple[str, bool, str], str] = {}
        self._taken = set(_NAME.findall(_HEAD)) | {"TbOptions", *map(_options_name, BUILDERS)}

    def place(self, place: Place) -> Iterator[str]:
        """A room or family as an interface, and before it the families that it has."""
        for inner in place.places.values():
            yield from self.place(inner)
        yield f"interface {_name(*place.path)} {{"
        yield from (f"  readonly {name}: {_name(*inner.path)};" for name, inner in place.places.items())
        for name, operation in place.operations.items():
            yield from _doc(_about(operation))
            yield f"  {name}({self._input(operation)}): {self._answer(operation)};"
        yield "}"

    def _input(self, operation: KnownOperation) -> str:
        root = orjson.loads(self._table.schemas(operation.name).input)
        if not root.get("properties"):
            return "input?: {}"
        name = _name(*name_of(operation).split("."), "input")
        self._interface(name, root, _Schema(root, operation, is_answer=False))
        return f"input{'' if root.get('required') else '?'}: {name}"

    def _answer(self, operation: KnownOperation) -> str:
        root = orjson.loads(self._table.schemas(operation.name).output or b"{}")
        name = _name(*name_of(operation).split("."), "answer")
        self._interface(name, root, _Schema(root, operation, is_answer=True), extends=" extends TbAnswer")
        return name

    def _interface(self, name: str, schema: Schema, within: _Schema, *, extends: str = "") -> None:
        self._taken.add(name)
        lines = [f"interface {name}{extends} {{"]
        for field in fields(schema):
            lines += [*_doc(field.says), f"  {self._field(field, within)};"]
        if schema.get("additionalProperties", False) is not False:
            lines.append("  [name: string]: TbJson;")
        self.interfaces += [*lines, "}"]

    def _field(self, field: Field, within: _Schema) -> str:
        name = field.name if field.name.isidentifier() and field.name.isascii() else dumps(field.name)
        kind = self._type(field.schema, within, is_id=not within.is_answer and names_something(field.name))
        if within.is_answer:
            return f"{name}: {kind}"
        null = " | null" if field.nullable and kind != "TbJson" else ""
        return f"{name}{'' if field.required else '?'}: {kind}{null}"

    def _type(self, schema: Schema, within: _Schema, *, is_id: bool = False) -> str:
        if reference := schema.get("$ref"):
            return self._defined(definition(reference), within)
        if values := literals(schema):
            return " | ".join(values)
        several = options(schema)
        if len(several) > 1:
            return " | ".join(dict.fromkeys(self._type(each, within, is_id=is_id) for each in several))
        match schema.get("type"):
            case "string":
                return "TbRef" if is_id else "string"
            case "integer" | "number":
                return "number"
            case "boolean" | "null" as plain:
                return plain
            case "array":
                inner = self._type(schema.get("items", {}), within, is_id=is_id)
                return f"({inner})[]" if " | " in inner else f"{inner}[]"
            case "object":
                return self._object(schema, within)
            case _:
                return "TbJson"

    def _object(self, schema: Schema, within: _Schema) -> str:
        if schema.get("properties"):
            return f"{{ {'; '.join(self._field(each, within) for each in fields(schema))} }}"
        values = schema.get("additionalProperties")
        if not isinstance(values, dict) or not values:
            return "TbObject"
        return f"{{ [name: string]: {self._type(values, within)} }}"

    def _defined(self, name: str, within: _Schema) -> str:
        """The name of the interface for a definition, which is written when it is first met."""
        schema = within.root["$defs"][name]
        if not schema.get("properties"):
            return self._type(schema, within)
        key = (name, within.is_answer, _closure(name, within))
        if key not in self._names:
            own = f"Tb{name}"
            self._names[key] = own if own not in self._taken else self._another(name, within)
            self._interface(self._names[key], schema, within)
        return self._names[key]

    def _another(self, name: str, within: _Schema) -> str:
        """A name for a definition where others have its own."""
        side = "answer" if within.is_answer else "input"
        return _name(*name_of(within.operation).split("."), side, name)


def _closure(name: str, within: _Schema) -> str:
    """A definition with all that it refers to: where that is the same, the interface is."""
    definitions = within.root["$defs"]
    left_out = ("required",) if within.is_answer else ()
    found: dict[str, str] = {}
    waiting = [name]
    while waiting:
        each = waiting.pop()
        if each not in found:
            parts = {part: value for part, value in definitions[each].items() if part not in left_out}
            found[each] = dumps(parts, sort_keys=True)
            waiting += [other for other in definitions if f'"#/$defs/{other}"' in found[each]]
    return dumps(found, sort_keys=True)


def _name(*parts: str) -> str:
    """`TbThoughtsSessionGetInput`."""
    return "Tb" + "".join(word.capitalize() for part in parts for word in words(part))


def _options_name(kind: str) -> str:
    return _name(kind, "options")


def _about(operation: KnownOperation) -> str:
    return f"{operation.description}\n{operation.needs}" if operation.needs else operation.description


def _doc(text: str) -> list[str]:
    lines = [line.rstrip() for line in _comment(text).split("\n") if line.strip()]
    if len(lines) <= 1:
        return [f"  /** {line} */" for line in lines]
    return ["  /**", *(f"   * {line}" for line in lines), "   */"]


def _comment(text: str) -> str:
    return text.replace("*/", "* /")
