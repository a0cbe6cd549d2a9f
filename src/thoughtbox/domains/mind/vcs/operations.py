"""The verbs of the version control of notes. They are about the branch that is checked out, whatever is in focus."""

from __future__ import annotations

from collections.abc import Mapping
from operator import itemgetter
from typing import Any

from thoughtbox.domains.mind import records
from thoughtbox.domains.mind.arguments import listed
from thoughtbox.domains.mind.entries import opened, shown
from thoughtbox.domains.mind.envelope import Suggestion
from thoughtbox.domains.mind.paging import clamped, paged, pages_of
from thoughtbox.domains.mind.refs import write_move, write_tag
from thoughtbox.domains.mind.refusals import invalid
from thoughtbox.domains.mind.room import IN_FULL, room
from thoughtbox.domains.mind.scope import branch_named, checked_out
from thoughtbox.domains.mind.times import as_of
from thoughtbox.domains.mind.vcs.models import (
    Commit,
    Committed,
    CreateTag,
    DeleteTag,
    ListTags,
    Log,
    Logged,
    Moves,
    Reflog,
    Reset,
    TagCreated,
    TagDeleted,
    TagsListed,
    WasReset,
)
from thoughtbox.domains.mind.vcs.pointing import COMMITS, head_of, must_be_shown, point
from thoughtbox.domains.mind.view.documents import Documents
from thoughtbox.domains.mind.view.refs import Refs, Tag
from thoughtbox.errors import UnknownId
from thoughtbox.operations import Example, Pages, Tx
from thoughtbox.world import milliseconds

MOST_COMMITS = MOST_MOVES = 200
MOST_TAGS = 500

_COMMIT = ("commit", {"artifact": "Warm the cache before traffic is switched over.", "message": "How to deploy"})
_TAG = ("tag_create", {"name": "v1"})


@room.operation(
    "commit",
    writes=True,
    title="Commit a note",
    toolsets=IN_FULL,
    example=Example(_COMMIT[1]),
)
def commit(tx: Tx, call: Commit) -> Committed:
    """Append a note with a message to the branch that is checked out, and move its pointer there."""
    branch = checked_out(tx)
    commits = list[dict[str, Any]]()
    for doc in dict.fromkeys(listed(call.docs)):
        before = head_of(tx, branch, doc)
        note = records.write_note(
            tx, branch.id, branch.name, doc, call.artifact, title=call.message, format="commit", meta=call.meta
        )
        write_move(tx, branch, doc, "commit", before=before, head=note.seq, message=f"commit: {call.message}")
        commits.append(_committed(shown(note, doc, {branch.id: branch.name})))
    return Committed(commits=commits)


@room.operation(
    "log",
    title="Read commits",
    toolsets=IN_FULL,
    errors=[UnknownId],
    keep=["pagination"],
    pages=pages_of("commits"),
    example=Example({}, given=[_COMMIT]),
)
def log(tx: Tx, call: Log) -> Logged:
    """The newest notes that lead up to a branch's pointer, a tag or an entry; what a reset set aside is not shown."""
    tx = as_of(tx, call.as_of)
    at = point(tx, call.ref, call.doc)
    limit = clamped(call.limit, MOST_COMMITS)
    history = tx.ask(Refs).history(at.branch, at.doc, at.seq or 0)
    found = tx.ask(Documents).among(history, at.doc, before=call.cursor, limit=limit + 1, narrowed=COMMITS)
    page, pagination = paged(found, call.cursor, limit)
    return Logged(
        branch=at.branch.name,
        doc=at.doc,
        head_seq=at.seq,
        commits=[_committed(entry) for entry in opened(tx, page)],
        pagination=pagination,
    )


@room.operation(
    "reset",
    writes=True,
    effect="overwrites",
    idempotent=True,
    title="Move the pointer back",
    toolsets=IN_FULL,
    errors=[UnknownId],
    example=Example({"ref": "v1"}, given=[_COMMIT, _TAG, _COMMIT]),
)
def reset(tx: Tx, call: Reset) -> WasReset:
    """Move the pointer of the branch that is checked out to an entry that it shows; nothing is lost.

    log then ends there, and the next commit comes behind it. show has all entries, and reflog the way back.
    """
    branch = checked_out(tx)
    seq = must_be_shown(tx, branch, call.doc, point(tx, call.ref, call.doc))
    before = head_of(tx, branch, call.doc)
    if tx.ask(Refs).head(branch, call.doc) != seq:
        write_move(tx, branch, call.doc, "reset", before=before, head=seq, message=f"reset:{call.ref}")
    return WasReset(branch=branch.name, doc=call.doc, old_seq=before, new_seq=seq)


