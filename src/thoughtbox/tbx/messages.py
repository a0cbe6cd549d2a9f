"""Values as TBX-C1 messages, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from thoughtbox.errors import NotTbx, shown
from thoughtbox.tbx.reading import Dictionaries, Table
from thoughtbox.tbx.records import Opening, can_be_shortened, is_record, shortened, shortened_error
from thoughtbox.tbx.results import Part, put_back, taken_apart
from thoughtbox.tbx.tables import table
from thoughtbox.tbx.vocabulary import KINDS, RELATIONS
from thoughtbox.tbx.weights import written

VERSION = "tbx-c1"

Message = dict[str, Any]
Check = Callable[[str, Mapping[str, Any]], None]
"""Refuses the attributes that a record of a kind cannot have."""

FEWEST_ROWS = 3
"""Shorter lists of objects stay as they are."""
FEWEST_RECORDS = 4
"""Shorter lists of records are objects with short keys."""

KIND, RELATION = "k", "rel"
"""The dictionaries of a part that holds records, beside those of its columns."""
_NOT_CODED_AGAIN = ("k", "a.relations.*.t")


def is_tbx(value: Any) -> bool:
    """Whether a value says of itself that it is TBX, of whatever version."""
    return isinstance(value, dict) and isinstance(value.get("v"), str) and value["v"].startswith("tbx-")


def encode(value: Any) -> Message:
    """A record, a list of records, or whatever JSON there is, as a message: the same for the same value."""
    try:
        return _encoded(value)
    except (RecursionError, ValueError):
        # Nested too deeply to be looked through, or with a number too long to be written: JSON as it is.
        return {"v": VERSION, "j": value}


def encode_error(told: Mapping[str, Any]) -> Message:
    """An error as a message, in the form of a record: its payload, or what a room puts around one as its `error`."""
    if can_be_shortened(told):
        return {"v": VERSION, **_records([shortened_error(told)])}
    inner = told.get("error")
    if isinstance(inner, dict) and can_be_shortened(inner):
        rest = {name: value for name, value in told.items() if name != "error"}
        return {"v": VERSION, **_records([shortened_error(inner)]), "at": "error", "j": rest}
    return encode(dict(told))


def decode(message: Any, *, check: Check | None = None) -> Any:
    """What a message says; raises `NotTbx` when it is none, or not all of it is there, and says where."""
    if not isinstance(message, dict):
        raise NotTbx("a message is an object")
    if message.get("v") != VERSION:
        known = f"it says `{shown(str(message['v']))}`" if "v" in message else "it has none"
        raise NotTbx(f"`v` must be `{VERSION}`, and {known}")
    try:
        return _decoded(message, check)
    except RecursionError:
        raise NotTbx("the message nests too deeply") from None


def _encoded(value: Any) -> Message:
    whole = _part(value)
    if whole is not None:
        return {"v": VERSION, **whole}
    rest, parts = taken_apart(value, _part)
    if not parts:
        return {"v": VERSION, "j": value}
    if len(parts) > 1:
        return {"v": VERSION, "at": parts, "j": rest}
    [(path, part)] = parts.items()
    return {"v": VERSION, **part, "at": path, "j": rest}


def _part(value: Any) -> Part | None:
    """A value in a form of its own: a record, records, or a table that is shorter than the list; else None."""
    if isinstance(value, dict):
        return _records(shortened(value)) if is_record(value) else None
    if not isinstance(value, list) or not value:
        return None
    if all(map(is_record, value)):
        return _records([shortened(record) for record in value])
    if len(value) < FEWEST_ROWS or not all(isinstance(each, dict) for each in value):
        return None
    made = table(value)
    if made is None:
        return None
    part = {**({"d": made.dictionaries} if made.dictionaries else {}), "cols": made.cols, "rows": made.rows}
    return part if len(written(part)) < len(written(value)) else None


def _records(short: dict[str, Any] | list[dict[str, Any]]) -> Part:
    all_of_them = short if isinstance(short, list) else [short]
    used = {each["k"] for each in all_of_them}
    related = {relation["t"] for each in all_of_them for relation in each.get("a", {}).get("relations", ())}
    dictionaries: dict[str, Any] = {KIND: {name: kind for kind, name in KINDS.items() if name in used}}
    if related:
        dictionaries[RELATION] = {name: type for type, name in RELATIONS.items() if name in related}
    if len(all_of_them) < FEWEST_RECORDS or (made := table(all_of_them, uncoded=_NOT_CODED_AGAIN)) is None:
        return {"d": dictionaries, "m": short}
    return {"d": dictionaries | made.dictionaries, "m": {"cols": made.cols, "rows": made.rows}}


_FORMS = (
    frozenset({"j"}),
    frozenset({"at", "j"}),
    frozenset({"m"}),
    frozenset({"m", "at", "j"}),
    frozenset({"cols", "rows"}),
    frozenset({"cols", "rows", "at", "j"}),
)
"""What stands beside `v`, and with `m` or `cols` perhaps `d`."""


def _decoded(message: Message, check: Check | None) -> Any:
    keys = message.keys() - {"v"}
    form = keys - {"d"}
    for name in sorted(map(str, form - {"m", "cols", "rows", "at", "j"})):
        raise NotTbx(f"a message has no `{shown(name)}`")
    if form not in _FORMS or ("d" in keys and not form & {"m", "cols"}):
        raise NotTbx(f"a message with {', '.join(sorted(keys)) or 'nothing'} beside `v` is not whole, or is two in one")
    if "at" not in form:
        return message["j"] if "j" in form else _opened(message, "", check)
    at = message["at"]
    if "m" in form or "cols" in form:
        if not isinstance(at, str):
            raise NotTbx("`at` must be the path of the part that is there")
        return put_back(message["j"], {at: _opened(message, "", check)})
    if not isinstance(at, dict) or not at:
        raise NotTbx("`at` must be an object with a part for each path")
    return put_back(message["j"], {path: _opened_part(part, f"at.{shown(path)}", check) for path, part in at.items()})


def _opened_part(part: Any, where: str, check: Check | None) -> Any:
    if not isinstance(part, dict) or part.keys() - {"d"} not in ({"m"}, {"cols", "rows"}):
        raise NotTbx(f"{where} must be a part, with `m` or with `cols` and `rows`")
    return _opened(part, f"{where}.", check)


def _opened(part: Mapping[str, Any], where: str, check: Check | None) -> Any:
    """What a part says; `where` is what the place of its keys begins with."""
    given = part.get("d", {})
    if not isinstance(given, dict):
        raise NotTbx(f"{where}d must be an object, by column")
    if "m" not in part:
        return _objects(part, Dictionaries(given, f"{where}d"), where)
    opening = Opening(_own(given, KIND, where), _own(given, RELATION, where))
    columns = {path: each for path, each in given.items() if path not in (KIND, RELATION)}
    found = part["m"]
    if isinstance(found, dict) and "cols" in found:
        if found.keys() != {"cols", "rows"}:
            raise NotTbx(f"{where}m must have `cols` and `rows`, and nothing else")
        found = _objects(found, Dictionaries(columns, f"{where}d"), f"{where}m.")
    elif columns:
        raise NotTbx(f"{where}d.{shown(min(columns))} belongs to no column")
    if isinstance(found, dict):
        return _checked(opening.record(found, f"{where}m"), check)
    if not isinstance(found, list):
        raise NotTbx(f"{where}m must be a record, a list of them, or `cols` and `rows`")
    if len(found) == 1 and opening.is_error(found[0]):
        return opening.error(found[0], f"{where}m[0]")
    return [_checked(opening.record(each, f"{where}m[{number}]"), check) for number, each in enumerate(found)]


def _objects(part: Mapping[str, Any], dictionaries: Dictionaries, where: str) -> list[dict[str, Any]]:
    reading = Table(part["cols"], dictionaries, where)
    objects = reading.objects(part["rows"])
    dictionaries.must_be_used()
    return objects


def _own(given: Mapping[str, Any], name: str, where: str) -> Mapping[str, str] | None:
    """One of the dictionaries that every part with records may have."""
    found = given.get(name)
    if found is not None and not (isinstance(found, dict) and all(isinstance(text, str) for text in found.values())):
        raise NotTbx(f"{where}d.{name} must map short keys to texts")
    return found


def _checked(record: dict[str, Any], check: Check | None) -> dict[str, Any]:
    if check is not None:
        check(record["kind"], record["attrs"])
    return record
