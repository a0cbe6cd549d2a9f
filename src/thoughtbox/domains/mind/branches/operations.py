"""The verbs of branches."""

from __future__ import annotations

from operator import itemgetter
from typing import Any

from thoughtbox.domains.mind import records
from thoughtbox.domains.mind.branches.models import (
    BranchCreated,
    BranchDeleted,
    BranchesListed,
    BranchNoted,
    CheckedOut,
    Checkout,
    CreateBranch,
    DeleteBranch,
    Diff,
    Differing,
    ListBranches,
    Made,
    Merge,
    Merged,
    NoteOnBranch,
    OnBranch,
    RenameBranch,
    Renamed,
)
from thoughtbox.domains.mind.branches.naming import must_be_free
from thoughtbox.domains.mind.branches.refusals import about_deleting, no_destination, unknown_beginning
from thoughtbox.domains.mind.branches.switching import make, switch, warn_of_focus
from thoughtbox.domains.mind.entries import opened, shown
from thoughtbox.domains.mind.envelope import suggest
from thoughtbox.domains.mind.paging import clamped, paged, pages_of
from thoughtbox.domains.mind.refusals import choose_one, invalid
from thoughtbox.domains.mind.room import IN_DAILY, IN_FULL, room
from thoughtbox.domains.mind.scope import NOTES, branch_named, checked_out
from thoughtbox.domains.mind.times import as_of
from thoughtbox.domains.mind.view.documents import Branch, Documents
from thoughtbox.errors import Conflict, UnknownId
from thoughtbox.ledger.record import present
from thoughtbox.operations import Example, Pages, Tx

MOST_BRANCHES = 500
MOST_ENTRIES = 200

_NOTE = ("notes_commit", {"content": "Reads dominate; the cache is cold after every deployment."})
_BRANCH = ("branch_create", {"name": "what-if"})
_IDEA = ("macro_branch_note", {"name": "what-if", "content": "Warm the cache before traffic is switched over."})


@room.operation(
    "branch_create",
    writes=True,
    title="Make a branch",
    toolsets=IN_FULL,
    errors=[Conflict, UnknownId],
    example=Example(_BRANCH[1], given=[_NOTE]),
)
def branch_create(tx: Tx, call: CreateBranch) -> BranchCreated:
    """Make a branch that shows what another shows now; nothing is copied, and neither sees what the other adds."""
    base = branch_named(tx, call.source) if call.source is not None else checked_out(tx)
    made = make(tx, call.name, base)
    suggest(tx, "checkout", {"workspace": tx.workspace, "ref": made.name}, "Work on it")
    return BranchCreated(
        workspace=tx.workspace, branch=Made(name=made.name, base_branch=base.name, base_seq=made.base_seq)
    )


@room.operation(
    "branch_list",
    title="List branches",
    toolsets=IN_FULL,
    newest_first=frozenset({"branches"}),
    pages=[Pages("branches", itemgetter("name"))],
    example=Example({}, given=[_NOTE, _BRANCH]),
)
def branch_list(tx: Tx, call: ListBranches) -> BranchesListed:
    """All branches by name, those of plans and tasks included, and what each was made from."""
    view = as_of(tx, call.as_of).ask(Documents)
    limit = clamped(call.limit, MOST_BRANCHES)
    found = view.branches(limit + 1, call.cursor or "")
    page, has_more = found[:limit], len(found) > limit
    names = view.called({branch.base for branch in page if branch.base is not None})
    return BranchesListed(
        workspace=tx.workspace,
        branches=[_listed(branch, names) for branch in page],
        truncated=has_more,
        next_cursor=page[-1].name if has_more else None,
    )


