"""How far memory is trusted: 0 untrusted, 1 unverified, 2 stated by a user, 3 verified.

Whoever writes says where it comes from, and that alone says how far it is trusted on entry. Only evidence raises it.
"""

from __future__ import annotations

from typing import Literal

EpisodeSource = Literal["user", "system", "agent", "derived"]

LEAST, ENTERED, STATED, VERIFIED = 0, 1, 2, 3

DOUBTED = 0.25
"""The confidence up to which what an agent writes is untrusted."""
ENOUGH = 3
"""Pieces of evidence that verify a cell, one of them from a user."""

_CEILING = {"user": STATED, "system": STATED}
"""What an episode may be trusted with at the most, by where it comes from; all others come in as agents do."""
_ORIGINS = ("derived", "agent", "system", "user")


def entry_trust(source: str, confidence: float | None) -> int:
    """How far something is trusted when it comes in: what a user states more than what an agent writes."""
    if source == "user":
        return STATED
    return LEAST if confidence is not None and confidence <= DOUBTED else ENTERED


def capped(trust: int, source: str) -> int:
    """No episode is trusted further than its origin allows, whoever says so."""
    return min(trust, _CEILING.get(source, ENTERED))


def earned_trust(base: int, evidence: int, contradictions: int, users: int, validated: int) -> int:
    """The trust of a cell: that of its best evidence; verified by three pieces with a user's, or by a validation.

    One that is contradicted is not verified.
    """
    is_verified = validated >= 1 or (evidence >= ENOUGH and users >= 1)
    return VERIFIED if is_verified and contradictions == 0 else min(base, STATED)


def least_trusted(one: str | None, other: str) -> str:
    """Of two origins the one that is to be trusted less."""
    return other if one is None else min(one, other, key=_rank)


def _rank(source: str) -> int:
    return _ORIGINS.index(source) if source in _ORIGINS else 0
