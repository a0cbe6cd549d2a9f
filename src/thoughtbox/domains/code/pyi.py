"""The declarations of `tb` in Python, which snippets are held against before they run.

A snippet that is right must never be refused: what an operation takes is checked, what it answers is not known any
closer than that it is an object. A text that may have certain values only is a text: whether it is one of them can
often not be told, and the operation says so itself. Everything here begins with `Tb`, out of a snippet's way.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING

import orjson

from thoughtbox.domains.code.reachable import Place, places, reachable
from thoughtbox.domains.code.shapes import Field, Schema, fields, literals, names_something, options, resolved, words
from thoughtbox.domains.code.signatures import BUILDERS, HOST_ONLY, Option, OptionType, options_of, python_name

if TYPE_CHECKING:
    from thoughtbox.operations import KnownOperation, Table

_HEAD = '''\
from typing import Any, Literal, NoReturn
from typing_extensions import deprecated

class TbHandle:
    """A record that this snippet writes: it can stand wherever an id is wanted, at once."""
    id: str
    kind: str

TbRef = str | TbHandle
TbRefs = list[str] | list[TbHandle] | list[TbRef] | tuple[TbRef, ...]
TbTexts = list[str] | tuple[str, ...]
TbItems = list[Any] | tuple[Any, ...]
TbNumbers = dict[str, float] | dict[str, int]

class TbError(Exception):
    """What a call was refused with."""
    code: str
    message: str
    recovery: str | None
    details: dict[str, Any]

class TbVars:
    """Small JSON values that are kept for the session, by name."""
    def set(self, name: str, value: Any) -> Any: ...
    def get(self, name: str) -> Any: ...
    def list(self) -> Any: ...
    def delete(self, name: str) -> Any: ...
'''
"""A variable that holds a list says what is in it, and would have to say the same here: so its items are spelt out.
And lists are called by names of their own, since a family may have an operation `list`."""

SEARCHING = """\
from typing import Any, TypedDict

class TbCatalog(TypedDict):
    operations: list[dict[str, Any]]
    kinds: list[dict[str, Any]]
    relations: list[dict[str, Any]]
    prompts: list[dict[str, Any]]
    resources: list[dict[str, Any]]

catalog: TbCatalog
"""
"""The declarations for a snippet that searches."""

_TYPES: Mapping[OptionType, str] = {
    "text": "str",
    "texts": "TbTexts",
    "reference": "TbRef",
    "references": "TbRef | TbRefs",
    "number": "float",
    "numbers": "TbNumbers",
    "object": "dict[str, Any]",
}
_PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


def python_declarations(table: Table, names: Collection[str] | None = None) -> str:
    """All that can be called, or what is named so or below it (`thoughts.session`). The same table gives the same."""
    top = places(reachable(table, names))
    rooms = [line for place in top.places.values() for line in _place(table, place)]
    return "\n".join([_HEAD, *rooms, *_tb(table, top), "", "tb: Tb", ""])


def _tb(table: Table, top: Place) -> Iterator[str]:
    yield "class Tb:"
    yield "    Error: type[TbError]"
    yield "    vars: TbVars"
    for name, place in top.places.items():
        yield f"    {name}: {_name(place)}  # {table.rooms[name].summary}"
    for kind, builder in BUILDERS.items():
        taken = ", ".join(_option(name, option) for name, option in options_of(kind).items())
        yield f"    def {kind}(self, text: str, *, {taken}) -> TbHandle:"
        yield f"        {_doc(builder.says)}"
    for kind, builder in HOST_ONLY.items():
        yield '    @deprecated("Always refused: the host alone writes these.")'
        yield f"    def {kind}(self, *never: Any, **nothing: Any) -> NoReturn:"
        yield f"        {_doc(builder.says)}"


def _option(name: str, option: Option) -> str:
    return f"{name}: {_TYPES[option.type]}{'' if option.required else ' | None = ...'}"


def _place(table: Table, place: Place) -> Iterator[str]:
    """A room or family as a class, and before it the families that it has."""
    for inner in place.places.values():
        yield from _place(table, inner)
    yield f"class {_name(place)}:"
    for name, inner in place.places.items():
        yield f"    {python_name(name)}: {_name(inner)}"
    for name, operation in place.operations.items():
        yield f"    def {python_name(name)}(self{_arguments(table, operation)}) -> dict[str, Any]:"
        yield f"        {_doc(operation.summary)}"
    yield ""


def _arguments(table: Table, operation: KnownOperation) -> str:
    schema = orjson.loads(table.schemas(operation.name).input)
    taken = [_argument(field, schema) for field in fields(schema)]
    return f", *, {', '.join(taken)}" if taken else ""


def _argument(field: Field, root: Schema) -> str:
    kind = _type(field.schema, root, is_id=names_something(field.name))
    if field.nullable and kind != "Any":
        kind = f"{kind} | None"
    return f"{python_name(field.name)}: {kind}{'' if field.required else ' = ...'}"


def _type(schema: Schema, root: Schema, *, is_id: bool = False) -> str:
    found = resolved(schema, root)
    if values := literals(found):
        named = f"Literal[{', '.join(map(_literal, values))}]"
        return f"{named} | str" if any(value.startswith('"') for value in values) else named
    several = options(found)
    if len(several) > 1:
        kinds = dict.fromkeys(_type(each, root, is_id=is_id) for each in several)
        return "Any" if "Any" in kinds else " | ".join(kinds)
    match found.get("type"):
        case "string":
            return "TbRef" if is_id else "str"
        case "array":
            return _list(_type(found.get("items", {}), root, is_id=is_id))
        case "object":
            return "dict[str, Any]"
        case kind:
            return _PLAIN.get(str(kind), "Any")


def _list(inner: str) -> str:
    if inner == "TbRef":
        return "TbRefs"
    return "TbTexts" if inner == "str" or inner.endswith("| str") else "TbItems"


def _literal(value: str) -> str:
    return {"true": "True", "false": "False", "null": "None"}.get(value, value)


def _name(place: Place) -> str:
    return "Tb" + "".join(word.capitalize() for part in place.path for word in words(part))


def _doc(text: str) -> str:
    told = text.replace("\\", "\\\\").replace('"""', "'''")
    return f'"""{told[:-1]}\'"""' if told.endswith('"') else f'"""{told}"""'
