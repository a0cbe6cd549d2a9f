"""Reading a card from whatever an agent sends: an object, JSON, lines of `key: value`, plain text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import orjson

from thoughtbox.domains.mind.cards.card import DEFAULT_STATUS, DEFAULT_TYPE, CardRefused, ParsedCard, known_type
from thoughtbox.domains.mind.cards.lines import read_lines
from thoughtbox.domains.mind.names import bad_name
from thoughtbox.errors import NotCanonical
from thoughtbox.ledger.canonical import JsonValue, canonical

KEYS = {
    "id": "id",
    "card_id": "id",
    "type": "type",
    "card_type": "type",
    "title": "title",
    "text": "text",
    "status": "status",
    "tags": "tags",
    "meta": "meta",
}
"""The keys of a card and what they stand for. Every other key goes under `meta`."""

RESERVED_IDS = ("task:", "step:")
"""Nodes that stand for tasks and steps begin so; no card may."""

_AS_OBJECT = 'Send an object such as {"type": "note", "title": "What it is about", "text": "What you know"}.'
_MEANT_AS_JSON = re.compile(r'\s*\{\s*"')


def read_card(value: object, *, type: str | None = None) -> ParsedCard:
    """The card that was meant, in its one spelling. A `type` given here counts, whatever the card says."""
    fields, others = _sorted_out(_pairs(value))
    title, text = _text(fields, "title"), _text(fields, "text")
    if title is None and text is None:
        raise CardRefused("card", "the card has neither a title nor a text", "Give it a title, a text, or both.")
    card = ParsedCard(
        id=_id(fields),
        type=known_type(type or _text(fields, "type") or DEFAULT_TYPE),
        title=title.strip() if title else None,
        text=text,
        status=(_text(fields, "status") or DEFAULT_STATUS).strip(),
        tags=read_tags(fields.get("tags")),
        meta=_together(_meta(fields.get("meta")), others),
    )
    _must_be_storable({"title": card.title, "text": card.text, "status": card.status, "meta": card.meta})
    return card


def read_tags(given: object) -> tuple[str, ...]:
    """Tags as a list or as text with commas or semicolons: small letters, each once, in order."""
    if given is None:
        return ()
    listed = re.split("[,;]", given) if isinstance(given, str) else given
    if not isinstance(listed, list | tuple) or not all(isinstance(tag, str) for tag in listed):
        raise CardRefused(
            "tags", "`tags` is not a list of texts", 'Send a list, ["cache", "v:canon"], or "cache, v:canon".'
        )
    tags = sorted({tag.strip().lower() for tag in listed if tag.strip()})
    for tag in tags:
        if wrong := bad_name(tag):
            raise CardRefused(
                "tags", f"the tag `{tag[:60]}` {wrong}", "Send tags of one line, 256 characters at most, without `|`."
            )
    return tuple(tags)


def _pairs(value: object) -> Iterable[tuple[object, object]]:
    if isinstance(value, Mapping):
        return value.items()
    if not isinstance(value, str):
        raise CardRefused("card", "the card is neither an object nor text", _AS_OBJECT)
    if not value.strip():
        raise CardRefused("card", "the card is blank", _AS_OBJECT)
    if value.lstrip().startswith("{"):
        try:
            return _json_object("card", value).items()
        except CardRefused:
            # A decision whose JSON lacks a bracket must not become a note that nobody sees; `{x}` is plain text.
            if _MEANT_AS_JSON.match(value):
                raise
    return read_lines(value, KEYS) or [("text", value)]


def _sorted_out(pairs: Iterable[tuple[object, object]]) -> tuple[dict[str, object], dict[str, Any]]:
    """The fields of a card, and what else it says, with small keys. What is `null` was not given."""
    fields: dict[str, object] = {}
    others: dict[str, Any] = {}
    for given, value in pairs:
        key = given.strip().lower() if isinstance(given, str) else ""
        if not key:
            raise CardRefused("card", "a key of the card is blank", _AS_OBJECT)
        found, place = (fields, KEYS[key]) if key in KEYS else (others, key)
        if found is fields and value is None:
            continue
        _must_be_new(found, place, value)
        found[place] = value
    return fields, others


def _text(fields: dict[str, object], name: str) -> str | None:
    """A field as it was written; nothing if it is blank."""
    value = fields.get(name)
    if value is None:
        return None
    if not isinstance(value, str):
        raise CardRefused(name, f"`{name}` is not text", f"Send `{name}` as text, or leave it out.")
    return value if value.strip() else None


def _id(fields: dict[str, object]) -> str | None:
    given = _text(fields, "id")
    if given is None:
        return None
    if wrong := bad_name(given):
        raise CardRefused(
            "id",
            f"the card's id `{given[:60]}` {wrong}",
            "Send an id of one line, 256 characters at most, without `|`; or none, and the card gets one.",
        )
    if given.startswith(RESERVED_IDS):
        raise CardRefused(
            "id",
            f"the card's id `{given[:60]}` is one of a task or a step",
            "Choose an id that begins neither with `task:` nor with `step:`, or send none, and the card gets one.",
        )
    return given


def _meta(given: object) -> dict[str, Any]:
    if isinstance(given, str) and given.strip():
        return _json_object("meta", given)
    if isinstance(given, Mapping):
        return dict(given)
    if given is None or given == "":
        return {}
    raise CardRefused("meta", "`meta` is not an object", 'Send an object, {"source": "ci"}, or leave it out.')


def _together(meta: dict[str, Any], others: dict[str, Any]) -> dict[str, Any]:
    for key, value in others.items():
        _must_be_new(meta, key, value)
    return {**meta, **others}


def _must_be_new(found: Mapping[str, object], key: str, value: object) -> None:
    """Nothing takes the place of something else; the same text twice does no harm."""
    if key in found and not (isinstance(value, str) and value == found[key]):
        raise CardRefused(key, f"`{key[:60]}` is given twice", f"Send `{key[:60]}` once.")


def _json_object(field: str, text: str) -> dict[str, Any]:
    try:
        found = orjson.loads(text)
    except ValueError as error:
        raise CardRefused(field, f"`{field}` begins like JSON and is not: {error}", _WHOLE_JSON[field]) from None
    if not isinstance(found, dict):
        raise CardRefused(field, f"`{field}` is JSON, but no object", _WHOLE_JSON[field])
    return found


_WHOLE_JSON = {
    "card": 'Send a whole JSON object, or, if this is plain text, {"text": "the text"}.',
    "meta": 'Send a JSON object, {"source": "ci"}, or leave it out.',
}


def _must_be_storable(fields: dict[str, JsonValue]) -> None:
    try:
        canonical(fields)
    except NotCanonical as error:
        field = re.split(r"[.\[]", str(error.details["path"]))[0]
        raise CardRefused(field, error.message.rstrip("."), error.recovery or f"Change `{field}`.") from None
