"""What a type checker says of a snippet, as far as it is sure to fail, in words that help whoever wrote it.

A snippet that would run must never be refused. So only those complaints count that leave no doubt: about the names of
`tb` and of arguments, names that nobody has defined, and arguments of a type that can be told from the source alone.
What a variable may hold, what an answer looks like, and all matters of style are none of our business.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import lru_cache
from typing import NamedTuple

MOST_NAMES = 12
LONGEST_ALIAS = 40
_SPOKEN = {"TbHandle": "a handle", "TbError": "the error"}

_TOLERATED = ("`return`", "`await`", "`yield`", "__future__")
"""Beginnings of what the checker calls wrong syntax, and a snippet may well have."""

_CALLED = r"(?:function|bound method) `(?P<called>[\w.]+)`"
_SURE = {
    "unknown-argument": re.compile(rf"Argument `(?P<name>\w+)` does not match any known parameter of {_CALLED}"),
    "missing-argument": re.compile(rf"No arguments? provided for required parameters? (?P<names>.+) of {_CALLED}"),
    "too-many-positional-arguments": re.compile(rf"Too many positional arguments to {_CALLED}: .*"),
    "invalid-argument-type": re.compile(
        rf"Argument to {_CALLED} is incorrect: Expected `(?P<expected>.+)`, found `(?P<found>.+)`"
    ),
    "unresolved-attribute": re.compile(r"Object of type `(?P<owner>Tb\w*)` has no attribute `(?P<name>\w+)`"),
    "unresolved-reference": re.compile(r"Name `(?P<name>\w+)` used when not defined"),
    "call-non-callable": re.compile(r"Object of type `(?P<owner>Tb\w*)` is not callable"),
    "not-subscriptable": re.compile(r"Cannot subscript object of type `(?P<owner>Tb\w*)`.*"),
    "not-iterable": re.compile(r"Object of type `(?P<owner>Tb\w*)` is not iterable"),
    "unsupported-operator": re.compile(
        r"Operator `(?P<sign>[^`]+)` is not supported between objects of type "
        r"(?:`TbHandle` and `(?:str|Literal\[.*\]|LiteralString)`|`(?:str|Literal\[.*\]|LiteralString)` and `TbHandle`)"
    ),
}
_CAUGHT = {"unresolved-reference": "NameError", "unresolved-attribute": "AttributeError"}
"""What the snippet may be prepared for."""

_PLAIN = re.compile(r"Literal\[(?P<literal>[^|]+)\]|str|int|float|bool|None|bytes|complex")
_WRITTEN_OUT = re.compile(
    r"""(?:\w+\s*=\s*)?
    (?: -?[\d.]+ | None | True | False | [rfb]?"[^"]*" | [rfb]?'[^']*' | (?P<variable>[^\W\d]\w*) )""",
    re.VERBOSE,
)
_NAMED = re.compile(r"(\w+)\s*=(?!=)")


class Diagnostic(NamedTuple):
    """One thing that the checker has found; places are counted from one, in the snippet as it was written."""

    rule: str
    message: str
    line: int
    column: int
    end_line: int
    end_column: int


class Problem(NamedTuple):
    line: int
    message: str


def problems(diagnostics: Sequence[Diagnostic], code: str, stubs: str) -> list[Problem]:
    """What is sure to fail, in the order of the source."""
    if any(_is_off(diagnostic) for diagnostic in diagnostics):
        return []
    told = (
        Problem(diagnostic.line, said)
        for diagnostic in diagnostics
        if (said := _said(diagnostic, code, stubs)) is not None
    )
    return sorted(dict.fromkeys(told))


def _is_off(diagnostic: Diagnostic) -> bool:
    """Whether the checker reads something else than what will run: all that it says may be wrong then."""
    if diagnostic.rule == "invalid-syntax":
        return not diagnostic.message.startswith(_TOLERATED)
    return diagnostic.rule == "invalid-assignment" and diagnostic.message.endswith(("to `Tb`", "to `TbCatalog`"))


