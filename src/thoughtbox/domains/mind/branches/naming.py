"""Which names a branch may take."""

from __future__ import annotations

import re

from thoughtbox.domains.mind.envelope import Suggestion
from thoughtbox.domains.mind.refusals import invalid, suggested
from thoughtbox.domains.mind.view.documents import Branch, Documents
from thoughtbox.errors import Conflict
from thoughtbox.operations import Tx

OF_TARGETS = re.compile(r"(?:task/(TASK-[0-9]{3,})|plan/(PLAN-[0-9]{3,}))")


def must_be_free(tx: Tx, name: str, *, field: str, renamed: Branch | None = None) -> None:
    """Refuse a name that another branch has, or that belongs to the branch of a plan or task."""
    if tx.ask(Documents).branch(name) is not None:
        raise Conflict(
            f"there is a branch `{name}` already",
            recovery="Take another name, or check that branch out.",
            details={"fields": [field]}
            | suggested([Suggestion("checkout", {"workspace": tx.workspace, "ref": name}, "Work on that branch")]),
        )
    kept = OF_TARGETS.fullmatch(name)
    owner = (kept[1] or kept[2]) if kept is not None else None
    if owner is not None and (renamed is None or renamed.canonical != owner):
        raise invalid(
            f"`{field}`: {name} is kept for the reasoning of {owner}",
            recovery=f"Take another name, such as {name}-alt.",
            field=field,
        )