@room.operation(
    "reflog",
    title="See how the pointer moved",
    toolsets=IN_FULL,
    errors=[UnknownId],
    keep=["pagination"],
    newest_first=frozenset({"entries"}),
    pages=pages_of("entries"),
    example=Example({}, given=[_COMMIT]),
)
def reflog(tx: Tx, call: Reflog) -> Moves:
    """Every move of a branch's pointer by commit and reset, the last first."""
    branch = branch_named(tx, call.ref) if call.ref is not None else checked_out(tx)
    limit = clamped(call.limit, MOST_MOVES)
    found = tx.ask(Refs).moves(branch, call.doc, before=call.cursor, limit=limit + 1)
    page, pagination = paged(found, call.cursor, limit)
    written = {record.seq: record for record in tx.ledger.records(move.seq for move in page)}
    entries = [
        {
            "seq": move.seq,
            "ts": written[move.seq].ts,
            "ts_ms": milliseconds(written[move.seq].ts),
            "branch": branch.name,
            "doc": call.doc,
            "old_seq": move.before,
            "new_seq": move.head,
            "message": written[move.seq].text,
        }
        for move in page
    ]
    return Moves(branch=branch.name, doc=call.doc, entries=entries, pagination=pagination)


@room.operation(
    "tag_create",
    writes=True,
    effect="overwrites",
    title="Tag an entry",
    toolsets=IN_FULL,
    errors=[UnknownId],
    example=Example(_TAG[1], given=[_COMMIT]),
)
def tag_create(tx: Tx, call: CreateTag) -> TagCreated:
    """Give an entry a name, by which log and reset find it."""
    at = point(tx, call.source, call.doc)
    seq = must_be_shown(tx, at.branch, at.doc, at)
    known = tx.ask(Refs).tag(call.name)
    if known is not None and not call.force:
        again = call.model_dump(by_alias=True, exclude_defaults=True) | {"workspace": tx.workspace, "force": True}
        raise invalid(
            f"there is a tag `{call.name}` already, for {known.doc}@{known.entry}",
            recovery="Take another name, or send force=true to move it.",
            field="name",
            suggestions=[Suggestion("tag_create", again, "Move the tag")],
        )
    record = write_tag(tx, at.branch, at.doc, call.name, seq)
    made = Tag(call.name, at.branch.id, at.doc, seq, milliseconds(record.ts))
    return TagCreated(tag=_tagged(made, {at.branch.id: at.branch.name}))


@room.operation(
    "tag_list",
    title="List tags",
    toolsets=IN_FULL,
    newest_first=frozenset({"tags"}),
    pages=[Pages("tags", itemgetter("name"))],
    example=Example({}, given=[_COMMIT, _TAG]),
)
def tag_list(tx: Tx, call: ListTags) -> TagsListed:
    """All tags by name, and which entry each stands for."""
    tx = as_of(tx, call.as_of)
    limit = clamped(call.limit, MOST_TAGS)
    found = tx.ask(Refs).tags(limit + 1, call.cursor or "")
    page, has_more = found[:limit], len(found) > limit
    names = tx.ask(Documents).names({tag.branch for tag in page})
    return TagsListed(
        tags=[_tagged(tag, names) for tag in page],
        truncated=has_more,
        next_cursor=page[-1].name if has_more else None,
    )


@room.operation(
    "tag_delete",
    writes=True,
    effect="removes",
    idempotent=True,
    title="Delete a tag",
    toolsets=IN_FULL,
    example=Example({"name": "v1"}, given=[_COMMIT, _TAG]),
)
def tag_delete(tx: Tx, call: DeleteTag) -> TagDeleted:
    """Take a tag away; the entry stays. It is no error if there is none."""
    tag = tx.ask(Refs).tag(call.name)
    branch = tx.ask(Documents).branch_of(tag.branch) if tag is not None else None
    if tag is None or branch is None:
        return TagDeleted(name=call.name, deleted=False)
    write_tag(tx, branch, tag.doc, tag.name, None)
    return TagDeleted(name=tag.name, deleted=True)


def _committed(entry: Mapping[str, Any]) -> dict[str, Any]:
    """An entry as a commit: its title is the message, its text the artifact."""
    called = {"title": "message", "content": "artifact"}
    return {called.get(name, name): value for name, value in entry.items() if name != "kind"}


def _tagged(tag: Tag, names: Mapping[int, str]) -> dict[str, Any]:
    return {
        "name": tag.name,
        "branch": names[tag.branch],
        "doc": tag.doc,
        "seq": tag.entry,
        "created_at_ms": tag.created_ms,
    }
