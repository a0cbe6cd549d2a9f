"""Texts that still wait to be written: they count as missing."""

from __future__ import annotations

from thoughtbox.domains.mind.slice import Card

MARK = "<fill"


def is_stub(text: str) -> bool:
    return MARK in text.lower()


def is_stub_card(card: Card) -> bool:
    return any(text is not None and is_stub(text) for text in (card.title, card.text))
