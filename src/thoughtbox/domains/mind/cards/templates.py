"""Templates of cards: all fields of a card of a type, ready to be filled in and sent."""

from __future__ import annotations

import tomllib
from functools import cache
from typing import Any

from thoughtbox import content
from thoughtbox.domains.mind.cards.card import DEFAULT_STATUS, known_type
from thoughtbox.domains.mind.cards.stamping import default_visibility


def template(type: str) -> dict[str, Any]:
    """A card with everything but its words, and with the visibility that it would get anyway, ready to be changed.

    The id is null, which stands for the next free one: a made-up one would be sent as it stands, and only once.
    """
    known = known_type(type)
    return {
        "id": None,
        "type": known,
        "title": None,
        "text": None,
        "status": DEFAULT_STATUS,
        "tags": [default_visibility(known)],
        "meta": {},
    }


def guidance(type: str) -> dict[str, str]:
    """What to write into which field of such a card. It stands beside the template, so that it is never stored."""
    return dict(_guidance()[known_type(type)])


@cache
def _guidance() -> dict[str, dict[str, str]]:
    return tomllib.loads(content.text("mind/cards.toml"))
