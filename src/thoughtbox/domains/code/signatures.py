"""Signatures in one line: what a model reads most. And the table of builders, which they and all else derive from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from keyword import iskeyword
from typing import TYPE_CHECKING, Literal, NamedTuple

import orjson

from thoughtbox.domains.code.shapes import Field, Schema, fields, literals, options, resolved
from thoughtbox.ledger.record import RELATION_MEANINGS

if TYPE_CHECKING:
    from thoughtbox.operations import KnownOperation, Table

LONGEST = 200
"""Characters of a signature, beyond which it is abbreviated."""

LONGEST_ANSWER = 80
"""Characters of what it says of an answer, as long as the arguments need the others."""

LONGEST_UNION = 50
"""Characters of the values that one argument can have."""

MORE = "…"

FORMS = ["json", "tbx"]
"""Of an answer: a snippet has no use for another than its own, and is not told that there are several."""

COMMON_SHARE = 0.05
"""Of all operations: an argument that so many have says little of what one of them does, and is left out first."""

OptionType = Literal["text", "texts", "reference", "references", "number", "numbers", "object"]
"""`reference` is a handle or an id, `references` one or several of them, `numbers` an object of numbers."""


class Option(NamedTuple):
    """What may go with a text, or stands in the `attrs` of a kind."""

    type: OptionType
    says: str
    required: bool = False


class Builder(NamedTuple):
    """A function right below `tb` that writes a record."""

    says: str
    """What such a record is."""
    own: Mapping[str, Option]
    """Its own options, named as the `attrs` they become."""
    javascript: str
    python: str
    """The same example, that runs as it stands."""


BUILDERS: Mapping[str, Builder] = {
    "claim": Builder(
        "Something held to be true.",
        {},
        'tb.claim("Reads outnumber writes by far.", {confidence: 0.8, labels: ["cache"]})',
        'tb.claim("Reads outnumber writes by far.", confidence=0.8, labels=["cache"])',
    ),
    "evidence": Builder(
        "Something that was seen, measured or read, and that speaks for or against a claim.",
        {"sourceUrl": Option("text", "Where it was found.")},
        'const c = tb.claim("Reads outnumber writes."); tb.evidence("40 to 1 in a day of logs.", {supports: [c]})',
        'c = tb.claim("Reads outnumber writes.")\ntb.evidence("40 to 1 in a day of logs.", supports=[c])',
    ),
    "question": Builder(
        "Something that is not known yet.",
        {"answeredBy": Option("references", "Records that answer it.")},
        'tb.question("Does the cache survive a restart?", {labels: ["cache"]})',
        'tb.question("Does the cache survive a restart?", labels=["cache"])',
    ),
    "plan": Builder(
        "What is going to be done, step by step.",
        {"steps": Option("texts", "The steps, in order.")},
        'tb.plan("Move the cache.", {steps: ["Measure.", "Move it.", "Measure again."]})',
        'tb.plan("Move the cache.", steps=["Measure.", "Move it.", "Measure again."])',
    ),
    "observation": Builder(
        "Something that was noticed, and is not judged yet.",
        {"context": Option("text", "Where or when that was.")},
        'tb.observation("Latency doubled.", {context: "after the deploy", metrics: {p50_ms: 84}})',
        'tb.observation("Latency doubled.", context="after the deploy", metrics={"p50_ms": 84})',
    ),
    "decision": Builder(
        "What was decided, and instead of what.",
        {"alternativesConsidered": Option("texts", "What could have been done instead.")},
        'tb.decision("Use a read-through cache.", {alternativesConsidered: ["A larger database."]})',
        'tb.decision("Use a read-through cache.", alternativesConsidered=["A larger database."])',
    ),
    "revision": Builder(
        "Something said anew, in the place of an earlier record, which stays as it was.",
        {"replacesId": Option("reference", "The record that it replaces.", required=True)},
        'const c = tb.claim("It takes 40 ms."); tb.revision("It takes 48 ms.", {replacesId: c})',
        'c = tb.claim("It takes 40 ms.")\ntb.revision("It takes 48 ms.", replacesId=c)',
    ),
}
"""What a model writes, by kind."""

RELATION_OPTIONS: Mapping[str, Option] = {name: Option("references", says) for name, says in RELATION_MEANINGS.items()}
"""Every builder takes these: the records that the new one is something to."""

COMMON_OPTIONS: Mapping[str, Option] = {
    "confidence": Option("number", "How sure it is, from 0 to 1."),
    "labels": Option("texts", "Words to find it by."),
    "cipher": Option("text", "The same in the notation of the cipher."),
    "metrics": Option("numbers", "Figures by name."),
    "session": Option("text", "The session it belongs to; without it, the one that is worked on."),
    "branch": Option("text", "The branch it stands on; without it, main."),
}
"""Every builder takes these, too."""


class HostOnly(NamedTuple):
    """A kind that the host alone writes."""

    says: str
    attrs: Mapping[str, Option]


HOST_ONLY: Mapping[str, HostOnly] = {
    "tool_call": HostOnly(
        "A call of a tool, written by the host before it runs.",
        {"toolName": Option("text", "The tool.", True), "args": Option("object", "Its arguments.", True)},
    ),
    "tool_result": HostOnly(
        "What came of a call, written by the host when it has ended.",
        {"callId": Option("reference", "The call.", True), "status": Option("text", "ok or error.", True)},
    ),
    "hub_event": HostOnly(
        "Something that happened on the server, written by the host.",
        {"eventType": Option("text", "What it was.", True)},
    ),
    "checkpoint": HostOnly(
        "A state of the ledger that the host has signed.",
        {"stateHash": Option("text", "The root of its tree.", True)},
    ),
}
"""A snippet that tries to write one of these is told so."""

_TYPES: Mapping[OptionType, str] = {
    "text": "string",
    "texts": "string[]",
    "reference": "Ref",
    "references": "Ref | Ref[]",
    "number": "number",
    "numbers": "{[name]: number}",
    "object": "object",
}


def options_of(kind: str) -> dict[str, Option]:
    """All options of a builder: its own, the relations, and what goes with any record."""
    return {**BUILDERS[kind].own, **RELATION_OPTIONS, **COMMON_OPTIONS}


def references_of(kind: str) -> tuple[str, ...]:
    """Those of its options whose values are handles, ids, or lists of them."""
    return tuple(name for name, option in options_of(kind).items() if option.type in ("reference", "references"))


def builder_signature(kind: str) -> str:
    """`tb.evidence(text: string, options?: {sourceUrl?: string, [relation]?: Ref | Ref[], …}): Handle`, where a Ref is
    a handle or an id."""
    own = BUILDERS[kind].own
    named = "" if any(option.required for option in own.values()) else "options?: "
    before, behind = f"tb.{kind}(text: string, {named}", "): Handle"
    taken = [_option(name, option) for name, option in (*own.items(), *COMMON_OPTIONS.items())]
    taken.insert(len(own), "[relation]?: Ref | Ref[]")
    return f"{before}{_fitted(taken, LONGEST - len(before) - len(behind))}{behind}"


def attributes_of(kind: str) -> dict[str, str]:
    """The `attrs` of a kind by name, with their types; those with a question mark may be missing."""
    attrs = BUILDERS[kind].own if kind in BUILDERS else HOST_ONLY[kind].attrs
    types = {**_TYPES, "reference": "string", "references": "string[]"}
    own = {f"{name}{'' if each.required else '?'}": types[each.type] for name, each in attrs.items()}
    return {**own, "relations?": "{type, to}[]"} if kind in BUILDERS else own


def python_name(name: str) -> str:
    """A name as Python can write it: one of its own words gets an underscore behind it."""
    return f"{name}_" if iskeyword(name) else name


def signature(table: Table, operation: KnownOperation) -> str:
    """`tb.thoughts.session.get({sessionId?: string, limit?: number, …}): {session: {…}, thoughts: {…}[], cursor}`.

    What must be given is always shown; the answer gives way to it, as do arguments that may be left out.
    """
    schemas = table.schemas(operation.name)
    takes, answers = orjson.loads(schemas.input), orjson.loads(schemas.output or b"{}")
    part = orjson.loads(table.usage(operation.name)).get("part")
    told = [field for field in fields(takes) if field.schema.get("enum") != FORMS]
    arguments = sorted(told, key=lambda field: not field.required)
    shown = [_field(each, takes) for each in arguments]
    needed = sum(each.required for each in arguments)
    before = f"tb.{operation.room}.{operation.bare}("
    room = LONGEST - len(before) - len("): ")
    answer = _answer(answers, part, min(LONGEST_ANSWER, room - len(_braced(range(needed), shown))))
    if not shown:
        return f"{before}): {answer}"
    shares = _shares(table, len(table.known))
    common = [shares.get(each.name, 0.0) for each in arguments]
    return f"{before}{_fitted(shown, room - len(answer), keep=needed, common=common)}): {answer}"


@lru_cache(maxsize=2)
def _shares(table: Table, operations: int) -> Mapping[str, float]:
    """By name: how many of all operations have an argument, if they are many."""
    counts = Counter(name for known in table.known.values() for name in known.arguments)
    return {name: count / operations for name, count in counts.items() if count >= COMMON_SHARE * operations}


def _option(name: str, option: Option) -> str:
    return f"{name}{'' if option.required else '?'}: {_TYPES[option.type]}"


def _answer(answers: Schema, part: str | None, room: int) -> str:
    """What comes back. Where a room puts something around all of its answers, `part` is the field that holds it."""
    if part is None or part not in answers.get("properties", {}):
        return _fitted(_fields(answers, answers), room)
    own = _fields(resolved(answers["properties"][part], answers), answers)
    before, behind = f"{{{part}: ", f", {MORE}}}"
    return f"{before}{_fitted(own, room - len(before) - len(behind))}{behind}"


def _fields(answer: Schema, root: Schema) -> list[str]:
    """Of a plain value its name says enough, and leaves room for another."""
    shown = ((each.name, _type(each.schema, root)) for each in fields(answer))
    return [f"{name}: {kind}" if "{" in kind or "[]" in kind else name for name, kind in shown]


def _field(field: Field, root: Schema) -> str:
    return f"{field.name}{'' if field.required else '?'}: {_type(field.schema, root)}"


def _type(schema: Schema, root: Schema) -> str:
    """A type in short: an object is not looked into."""
    found = resolved(schema, root)
    if values := literals(found):
        return _union(values)
    several = options(found)
    if len(several) > 1:
        return _union(_type(each, root) for each in several)
    kind = several[0].get("type", "any")
    if kind == "array":
        inner = _type(several[0].get("items", {}), root)
        return f"({inner})[]" if " | " in inner else f"{inner}[]"
    return {"integer": "number", "object": f"{{{MORE}}}"}.get(kind, kind)


def _union(types: Iterable[str]) -> str:
    parts = list(dict.fromkeys(types))
    while len(" | ".join(parts)) > LONGEST_UNION:
        parts = [*parts[:-2], MORE]
    return " | ".join(parts)


def _fitted(parts: list[str], room: int, *, keep: int = 0, common: Sequence[float] = ()) -> str:
    """As many of these, in braces and in their order, as there is room for; the first to `keep` in any case.

    The most `common` leave first, and then the last.
    """
    leaving = sorted(range(keep, len(parts)), key=lambda place: (-(common[place] if common else 0), -place))
    shown = set(range(len(parts)))
    for place in leaving:
        if len(_braced(shown, parts)) <= room:
            break
        shown.remove(place)
    return _braced(shown, parts)


def _braced(shown: Collection[int], parts: list[str]) -> str:
    said = [part for place, part in enumerate(parts) if place in shown]
    return f"{{{', '.join([*said, *([MORE] if len(said) < len(parts) else [])])}}}"
