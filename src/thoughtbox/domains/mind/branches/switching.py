"""Making branches and moving between them."""

from __future__ import annotations

from thoughtbox.domains.mind import records
from thoughtbox.domains.mind.branches.models import Switched
from thoughtbox.domains.mind.branches.naming import must_be_free
from thoughtbox.domains.mind.envelope import warn
from thoughtbox.domains.mind.view.documents import Branch, Documents
from thoughtbox.operations import Tx


def make(tx: Tx, name: str, base: Branch, *, field: str = "name") -> Branch:
    """A branch that shows what its base shows now, and then what is written on it."""
    must_be_free(tx, name, field=field)
    made = tx.ask(Documents).branch_of(records.write_branch(tx, "created", name=name, base=base.id))
    assert made is not None
    return made


def switch(tx: Tx, current: Branch, to: Branch) -> Switched:
    """Check a branch out, unless it is already."""
    if tx.ask(Documents).place("checkout") != str(to.id):
        records.write_place(tx, "checkout", to.id, f"Branch {to.name} is checked out")
        _warn_of_focus(tx, to)
    return Switched(previous=current.name, current=to.name)


def _warn_of_focus(tx: Tx, to: Branch) -> None:
    """A focus wins over the branch that is checked out: who switches may not think of that."""
    view = tx.ask(Documents)
    focus = view.place("focus")
    at = view.canonical(focus) if focus is not None else None
    if at is None or at.id == to.id:
        return
    warn(
        tx,
        "FOCUS_WINS",
        f"{focus} is in focus: calls that name no branch are about {at.name}, not about {to.name}.",
        f"Name {to.name} in such calls (branch or ref), or send tasks_focus_clear.",
    )
