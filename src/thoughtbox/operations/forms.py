"""In which form a list is answered: as plain JSON, or in the compact one (`docs/tbx-c1.md`), where a call asks for it.

Whatever only reads, and answers with a list of objects somewhere, takes the argument `format`. No room declares it, and
no operation sees it: it is taken away before its input is made, and followed when its answer goes out.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic_core import ErrorDetails

Form = Literal["json", "tbx"]

FORMAT = "format"
JSON, TBX = get_args(Form)
SCHEMA: Mapping[str, Any] = {"enum": [JSON, TBX], "description": "tbx: compact."}
"""As short as it can be: it stands in the schema of every tool that lists something."""

VERSION = {"v": {"const": "tbx-c1"}}
"""The property of an answer by which the compact form is known."""


@cache
def holds_a_list(model: type[BaseModel]) -> bool:
    """Whether there is a list of objects in an answer, however deep."""
    return any(_holds_a_list(info.annotation, frozenset({model})) for info in model.model_fields.values())


def _holds_a_list(annotation: Any, seen: frozenset[type]) -> bool:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        inner = annotation.model_fields.values() if annotation not in seen else ()
        return any(_holds_a_list(info.annotation, seen | {annotation}) for info in inner)
    parts = get_args(annotation)
    if get_origin(annotation) is list and any(map(_is_object, parts)):
        return True
    return any(_holds_a_list(part, seen) for part in parts)


def _is_object(annotation: Any) -> bool:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return True
    origin = get_origin(annotation)
    return origin is dict or (origin is not list and any(map(_is_object, get_args(annotation))))


def what_is_wrong(value: Any) -> ErrorDetails | None:
    """What is wrong with a `format`, as what is wrong with any other argument; None where it is left out or right."""
    if value is None or value in (JSON, TBX):
        return None
    expected = f"'{JSON}' or '{TBX}'"
    return {
        "type": "literal_error",
        "loc": (FORMAT,),
        "msg": f"Input should be {expected}",
        "input": value,
        "ctx": {"expected": expected},
    }


def in_form(answer: dict[str, Any], form: Form) -> dict[str, Any]:
    """An answer as it goes out."""
    if form == JSON:
        return answer
    from thoughtbox.tbx import encode  # most calls do without it

    return encode(answer)


def beyond(message: dict[str, Any], max_chars: int) -> int:
    """How much longer than its budget a message is: what little is in no list gains nothing by it, and a frame.

    What it says of the budget itself does not count, as ever.
    """
    import orjson

    rest = message.get("j")
    said = {"budget": rest["budget"]} if isinstance(rest, dict) and "budget" in rest else None
    return len(orjson.dumps(message)) - (len(orjson.dumps(said)) - 1 if said else 0) - max_chars
