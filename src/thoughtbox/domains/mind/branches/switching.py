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
    return Switched(previous=current.name, current=to.name)


def warn_of_focus(tx: Tx, to: Branch) -> None:
    """A focus goes before the branch that is checked out: who switches with one set should know."""
    view = tx.ask(Documents)
    focus = view.place("focus")
    own = view.canonical(focus) if focus is not None else None
    if own is not None and own.id != to.id:
        warn(
            tx,
            "FOCUS_ELSEWHERE",
            f"{focus} is in focus: calls that name no branch go to {own.name}, not to {to.name}.",
            f"Name {to.name} in calls about it, or send tasks_focus_clear.",
        )
