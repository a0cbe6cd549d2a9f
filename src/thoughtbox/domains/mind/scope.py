"""What a call is about: a branch, and the documents on it.

An explicit target wins, or an explicit branch or document; never both. Without any of them it is the plan or task in
focus, and without a focus the branch that is checked out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from thoughtbox.domains.mind import records
from thoughtbox.domains.mind.arguments import TargetRef
from thoughtbox.domains.mind.envelope import Suggestion
from thoughtbox.domains.mind.refusals import choose_one, invalid, unknown
from thoughtbox.domains.mind.view.documents import MAIN, Branch, Documents
from thoughtbox.domains.mind.view.tasks import Tasks
from thoughtbox.operations import Tx, nearest

NOTES, TRACE, GRAPH = "notes", "trace", "graph"

TARGET = re.compile(r"(PLAN|TASK)-[0-9]{3,}")
NO_BRANCH = Branch(0, MAIN, None, 0, 0, None)
"""The first branch of a workspace that has none yet."""
NEAR = 200
"""Names that are looked through for one that was meant."""


@dataclass(frozen=True, slots=True)
class Scope:
    """A branch and the documents on it."""

    branch: Branch
    notes: str = NOTES
    trace: str = TRACE
    graph: str = GRAPH
    target: str | None = None
    """The plan or task whose reasoning it is."""
    is_focus: bool = False
    """Whether nothing was said, and the focus stood in."""


def target_id(target: str | TargetRef | None, field: str = "target") -> str | None:
    """The id of a plan or task; refuses what is none. `field` is the argument that names it."""
    if target is None:
        return None
    id, kind = (target.id, target.kind) if isinstance(target, TargetRef) else (target, None)
    found = TARGET.fullmatch(id)
    if found is None or (kind is not None and kind.upper() != found[1]):
        raise invalid(
            f"`{field}` is no {kind or 'plan or task'}: {id[:80]}",
            recovery="It looks like TASK-001 or PLAN-001.",
            field=field,
            hints=[{"kind": "prefix", "field": field, "allowed": ["PLAN-", "TASK-"]}],
        )
    return id


def scope_of(
    tx: Tx,
    *,
    target: str | TargetRef | None = None,
    branch: str | None = None,
    notes: str | None = None,
    trace: str | None = None,
    graph: str | None = None,
    named: str = "branch",
) -> Scope:
    """The branch and the documents that a call is about. `named` is what the branch is called among its arguments."""
    given = {named: branch, "notes_doc": notes, "trace_doc": trace, "graph_doc": graph}
    overrides = [name for name, value in given.items() if value is not None]
    wanted = target_id(target)
    if wanted is not None and overrides:
        raise choose_one(f"`target` says where to work, and so does `{overrides[0]}`", "target", overrides[0])
    is_focus = False
    if wanted is None and not overrides:
        wanted = tx.ask(Documents).place("focus")
        is_focus = wanted is not None
    if wanted is not None:
        return _of_target(tx, wanted, is_focus=is_focus)
    at = branch_named(tx, branch) if branch is not None else checked_out(tx)
    return Scope(at, notes or NOTES, trace or TRACE, graph or GRAPH)


def docs_of(target: str) -> tuple[str, str, str]:
    """The documents of a plan's or task's reasoning: notes, trace, graph."""
    return NOTES, f"{target}-trace", f"{target}-graph"


def _of_target(tx: Tx, target: str, *, is_focus: bool) -> Scope:
    branch = tx.ask(Documents).canonical(target)
    if branch is None:
        raise unknown_target(tx, target)
    return Scope(branch, *docs_of(target), target=target, is_focus=is_focus)


def missing_target(
    tx: Tx, why: str = "nothing is in focus", kinds: Sequence[str] = ("plan", "task"), field: str = "target"
) -> Exception:
    """For a call that is about a plan or task, names none, and finds none in focus."""
    last = tx.ask(Tasks).last_changed(kinds)
    what = " or ".join(kinds)
    return invalid(
        f"no {what} is named, and {why}",
        recovery=f"Send {field}={last}, the {what} that changed last, or another one; tasks_context lists them."
        if last is not None
        else f"There is no {what} yet: begin one with tasks_create.",
        field=field,
        hints=[{"kind": "missing_required", "field": field}],
        suggestions=_next_of(tx, last),
    )


def unknown_target(tx: Tx, target: str) -> Exception:
    what = "plan" if target.startswith("PLAN") else "task"
    last = tx.ask(Tasks).last_changed([what])
    return unknown(
        what,
        target,
        recovery=f"The {what} that changed last is {last}; tasks_context lists them."
        if last is not None
        else f"There is no {what} yet: begin one with tasks_create.",
        suggestions=_next_of(tx, last),
    )


def _next_of(tx: Tx, last: str | None) -> list[Suggestion]:
    if last is None:
        return [Suggestion("tasks_context", {"workspace": tx.workspace}, "See which plans and tasks there are", "high")]
    return [Suggestion("open", {"workspace": tx.workspace, "id": last}, f"See {last}, which changed last", "high")]


def branch_named(tx: Tx, name: str) -> Branch:
    """The branch of that name; refuses one that is not there."""
    view = tx.ask(Documents)
    found = view.branch(name)
    if found is not None:
        return found
    if name == MAIN and not view.branches(1):
        return begin(tx) if tx.writes else NO_BRANCH
    raise unknown_branch(tx, name)


def unknown_branch(tx: Tx, name: str) -> Exception:
    near = nearest(name, [branch.name for branch in tx.ask(Documents).branches(NEAR)])
    return unknown(
        "branch",
        name,
        recovery=f"Did you mean the branch {near}?" if near is not None else "branch_list names those there are.",
        suggestions=[Suggestion("branch_list", {"workspace": tx.workspace}, "See which branches there are", "high")],
    )


def checked_out(tx: Tx) -> Branch:
    """The branch that is checked out; the first one is made when it is needed."""
    view = tx.ask(Documents)
    found = view.checkout() or view.branch(MAIN)
    if found is not None:
        return found
    if some := view.branches(1):
        return some[0]
    return begin(tx) if tx.writes else NO_BRANCH


def begin(tx: Tx) -> Branch:
    """Make the first branch, and check it out."""
    id = records.write_branch(tx, "created", name=MAIN)
    records.write_place(tx, "checkout", id, f"Branch {MAIN} is checked out")
    made = tx.ask(Documents).branch_of(id)
    assert made is not None
    return made
