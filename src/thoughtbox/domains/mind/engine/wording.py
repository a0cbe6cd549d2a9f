"""The sentences of the engine, from the file in which people edit them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from thoughtbox import content

FILE = "mind/engine.toml"
Values = Mapping[str, object]
"""What is filled in, by the words in braces."""


@cache
def texts() -> Mapping[str, Any]:
    return tomllib.loads(content.text(FILE))


def message(code: str, values: Values) -> str:
    """What a signal says."""
    return texts()["signals"][code].format_map(values)


def action_text(name: str, values: Values) -> tuple[str, str]:
    """The title of an action, and why it is suggested."""
    text = texts()["actions"][name]
    return text["title"].format_map(values), text["why"].format_map(values)


def card_text(name: str, values: Values) -> dict[str, Any]:
    """A suggested card, open and without an id: the server gives it one."""
    card = texts()["cards"][name]
    return {
        "type": card["type"],
        "title": card["title"].format_map(values),
        "text": card["text"].strip().format_map(values),
        "status": "open",
        "tags": list(card["tags"]),
    }


def lacking(parts: Iterable[str]) -> str:
    """What would make a piece of evidence stronger."""
    return ", ".join(texts()["lacking"][part] for part in parts)
