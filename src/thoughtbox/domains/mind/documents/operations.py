"""The verbs of documents."""

from __future__ import annotations

from operator import itemgetter

from thoughtbox.domains.mind import records
from thoughtbox.domains.mind.documents.models import (
    CommitNote,
    DocsListed,
    Export,
    Exported,
    ListDocs,
    NoteCommitted,
    Open,
    Opened,
    Show,
)
from thoughtbox.domains.mind.entries import shown
from thoughtbox.domains.mind.pages import PageShown, page_of
from thoughtbox.domains.mind.paging import NOTES_AND_TRACE, pages_of
from thoughtbox.domains.mind.room import IN_CORE, IN_FULL, room
from thoughtbox.domains.mind.scope import branch_named, checked_out, missing_target, scope_of
from thoughtbox.domains.mind.tasks.shown import reasoning_ref, target_shown
from thoughtbox.domains.mind.times import as_of
from thoughtbox.domains.mind.view.documents import Documents
from thoughtbox.domains.mind.view.tasks import Tasks
from thoughtbox.errors import UnknownId
from thoughtbox.operations import Example, Pages, Tx

MOST_DOCS = 200

_NOTE = ("notes_commit", {"content": "Reads dominate; the cache is cold after every deployment."})


@room.operation(
    "notes_commit",
    writes=True,
    title="Append a note",
    toolsets=IN_FULL,
    errors=[UnknownId],
    example=Example(_NOTE[1]),
)
def notes_commit(tx: Tx, call: CommitNote) -> NoteCommitted:
    """Append a note to the notes of a plan or task, or to a document on a branch."""
    scope = scope_of(tx, target=call.target, branch=call.branch, notes=call.doc)
    record = records.write_note(
        tx,
        scope.branch.id,
        scope.branch.name,
        scope.notes,
        call.content,
        title=call.title,
        format=call.format,
        meta=call.meta,
    )
    return NoteCommitted(entry=shown(record, scope.notes, {scope.branch.id: scope.branch.name}))


@room.operation(
    "show",
    title="Read a document",
    toolsets=IN_FULL,
    errors=[UnknownId],
    keep=["pagination"],
    pages=pages_of("entries"),
    example=Example({"doc_kind": "notes"}, given=[_NOTE]),
)
def show(tx: Tx, call: Show) -> PageShown:
    """The newest entries of a document as a branch shows it, and with a cursor those before them."""
    tx = as_of(tx, call.as_of)
    is_trace = call.doc_kind == "trace"
    scope = scope_of(
        tx,
        target=call.target,
        branch=call.branch,
        notes=None if is_trace else call.doc,
        trace=call.doc if is_trace else None,
    )
    doc = scope.trace if is_trace else scope.notes
    return page_of(tx, scope.branch, doc, cursor=call.cursor, limit=max(call.limit, 1))


@room.operation(
    "open",
    title="Open anything by its id",
    toolsets=IN_CORE,
    errors=[UnknownId],
    newest_first=frozenset({"cards", "events"}),
    example=Example({"id": "notes@3"}, given=[_NOTE]),
)
def open(tx: Tx, call: Open) -> Opened:
    """One thing by the id that another answer named: a card, entry, anchor, plan, task, step, event, conflict, job."""
    from thoughtbox.domains.mind.documents.opening import Wanted, opened_by_id

    wanted = Wanted(call.limit, call.include_drafts or call.all_lanes)
    return Opened(**opened_by_id(as_of(tx, call.as_of), call.id, wanted))


@room.operation(
    "docs_list",
    title="List documents",
    toolsets=IN_FULL,
    errors=[UnknownId],
    newest_first=frozenset({"docs"}),
    pages=[Pages("docs", itemgetter("doc"))],
    example=Example({}, given=[_NOTE]),
)
def docs_list(tx: Tx, call: ListDocs) -> DocsListed:
    """The documents that a branch shows by name: notes, traces and graphs, and when each was begun and last written."""
    from thoughtbox.domains.mind.documents.listing import listed

    tx = as_of(tx, call.as_of)
    branch = branch_named(tx, call.ref) if call.ref is not None else checked_out(tx)
    limit = min(max(call.limit, 1), MOST_DOCS)
    found = tx.ask(Documents).documents(branch, after=call.cursor or "", limit=limit + 1)
    page, has_more = found[:limit], len(found) > limit
    return DocsListed(
        branch=branch.name,
        docs=listed(tx, page),
        truncated=has_more,
        next_cursor=page[-1].doc if has_more else None,
    )


@room.operation(
    "export",
    title="Take a plan or task along",
    toolsets=IN_FULL,
    errors=[UnknownId],
    keep=["target", "reasoning_ref"],
    pages=NOTES_AND_TRACE,
    example=Example({"target": "PLAN-001"}, given=[("tasks_create", {"kind": "plan", "title": "Warm the cache"})]),
)
def export(tx: Tx, call: Export) -> Exported:
    """A plan or task with where its reasoning stands, and the newest of its notes and its trace."""
    scope = scope_of(tx, target=call.target)
    if scope.target is None:
        raise missing_target(tx)
    target = tx.ask(Tasks).target(scope.target)
    assert target is not None
    notes = page_of(tx, scope.branch, scope.notes, limit=call.notes_limit).answer()
    trace = page_of(tx, scope.branch, scope.trace, limit=call.trace_limit).answer()
    return Exported(
        target=target_shown(target),
        reasoning_ref=reasoning_ref(target.id, scope.branch),
        notes=notes,
        trace={"sequential": None, **trace},
    )
