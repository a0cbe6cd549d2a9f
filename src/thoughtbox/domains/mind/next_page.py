"""Calls that lead on from an answer: the same once more, with another cursor or another word."""

from __future__ import annotations

from typing import Any

from thoughtbox.domains.mind.arguments import MindInput
from thoughtbox.domains.mind.envelope import NextPage
from thoughtbox.operations import Tx


def same_call(tx: Tx, call: MindInput, **changed: Any) -> dict[str, Any]:
    """The arguments of a call, with some of them changed; None leaves one out."""
    said = call.model_dump(by_alias=True, exclude_unset=True, exclude_none=True)
    told = {"workspace": tx.workspace} | said | changed
    return {name: value for name, value in told.items() if value is not None}


def suggest_next(tx: Tx, tool: str, call: MindInput, reason: str) -> None:
    """Name the call for the next page, if there is one when the answer is within its budget."""
    tx.remarks.append(NextPage(tool, same_call(tx, call, cursor=None), reason))