def _said(diagnostic: Diagnostic, code: str, stubs: str) -> str | None:
    pattern = _SURE.get(diagnostic.rule)
    found = pattern.fullmatch(diagnostic.message) if pattern else None
    if found is None or ((caught := _CAUGHT.get(diagnostic.rule)) and caught in code):
        return None
    parts = found.groupdict()
    if not _is_certain(parts, code):
        return None
    called = _Called(stubs, parts["called"]) if "called" in parts else None
    match diagnostic.rule:
        case "unresolved-reference":
            return f"`{parts['name']}` is not defined"
        case "unresolved-attribute":
            return _no_such_attribute(stubs, parts["owner"], parts["name"])
        case "call-non-callable":
            return f"{_path(stubs, parts['owner'])} is not a function{_there(_members(stubs, parts['owner']))}"
        case "not-subscriptable":
            return f"{_path(stubs, parts['owner'])} has attributes, not items{_there(_members(stubs, parts['owner']))}"
        case "not-iterable":
            return f"{_path(stubs, parts['owner'])} is not a list{_there(_members(stubs, parts['owner']))}"
        case "unsupported-operator":
            return f"a handle is no text, and cannot be used with `{parts['sign']}`: take its .id"
    if called is None:
        return None
    match diagnostic.rule:
        case "unknown-argument":
            return f"{called.name} has no argument `{parts['name']}`{_meant(parts['name'], called.arguments)}"
        case "missing-argument":
            names = re.findall(r"`(\w+)`", parts["names"])
            return f"{called.name} needs {_listed([called.argument(name) for name in names])}"
        case "too-many-positional-arguments":
            return f"{called.name} is given more than it takes; arguments go by name{_there(called.arguments)}"
    return _wrong_type(diagnostic, parts["expected"], parts["found"], called, code)


def _is_certain(parts: Mapping[str, str], code: str) -> bool:
    """Whether the checker knows what it talks about: of the language's own functions it knows less than the engine."""
    if "called" in parts:
        owner, _, function = parts["called"].rpartition(".")
        return owner.startswith("Tb") or re.search(rf"\bdef\s+{function}\b", code) is not None
    name = parts.get("name", "")
    return not hasattr(builtins, name) and not re.search(rf"""\bhasattr\([^)]*["']{name}["']""", code)


def _no_such_attribute(stubs: str, owner: str, name: str) -> str:
    members = _members(stubs, owner)
    if name in members and f"class {owner}(TypedDict)" in stubs:
        return f'{_path(stubs, owner)} is a dict: write {_path(stubs, owner)}["{name}"]'
    return f"{_path(stubs, owner)} has no `{name}`{_meant(name, members)}"


def _wrong_type(diagnostic: Diagnostic, expected: str, found: str, called: _Called, code: str) -> str | None:
    """A type that is wrong beyond doubt: of something written out, or of a variable that is set in one place only."""
    plain = _PLAIN.fullmatch(found)
    argument = _text(diagnostic, code)
    written = _WRITTEN_OUT.fullmatch(argument)
    if plain is None or written is None or not called.is_ours:
        return None
    if plain["literal"] is None and "Literal[" in expected:
        return None
    if written["variable"] and _times_set(written["variable"], code) > 1:
        return None
    named = _NAMED.match(argument)
    name = named[1] if named else next(iter(called.arguments), "")
    wanted = called.type_of(name) if "omitted" in expected else _readable(expected, "")
    return f"{called.name} takes {wanted} as `{name}`, not {plain['literal'] or found}"


def _times_set(variable: str, code: str) -> int:
    return len(re.findall(rf"\b{variable}\b\s*(?:[-+*/|&]?=(?!=)|:)|\b(?:as|for|global)\s+{variable}\b", code))


