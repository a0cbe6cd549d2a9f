"""What goes in and what comes out: typed, strict, and spelled as each room's wire wants it.

Python says `session_id`; a room whose specification says `sessionId` builds on the
camel classes, and nothing but these classes knows the difference.

Modules of models do without `from __future__ import annotations`: under it, every annotation is a text
that would have to be compiled anew at each start.
"""

from functools import cache
from typing import Annotated, Any, ClassVar, NamedTuple, Self, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidatorFunctionWrapHandler, WrapValidator
from pydantic.alias_generators import to_camel


def _not_blank(text: str) -> str:
    if not text or text.isspace():
        raise ValueError("it must not be empty")
    return text


def _one_line(text: str) -> str:
    if not text.isprintable() and any(ord(character) < 32 or ord(character) == 127 for character in text):
        raise ValueError("it must not contain control characters")
    return text


LONGEST_TEXT = 1_000_000
LONGEST_KEY = 256


# Every rule is a call from the validator into Python and back. What keeps them all is seen to do so in one.


def _plain_text(value: Any, look_closer: ValidatorFunctionWrapHandler) -> Any:
    if type(value) is str and value and len(value) <= LONGEST_TEXT and not value.isspace():
        return value
    return look_closer(value)


def _plain_key(value: Any, look_closer: ValidatorFunctionWrapHandler) -> Any:
    if type(value) is str and value and len(value) <= LONGEST_KEY and value.isprintable() and not value.isspace():
        return value
    return look_closer(value)


Text = Annotated[str, AfterValidator(_not_blank), Field(max_length=LONGEST_TEXT), WrapValidator(_plain_text)]
"""What an agent has to say: anything but nothing."""

Key = Annotated[
    str,
    AfterValidator(_not_blank),
    AfterValidator(_one_line),
    Field(min_length=1, max_length=LONGEST_KEY),
    WrapValidator(_plain_key),
]
"""A name that something is found by."""


# Validators are built when they are first needed: a server with hundreds of operations starts sooner.


class Input(BaseModel):
    """Arguments of an operation. Unknown ones are refused, by name."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)


class Output(BaseModel):
    """The answer of an operation."""

    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)

    sparse: ClassVar[bool] = False
    """Whether what is None is left out."""
    listed: ClassVar[bool] = True
    """Whether its schema stands in lists of tools; one that says little only costs whoever reads them."""

    @classmethod
    def plainly(cls, answer: dict[str, Any]) -> Self:
        """An answer in the form of the wire, taken at its word: for calls that are made all the time."""
        made: Any = _Plain(answer)
        return made

    def answer(self) -> dict[str, Any]:
        """As it goes over the wire. Parts that are plain already are passed on, however large, not copied."""
        names, holding, is_sparse = _wire(type(self))
        plain = dict(zip(names, self.__dict__.values(), strict=True))
        for name in holding:
            if plain[name] is not None:
                plain[name] = _plain(plain[name])
        return {name: value for name, value in plain.items() if value is not None} if is_sparse else plain


class _Plain(NamedTuple):
    """Stands in the place of an output, of which only the answer is ever wanted."""

    given: dict[str, Any]

    def answer(self) -> dict[str, Any]:
        return self.given


@cache
def has_field(model: type[BaseModel], name: str) -> bool:
    return name in model.model_fields


@cache
def wire_names(model: type[BaseModel]) -> tuple[str, ...]:
    """The names of a model's fields, as the wire spells them, in order."""
    return tuple(info.alias or name for name, info in model.model_fields.items())


class _Wire(NamedTuple):
    """How an output goes over the wire."""

    names: tuple[str, ...]
    """Of its fields, in order."""
    holding: tuple[str, ...]
    """Those that there can be outputs in."""
    is_sparse: bool


@cache
def _wire(model: type[Output]) -> _Wire:
    names, fields = wire_names(model), model.model_fields.values()
    holding = (name for name, info in zip(names, fields, strict=True) if _can_hold_outputs(info.annotation))
    return _Wire(names, tuple(holding), model.sparse)


def _can_hold_outputs(annotation: Any) -> bool:
    if isinstance(annotation, type) and issubclass(annotation, Output):
        return True
    return any(map(_can_hold_outputs, get_args(annotation)))


def _plain(value: Any) -> Any:
    if isinstance(value, Output):
        return value.answer()
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    return value


class CamelInput(Input):
    """Arguments spelled in camelCase on the wire."""

    model_config = ConfigDict(alias_generator=to_camel)


class CamelOutput(Output):
    """An answer spelled in camelCase on the wire."""

    model_config = ConfigDict(alias_generator=to_camel, validate_by_name=True, validate_by_alias=True)


MaxChars = Annotated[
    int | None,
    Field(default=None, ge=0, le=10_000_000, description="Longest answer wanted, in characters; what is cut is said."),
]
