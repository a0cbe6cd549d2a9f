"""The verbs of what is kept for a compaction; all but the pack are for a host's hooks."""

from __future__ import annotations

from thoughtbox.domains.memory.compaction.gathering import doing, finished, known, pack, unfinished
from thoughtbox.domains.memory.compaction.models import (
    Finished,
    HostNoted,
    NoteHost,
    ReadFinished,
    ReadPack,
    ReadUnfinished,
    SaveBeforeCompaction,
    SessionPack,
    Unfinished,
)
from thoughtbox.domains.memory.compaction.packing import HOW_TO_CALL, packed
from thoughtbox.domains.memory.compaction.records import write_note
from thoughtbox.domains.memory.cycle.steps import ahead
from thoughtbox.domains.memory.quoting import PREAMBLE
from thoughtbox.domains.memory.room import BESIDE, room
from thoughtbox.domains.memory.view.host_notes import HostNotes
from thoughtbox.operations import Example, Tx
from thoughtbox.world import iso

_WHO = {"client": "claude-code", "host_session": "s1"}
_PROMPT = ("memory_host_note", {**_WHO, "kind": "prompt", "text": "Move the cache."})


@room.operation(
    "session_pack",
    title="Get back what a session was doing",
    toolsets=BESIDE,
    example=Example(_WHO, given=[_PROMPT]),
)
def session_pack(tx: Tx, call: ReadPack) -> SessionPack:
    """What a host's session was doing, in 2,000 characters, for whoever has lost its context: prompts, files, cycle.

    Hosts with hooks hand it over by themselves after a compaction.
    """
    last = tx.ask(HostNotes).last() if call.client is None or call.host_session is None else None
    client = call.client or (last.client if last else None)
    host_session = call.host_session or (last.host_session if last and last.client == client else None)
    if client is None or host_session is None or (call.starts and not doing(tx, client, host_session).is_known):
        begun = known(tx)
        text = packed(f"From Thoughtbox, what is known here. {PREAMBLE}", begun, "", call.pack_chars)
        is_told = any(section.lines for section in begun)
        return SessionPack(client=client, host_session=host_session, pack=text if is_told else "", next_call=None)
    found = pack(tx, client, host_session, how=HOW_TO_CALL[call.calls], longest=call.pack_chars)
    return SessionPack(client=client, host_session=host_session, pack=found.text, next_call=found.next_call)


@room.operation(
    "memory_host_note",
    writes=True,
    hidden=True,
    title="Note a prompt or a cycle of a host's session",
    example=Example(_PROMPT[1]),
)
def memory_host_note(tx: Tx, call: NoteHost) -> HostNoted:
    """Keep what a host's hook has heard: what the user asked, or which memory session an agent works on."""
    text = call.text or (f"Works on memory session {call.cycle}" if call.cycle is not None else call.kind)
    ts = call.ts or iso(tx.now_ms)
    record = write_note(tx, call.client, call.host_session, call.kind, text, ts=ts, cycle=call.cycle)
    return HostNoted(id=record.seq)


@room.operation(
    "save_before_compaction",
    writes=True,
    hidden=True,
    title="Save what an agent was doing before its context is compacted",
    example=Example(_WHO),
)
def save_before_compaction(tx: Tx, call: SaveBeforeCompaction) -> HostNoted:
    """Keep that a compaction comes, and what the agent had last said."""
    record = write_note(tx, call.client, call.host_session, "compaction", call.said, ts=iso(tx.now_ms))
    return HostNoted(id=record.seq)


@room.operation(
    "memory_host_unfinished",
    hidden=True,
    title="See which guarded cycle a host's session has not finished",
    example=Example(_WHO),
)
def memory_host_unfinished(tx: Tx, call: ReadUnfinished) -> Unfinished:
    """The newest guarded cycle of a host's session that was begun and is not at its end, and what it needs next."""
    found = unfinished(tx, call.client, call.host_session)
    if found is None:
        return Unfinished(session_id=None, phase=None, step=None, next_call=None)
    coming = ahead(found)
    return Unfinished(session_id=found.session_id, phase=coming.phase, step=coming.step, next_call=coming.call)


@room.operation(
    "memory_host_finished",
    hidden=True,
    title="See which memory sessions of a host can be closed",
    example=Example(_WHO),
)
def memory_host_finished(tx: Tx, call: ReadFinished) -> Finished:
    """The open memory sessions of a host's session that have nothing before them: its own, and cycles at their end."""
    return Finished(sessions=finished(tx, call.client, call.host_session, call.limit))
