"""How branches refuse: what stands in the way, and the call that goes on from there."""

from __future__ import annotations

from typing import Any

from thoughtbox.domains.mind.branches.models import Merge, NoteOnBranch
from thoughtbox.domains.mind.envelope import Suggestion
from thoughtbox.domains.mind.refusals import invalid, unknown
from thoughtbox.domains.mind.scope import NEAR, checked_out
from thoughtbox.domains.mind.view.documents import Branch, Documents
from thoughtbox.errors import InvalidInput, UnknownId
from thoughtbox.operations import Tx, nearest

MOST_NAMED = 5


def about_deleting(tx: Tx, branch: Branch) -> InvalidInput | None:
    """Why a branch cannot be deleted."""
    view = tx.ask(Documents)
    if branch.canonical is not None:
        return invalid(
            f"`{branch.name}` holds the reasoning of {branch.canonical}, and stays",
            recovery="Delete only branches that were made for a what-if.",
            field="name",
        )
    if children := view.children(branch.id):
        named = ", ".join(children[:MOST_NAMED]) + (", …" if len(children) > MOST_NAMED else "")
        return invalid(
            f"`{branch.name}` is what other branches were made from: {named}",
            recovery="Delete those first.",
            field="name",
        )
    if checked_out(tx).id == branch.id:
        other = view.branch_of(branch.base) if branch.base is not None else None
        other = other or next((one for one in view.branches(2) if one.id != branch.id), None)
        return invalid(
            f"`{branch.name}` is checked out",
            recovery=f"Check another out first, such as {other.name}." if other else "It is the only branch there is.",
            field="name",
            suggestions=_checking_out(tx, other) if other else [],
        )
    return None


def _checking_out(tx: Tx, branch: Branch) -> list[Suggestion]:
    return [Suggestion("checkout", {"workspace": tx.workspace, "ref": branch.name}, "Leave the branch", "high")]


def no_destination(tx: Tx, call: Merge, base: Branch | None) -> InvalidInput:
    """When a merge does not say where to."""
    sent = call.model_dump(by_alias=True, exclude_defaults=True) | {"workspace": tx.workspace}
    back = Suggestion("merge", sent | {"merge_to_base": True}, f"Merge it into {base.name}", "high") if base else None
    return invalid(
        "it is not said what to merge into",
        recovery="Send `into` with a branch, or merge_to_base=true for the one that it was made from.",
        field="into",
        hints=[{"kind": "missing_required", "field": "into"}],
        suggestions=[back] if back else [],
    )


def unknown_beginning(tx: Tx, call: NoteOnBranch) -> UnknownId:
    """When the branch that a note's branch begins from is not there: the note is not lost, each retry carries it."""
    wanted = call.source or ""
    sent = call.model_dump(by_alias=True, exclude_none=True) | {"workspace": tx.workspace}
    here = {name: value for name, value in sent.items() if name != "from"}
    near = nearest(wanted, [branch.name for branch in tx.ask(Documents).branches(NEAR)])
    retries = [_retry({**sent, "from": near}, f"Begin from {near}", "high")] if near is not None else []
    current = checked_out(tx).name
    retries.append(
        _retry(here, f"Begin from {current}, which is checked out" if call.name else f"Note it on {current}")
    )
    if call.name is None:
        retries.append(_retry({**here, "name": wanted}, f"Make the branch {wanted}, and note it there"))
    return unknown(
        "branch",
        wanted,
        recovery=f"Did you mean the branch {near}?"
        if near is not None
        else f"Leave `from` out to begin from {current}.",
        suggestions=retries,
    )


def _retry(params: dict[str, Any], reason: str, priority: Any = "medium") -> Suggestion:
    return Suggestion("macro_branch_note", params, reason, priority)
