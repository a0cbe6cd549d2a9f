"""The short names of kinds and of relations in a message. Its dictionaries say what they stand for.

The words themselves are the ledger's; a test holds these tables against them.
"""

from __future__ import annotations

KINDS = {
    "claim": "cl",
    "evidence": "ev",
    "question": "qu",
    "plan": "pl",
    "observation": "ob",
    "decision": "de",
    "revision": "re",
    "tool_call": "tc",
    "tool_result": "tr",
    "hub_event": "he",
    "checkpoint": "cp",
}

RELATIONS = {
    "supports": "sup",
    "contradicts": "con",
    "revises": "rev",
    "derived_from": "der",
    "answers": "ans",
    "blocks": "blo",
    "refines": "ref",
    "relates_to": "rel",
}