def _text(diagnostic: Diagnostic, code: str) -> str:
    """What stands in the place that a complaint is about, if that is one line."""
    if diagnostic.line != diagnostic.end_line:
        return ""
    lines = code.split("\n")
    line = lines[diagnostic.line - 1] if diagnostic.line <= len(lines) else ""
    return line[diagnostic.column - 1 : diagnostic.end_column - 1]


def _meant(name: str, there: Sequence[str]) -> str:
    close = get_close_matches(name, there, 1, 0.6)
    return f": did you mean `{close[0]}`?" if close else _there(there)


def _there(names: Sequence[str]) -> str:
    if not names:
        return ""
    more = ", …" if len(names) > MOST_NAMES else ""
    return f": there is {', '.join(names[:MOST_NAMES])}{more}"


def _listed(names: Sequence[str]) -> str:
    return " and ".join(names)


class _Called:
    """A function that is called: one below `tb`, as its declaration has it, or one of the snippet's own."""

    def __init__(self, stubs: str, qualified: str) -> None:
        owner, _, function = qualified.rpartition(".")
        self.is_ours = owner.startswith("Tb")
        self.name = f"{_path(stubs, owner)}.{function}" if self.is_ours else f"{qualified}()"
        self._types = dict(_parameters(stubs, owner, function)) if self.is_ours else {}

    @property
    def arguments(self) -> list[str]:
        return list(self._types)

    def type_of(self, name: str) -> str:
        return self._types.get(name, "another type")

    def argument(self, name: str) -> str:
        kind = self._types.get(name)
        return f"`{name}` ({kind})" if kind else f"`{name}`"


@lru_cache(maxsize=256)
def _path(stubs: str, owner: str) -> str:
    """How a class of the declarations is reached: `TbThoughtsSession` is tb.thoughts.session."""
    if owner in _SPOKEN:
        return _SPOKEN[owner]
    if at_the_top := re.search(rf"^(\w+): {owner}$", stubs, re.MULTILINE):
        return at_the_top[1]
    for above, body in _classes(stubs):
        if place := re.search(rf"^    (\w+): {owner}\b", body, re.MULTILINE):
            return f"{_path(stubs, above)}.{place[1]}"
    return owner


def _members(stubs: str, owner: str) -> list[str]:
    for name, body in _classes(stubs):
        if name == owner:
            return re.findall(r"^    (?:def )?([^\W_]\w*)(?=[(:])", body, re.MULTILINE)
    return []


def _parameters(stubs: str, owner: str, function: str) -> Iterator[tuple[str, str]]:
    """The arguments that a function takes, with their types."""
    for name, body in _classes(stubs):
        if name != owner:
            continue
        if header := re.search(rf"^    (def {function}\(.*?\)(?: -> [^:]+)?):", body, re.MULTILINE | re.DOTALL):
            declared = ast.parse(f"{header[1]}: ...").body[0]
            if isinstance(declared, ast.FunctionDef):
                for each in [*declared.args.args[1:], *declared.args.kwonlyargs]:
                    yield each.arg, _readable(ast.unparse(each.annotation) if each.annotation else "anything", stubs)


def _readable(kind: str, stubs: str) -> str:
    """A type without the names that only the declarations have, where they stand for something short."""

    def spelt_out(name: re.Match[str]) -> str:
        meaning = re.search(rf"^{name[0]} = (.{{1,{LONGEST_ALIAS}}})$", stubs, re.MULTILINE)
        return meaning[1] if meaning else name[0]

    return re.sub(r"\bTb(\w+)", lambda name: name[1].lower(), re.sub(r"\bTb\w+", spelt_out, kind))


@lru_cache(maxsize=2)
def _classes(stubs: str) -> list[tuple[str, str]]:
    pieces = re.split(r"^class (Tb\w*)\b", stubs, flags=re.MULTILINE)
    return list(zip(pieces[1::2], pieces[2::2], strict=True))