@room.operation(
    "checkout",
    writes=True,
    idempotent=True,
    title="Work on a branch",
    toolsets=IN_FULL,
    errors=[UnknownId],
    example=Example({"ref": "what-if"}, given=[_BRANCH]),
)
def checkout(tx: Tx, call: Checkout) -> CheckedOut:
    """Make a branch the one that calls are about when they name none; plans and tasks stay as they are."""
    current, branch = checked_out(tx), branch_named(tx, call.ref)
    switched = switch(tx, current, branch)
    warn_of_focus(tx, branch)
    return CheckedOut(workspace=tx.workspace, previous=switched.previous, current=switched.current)


@room.operation(
    "branch_rename",
    writes=True,
    effect="overwrites",
    title="Rename a branch",
    toolsets=IN_FULL,
    errors=[Conflict, UnknownId],
    example=Example({"old": "what-if", "new": "warm-cache"}, given=[_BRANCH]),
)
def branch_rename(tx: Tx, call: RenameBranch) -> Renamed:
    """Call a branch something else; all that is on it, made from it or points to it follows."""
    branch = branch_named(tx, call.old)
    if call.new == call.old:
        raise invalid(f"`new` is what it is called already: {call.old}", recovery="Send another name.", field="new")
    must_be_free(tx, call.new, field="new", renamed=branch)
    records.write_branch(tx, "renamed", branch.id, name=call.new)
    return Renamed(workspace=tx.workspace, previous=branch.name, current=call.new)


@room.operation(
    "branch_delete",
    writes=True,
    effect="removes",
    title="Delete a branch",
    toolsets=IN_FULL,
    errors=[UnknownId],
    example=Example({"name": "what-if"}, given=[_BRANCH]),
)
def branch_delete(tx: Tx, call: DeleteBranch) -> BranchDeleted:
    """Delete a branch and what was written on it; not one that is checked out, has branches of its own, or is a task's.

    What was written stays in the ledger and is shown no more.
    """
    branch = branch_named(tx, call.name)
    if (refusal := about_deleting(tx, branch)) is not None:
        raise refusal
    records.write_branch(tx, "deleted", branch.id, name=branch.name)
    return BranchDeleted(workspace=tx.workspace, name=branch.name)


@room.operation(
    "macro_branch_note",
    writes=True,
    title="Note something, on a branch of its own if wanted",
    toolsets=IN_DAILY,
    errors=[Conflict, UnknownId],
    example=Example(_IDEA[1]),
)
def macro_branch_note(tx: Tx, call: NoteOnBranch) -> BranchNoted:
    """Append a note, and before that switch to a branch: one that is there, or a new one."""
    content = _content(call)
    current = checked_out(tx)
    branch, created = _branch_for(tx, call, current)
    switched = switch(tx, current, branch)
    warn_of_focus(tx, branch)
    doc = call.doc or NOTES
    record = records.write_note(
        tx, branch.id, branch.name, doc, content, title=call.title, format=call.format, meta=call.meta
    )
    base = tx.ask(Documents).branch_of(branch.base) if branch.base is not None else None
    return BranchNoted(
        workspace=tx.workspace,
        branch=OnBranch(
            name=branch.name,
            created=created,
            base_branch=base.name if base else None,
            base_seq=branch.base_seq if base else None,
        ),
        checkout=switched,
        note=shown(record, doc, {branch.id: branch.name}),
    )


@room.operation(
    "diff",
    title="Compare two branches",
    toolsets=IN_FULL,
    errors=[UnknownId],
    keep=["pagination"],
    pages=pages_of("entries"),
    example=Example({"from": "main", "to": "what-if"}, given=[_NOTE, _IDEA]),
)
def diff(tx: Tx, call: Diff) -> Differing:
    """Entries of a document that one branch shows and the other does not; swap them for the other direction."""
    tx = as_of(tx, call.as_of)
    source, to = branch_named(tx, call.source), branch_named(tx, call.to)
    limit = clamped(call.limit, MOST_ENTRIES)
    found = tx.ask(Documents).difference(source, to, call.doc, before=call.cursor, limit=limit + 1)
    page, pagination = paged(found, call.cursor, limit)
    return Differing(source=source.name, to=to.name, doc=call.doc, entries=opened(tx, page), pagination=pagination)


