"""Records in short keys, and back. What is at its default is left out, and comes back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from thoughtbox.errors import NotTbx, shown
from thoughtbox.tbx.vocabulary import KINDS, RELATIONS

Short = dict[str, Any]
Record = dict[str, Any]

TOP = {
    "i": "id",
    "k": "kind",
    "w": "ts",
    "s": "session",
    "b": "branch",
    "g": "agent",
    "r": "refs",
    "c": "confidence",
    "o": "source",
    "a": "attrs",
    "e": "data",
}
BODY = {"x": "text", "p": "cipher", "l": "labels", "n": "metrics"}

RESULT = "tool_result"
BRANCH, AGENT = "main", "anonymous"
"""What is meant when nothing is said."""


def is_record(value: Any) -> bool:
    """Whether a value is a record and nothing else: only then it comes back from its short keys as it was."""
    if not isinstance(value, dict) or not value.keys() >= _ALWAYS or not value.keys() <= _FITS.keys():
        return False
    return all(_FITS[name](part) for name, part in value.items())


def shortened(record: Record) -> Short:
    """The record in short keys; its kind and the types of its relations by their short names."""
    attrs, body = record["attrs"], record["body"]
    short: Short = {"i": record["id"], "k": KINDS[record["kind"]]}
    left_out = {"branch": BRANCH, "agent": AGENT, "refs": derived_refs(attrs), "source": {}, "attrs": {}}
    for key in ("w", "s", "b", "g", "r", "c"):
        name = TOP[key]
        if name in record and not (name in left_out and record[name] == left_out[name]):
            short[key] = record[name]
    short |= {key: body[name] for key, name in BODY.items() if name in body}
    for key in ("o", "a", "e"):
        name = TOP[key]
        if name in record and not (name in left_out and not record[name]):
            short[key] = record[name]
    if "relations" in attrs:
        coded = [{"t": RELATIONS[each["type"]], "to": each["to"]} for each in attrs["relations"]]
        short["a"] = {**attrs, "relations": coded}
    return short


def can_be_shortened(error: Mapping[str, Any]) -> bool:
    """Whether an error has a code and a message, and nothing that would be mistaken."""
    return all(isinstance(error.get(name), str) for name in ("code", "message")) and "status" not in error


def shortened_error(error: Mapping[str, Any]) -> Short:
    """An error as a result of a call that has no id: its message is the text, and the rest of it stands in `a`."""
    rest = {name: value for name, value in error.items() if name != "message"}
    return {"k": KINDS[RESULT], "x": error["message"], "a": {"status": "error", **rest}}


class Opening(NamedTuple):
    """Makes records of short keys again, with the dictionaries of their part."""

    kinds: Mapping[str, str] | None
    relations: Mapping[str, str] | None

    def record(self, short: Any, where: str) -> Record:
        if not isinstance(short, dict):
            raise NotTbx(f"{where} must be a record, with short keys")
        for key in short:
            if key not in TOP and key not in BODY:
                raise NotTbx(f"{where} has `{shown(key)}`, which is no key of a record")
        for key in ("i", "k", "x"):
            if key not in short:
                raise NotTbx(f"{where} has no `{key}`")
        attrs = self._attrs(short.get("a", {}), where)
        made: Record = {
            "id": short["i"],
            "kind": _meant(self.kinds, short["k"], f"{where}.k"),
            "branch": BRANCH,
            "agent": AGENT,
            "source": {},
            **{TOP[key]: value for key, value in short.items() if key in TOP and key not in ("i", "k", "a")},
            "body": {name: short[key] for key, name in BODY.items() if key in short},
            "attrs": attrs,
        }
        made.setdefault("refs", derived_refs(attrs))
        for name, value in made.items():
            if not _FITS[name](value):
                raise NotTbx(f"{where}: `{name}` is not what it must be in a record")
        return made

    def is_error(self, short: Any) -> bool:
        """Whether this is no record, since it has no id, but says that it is an error."""
        if not isinstance(short, dict) or "i" in short:
            return False
        attrs = short.get("a")
        return isinstance(attrs, dict) and attrs.get("status") == "error"

    def error(self, short: Short, where: str) -> dict[str, Any]:
        attrs = short["a"]
        if short.keys() != {"k", "x", "a"} or _meant(self.kinds, short["k"], f"{where}.k") != RESULT:
            raise NotTbx(f"{where} must have `k`, `x` and `a` as an error does, or an `i` as a record")
        rest = {name: value for name, value in attrs.items() if name not in ("status", "code")}
        made = {"code": attrs.get("code"), "message": short["x"]}
        if "message" in rest or not can_be_shortened(made):
            raise NotTbx(f"{where} is an error without a code or without a text, or with two of them")
        return made | rest

    def _attrs(self, attrs: Any, where: str) -> Any:
        if not isinstance(attrs, dict) or "relations" not in attrs:
            return attrs if _are_attrs(attrs) else _refuse(f"{where}.a does not hold the attributes of a record")
        relations = attrs["relations"]
        if not isinstance(relations, list):
            raise NotTbx(f"{where}.a.relations must be a list")
        opened = [self._relation(each, f"{where}.a.relations[{place}]") for place, each in enumerate(relations)]
        found = {**attrs, "relations": opened}
        return found if _are_attrs(found) else _refuse(f"{where}.a does not hold the attributes of a record")

    def _relation(self, each: Any, where: str) -> dict[str, Any]:
        if not isinstance(each, dict) or each.keys() != {"t", "to"}:
            raise NotTbx(f"{where} must be a relation, with `t` and `to`")
        return {"type": _meant(self.relations, each["t"], f"{where}.t"), "to": each["to"]}


def derived_refs(attrs: Mapping[str, Any]) -> list[str]:
    """Every id that attributes link to, once: of relations, what it replaces, the call it answers, what answers it."""
    linked: dict[str, None] = dict.fromkeys(relation["to"] for relation in attrs.get("relations", ()))
    linked |= dict.fromkeys(attrs[name] for name in ("replacesId", "callId") if name in attrs)
    linked |= dict.fromkeys(attrs.get("answeredBy", ()))
    return list(linked)


def _refuse(message: str) -> Any:
    raise NotTbx(message)


def _meant(dictionary: Mapping[str, str] | None, short: Any, where: str) -> str:
    if not isinstance(short, str):
        raise NotTbx(f"{where} must be a text")
    if dictionary is None:
        return short
    if short not in dictionary:
        raise NotTbx(f"{where}: its dictionary has no `{shown(short)}`")
    return dictionary[short]


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_kind(value: Any) -> bool:
    return isinstance(value, str) and value in KINDS


def _is_relation(value: Any) -> bool:
    if not isinstance(value, dict) or value.keys() != {"type", "to"}:
        return False
    return isinstance(value["type"], str) and value["type"] in RELATIONS and isinstance(value["to"], str)


def _are_attrs(value: Any) -> bool:
    """Whether what refs are derived from is there as it should be, if at all."""
    if not isinstance(value, dict):
        return False
    relations = value.get("relations", [])
    return (
        isinstance(relations, list)
        and all(map(_is_relation, relations))
        and all(_is_text(value.get(name, "")) for name in ("replacesId", "callId"))
        and _are_texts(value.get("answeredBy", []))
    )


_IN_BODY: Mapping[str, Callable[[Any], bool]] = {
    "text": _is_text,
    "cipher": _is_text,
    "labels": _are_texts,
    "metrics": _is_object,
}


def _is_body(value: Any) -> bool:
    if not isinstance(value, dict) or "text" not in value or not value.keys() <= _IN_BODY.keys():
        return False
    return all(_IN_BODY[name](part) for name, part in value.items())


_FITS: Mapping[str, Callable[[Any], bool]] = {
    "id": _is_text,
    "kind": _is_kind,
    "ts": _is_text,
    "session": _is_text,
    "branch": _is_text,
    "agent": _is_text,
    "refs": _are_texts,
    "confidence": _is_number,
    "body": _is_body,
    "source": _is_object,
    "attrs": _are_attrs,
    "data": _is_object,
}
_ALWAYS = frozenset({"id", "kind", "branch", "agent", "refs", "body", "source", "attrs"})
"""Without one of these, something would come back that was not there."""
