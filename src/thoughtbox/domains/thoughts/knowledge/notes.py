"""Notes for now: write one, read, list, delete."""

from __future__ import annotations

from thoughtbox.domains.thoughts.knowledge.entries import (
    NOTES,
    created_at,
    delete,
    entry_named,
    found_in,
    page_of,
    record_of,
    undelete,
    write,
)
from thoughtbox.domains.thoughts.knowledge.ids import note_id
from thoughtbox.domains.thoughts.knowledge.models import (
    DeleteNote,
    KnowledgeDeleted,
    ListNotes,
    NoteKept,
    NoteShown,
    NotesListed,
    OneNote,
    WriteNote,
)
from thoughtbox.domains.thoughts.knowledge.view import NOTE, Entry, Knowledge
from thoughtbox.domains.thoughts.room import room
from thoughtbox.domains.thoughts.stages import at
from thoughtbox.domains.thoughts.standing import INIT_COMPLETE
from thoughtbox.errors import InvalidPayload
from thoughtbox.operations import LONGEST_TEXT, Example, Tx
from thoughtbox.search.texts import Texts

_LATEST = {"sessionId": "latest"}
_STARTED = ("start_new", {"sessionTitle": "Slow pages"})
_NOTE = ("knowledge.write_note", {**_LATEST, "title": "Open ends", "content": "- ask about the replica"})


@room.operation(
    "knowledge.write_note",
    writes=True,
    effect="overwrites",
    guard=at(INIT_COMPLETE),
    title="Write a note",
    example=Example(_NOTE[1], given=[_STARTED]),
)
def write_note(tx: Tx, call: WriteNote) -> NoteKept:
    """Write a note on a topic, or write it anew; others in the workspace can read it."""
    id = call.note_id or note_id(tx, call.title)
    entry = tx.ask(Knowledge).entry("note", id)
    content = call.content
    if call.append and entry is not None:
        content = f"{record_of(tx, entry).text}\n{call.content}"
        if len(content) > LONGEST_TEXT:
            raise InvalidPayload(
                f"the note would be longer than {LONGEST_TEXT:,} characters",
                recovery="Send less, or write another note: send another title.",
                details={"fields": ["content"]},
            )
    write(tx, NOTES, {"id": id, "title": call.title}, content, replaces=entry)
    return NoteKept(note=_note(tx, entry_named(tx, NOTES, id), with_content=True))


@room.operation(
    "knowledge.get_note",
    guard=at(INIT_COMPLETE),
    title="Read a note",
    example=Example({**_LATEST, "noteId": "open-ends"}, given=[_STARTED, _NOTE]),
)
def get_note(tx: Tx, call: OneNote) -> NoteKept:
    """One note in full."""
    return NoteKept(note=_note(tx, entry_named(tx, NOTES, call.note_id, call.session_id), with_content=True))


@room.operation(
    "knowledge.list_notes",
    guard=at(INIT_COMPLETE),
    title="List notes",
    fresh=(Texts,),
    newest_first=frozenset({"notes"}),
    example=Example(_LATEST, given=[_STARTED, _NOTE]),
)
def list_notes(tx: Tx, call: ListNotes) -> NotesListed:
    """Notes, without their content, newest first; with these words in them."""
    among, note = found_in(tx, NOTE, call.search)
    entries = tx.ask(Knowledge).entries("note", among=among)
    shown, next_offset = page_of(entries, call.offset, call.limit)
    return NotesListed(
        notes=[_note(tx, entry, with_content=False) for entry in shown],
        count=len(shown),
        has_more=next_offset is not None,
        next_offset=next_offset,
        message=note,
    )


@room.operation(
    "knowledge.delete_note",
    writes=True,
    effect="removes",
    guard=at(INIT_COMPLETE),
    title="Delete a note",
    example=Example({**_LATEST, "noteId": "open-ends"}, given=[_STARTED, _NOTE]),
)
def delete_note(tx: Tx, call: DeleteNote) -> KnowledgeDeleted:
    """Take a note out of sight; what it said stays in the ledger, and knowledge.undelete_note brings it back."""
    return delete(tx, NOTES, entry_named(tx, NOTES, call.note_id, call.session_id))


@room.operation(
    "knowledge.undelete_note",
    writes=True,
    idempotent=True,
    guard=at(INIT_COMPLETE),
    title="Bring a deleted note back",
    example=Example(
        {**_LATEST, "noteId": "open-ends"},
        given=[_STARTED, _NOTE, ("knowledge.delete_note", {**_LATEST, "noteId": "open-ends"})],
    ),
)
def undelete_note(tx: Tx, call: DeleteNote) -> NoteKept:
    """Bring a deleted note back into sight, as it was."""
    return NoteKept(note=_note(tx, undelete(tx, NOTES, call.note_id, call.session_id), with_content=True))


def _note(tx: Tx, entry: Entry, *, with_content: bool) -> NoteShown:
    record = record_of(tx, entry)
    return NoteShown(
        id=entry.id,
        title=record.data["title"],
        content=record.text if with_content else None,
        created_at=created_at(tx, entry),
        updated_at=record.ts,
    )