@room.operation(
    "merge",
    writes=True,
    idempotent=True,
    title="Merge notes",
    toolsets=IN_FULL,
    errors=[UnknownId],
    example=Example({"from": "what-if", "into": "main"}, given=[_NOTE, _IDEA]),
)
def merge(tx: Tx, call: Merge) -> Merged:
    """Copy the notes of a branch that another does not have yet, in the order they were written; safe to repeat."""
    from thoughtbox.domains.mind.branches.merging import copy, missing

    source = branch_named(tx, call.source)
    into = _destination(tx, call, source)
    limit = clamped(call.limit, MOST_ENTRIES)
    found = tx.ask(Documents).difference(into, source, call.doc, after=call.cursor, limit=limit + 1, forward=True)
    page, pagination = paged(found, call.cursor, limit)
    notes = missing(tx, into, call.doc, page)
    if not call.dry_run:
        for note in notes:
            copy(tx, note, source, into, call.doc)
    if pagination.has_more:
        again = call.model_dump(by_alias=True, exclude_defaults=True) | {"workspace": tx.workspace}
        suggest(tx, "merge", again | {"cursor": pagination.next_cursor}, "Go on with the rest", "high")
    return Merged(
        source=source.name,
        into=into.name,
        doc=call.doc,
        merged=len(notes),
        skipped=len(page) - len(notes),
        pagination=pagination,
    )


def _listed(branch: Branch, names: dict[int, str]) -> dict[str, Any]:
    base = {"base_branch": names.get(branch.base), "base_seq": branch.base_seq} if branch.base is not None else {}
    return {"name": branch.name, **present(base), "created_at_ms": branch.created_ms}


def _content(call: NoteOnBranch) -> str:
    """The note itself: as it was sent, or from a template."""
    if (call.content is None) == (call.template is None):
        said = "neither is there" if call.content is None else "both are there"
        raise choose_one(f"a note is `content` or from a `template`, and {said}", "content", "template")
    if call.content is not None:
        if call.goal is not None:
            raise invalid("`goal` goes with `template` only", recovery="Say it in `content`.", field="goal")
        return call.content
    from thoughtbox.domains.mind.branches.templates import UnknownTemplate, note_from

    assert call.template is not None
    try:
        return note_from(call.template, call.goal)
    except UnknownTemplate as error:
        raise invalid(error.message, recovery=error.recovery, field="template") from None


def _branch_for(tx: Tx, call: NoteOnBranch, current: Branch) -> tuple[Branch, bool]:
    """The branch that the note goes to, and whether it had to be made."""
    view = tx.ask(Documents)
    if call.name is not None and (there := view.branch(call.name)) is not None:
        return there, False
    beginning = view.branch(call.source) if call.source is not None else current
    if beginning is None:
        raise unknown_beginning(tx, call)
    return (beginning, False) if call.name is None else (make(tx, call.name, beginning), True)


def _destination(tx: Tx, call: Merge, source: Branch) -> Branch:
    """The branch to merge into: the one named, or what the source was made from."""
    base = tx.ask(Documents).branch_of(source.base) if source.base is not None else None
    if call.into is None and not call.merge_to_base:
        raise no_destination(tx, call, base)
    if call.merge_to_base and base is None:
        raise invalid(
            f"`{source.name}` was not made from another branch",
            recovery="Name the branch to merge into with `into`.",
            field="merge_to_base",
        )
    into = branch_named(tx, call.into) if call.into is not None else base
    assert into is not None
    if call.merge_to_base and base is not None and into.id != base.id:
        raise choose_one(f"`{source.name}` was made from `{base.name}`, not from `into`", "into", "merge_to_base")
    if into.id == source.id:
        raise invalid(f"`into` is `from` itself: {source.name}", recovery="Name another branch.", field="into")
    return into
