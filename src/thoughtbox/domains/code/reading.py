"""What builders wrote, read back: by session, from what it refers to, or by its words."""

from __future__ import annotations

from typing import NamedTuple

from thoughtbox.domains.code import records
from thoughtbox.domains.code.models import (
    AuthoredFound,
    AuthoredHit,
    AuthoredListed,
    AuthoredShown,
    FindAuthored,
    ReadAuthored,
)
from thoughtbox.domains.code.room import room
from thoughtbox.domains.code.standing import session_of
from thoughtbox.domains.code.view import Written
from thoughtbox.errors import InvalidPayload
from thoughtbox.ledger.record import MAIN_BRANCH, Record, seq_of
from thoughtbox.operations import Example, Pages, Tx, cursor, place_in
from thoughtbox.search.texts import Texts

_CLAIM = ("author", {"records": [{"kind": "claim", "text": "Reads dominate writes 40 to 1."}], "session": "s1"})


class AfterRecord(NamedTuple):
    """Where a page of records ends."""

    seq: int


@room.operation(
    "authored",
    title="Read what builders wrote",
    newest_first=frozenset({"records"}),
    pages=[Pages("records", lambda record: cursor(AfterRecord(seq_of(record["id"]) or 0)), cursor="cursor")],
    example=Example({"session": "s1", "kind": "claim"}, given=[_CLAIM]),
)
def authored(tx: Tx, call: ReadAuthored) -> AuthoredListed:
    """Records that builders have written, of a session, or those that support or else refer to a record; by page."""
    after = place_in(call.cursor, AfterRecord).seq if call.cursor is not None else 0
    view = tx.ask(Written)
    if call.about is not None:
        seqs = view.about(call.about, call.relation, after, call.limit + 1)
    elif (session := session_of(tx.focus, call.session)) is not None:
        seqs = view.page(session, call.kind, call.branch, after, call.limit + 1)
    else:
        raise InvalidPayload(
            "there is no session that you are in",
            recovery="Name one: session, or about: the id of a record that others refer to.",
            details={"fields": ["session"]},
        )
    found = [record for record in tx.ledger.records(seqs[: call.limit]) if _is_wanted(record, call)]
    is_last = len(seqs) <= call.limit
    return AuthoredListed(
        records=list(map(_shown, found)), cursor=None if is_last else cursor(AfterRecord(seqs[call.limit - 1]))
    )


@room.operation(
    "authored_search",
    title="Find what builders wrote",
    fresh=(Texts,),
    newest_first=frozenset({"records"}),
    example=Example({"query": "reads dominate"}, given=[_CLAIM]),
)
def authored_search(tx: Tx, call: FindAuthored) -> AuthoredFound:
    """Records that builders have written, of any session, by a question or by words; the best first."""
    found = tx.ask(Texts).find(
        call.query, topics=frozenset({records.AUTHORED_TOPIC}), limit=call.limit, offset=call.offset
    )
    opened = {record.seq: record for record in tx.ledger.records(hit.seq for hit in found.hits)}
    hits = [
        AuthoredHit(id=each.id, kind=each.kind, session=each.session, ts=each.ts, snippet=hit.snippet)
        for hit in found.hits
        if (each := opened.get(hit.seq)) is not None
    ]
    return AuthoredFound(
        records=hits, next_offset=call.offset + call.limit if found.has_more else None, message=found.note
    )


def _is_wanted(record: Record, call: ReadAuthored) -> bool:
    """Of records that refer to one: those of the session, kind and branch that were asked for."""
    if call.about is None:
        return True
    return (
        (call.session is None or record.session == call.session)
        and (call.kind is None or record.kind == call.kind)
        and (call.branch is None or record.envelope["branch"] == call.branch)
    )


def _shown(record: Record) -> AuthoredShown:
    said = record.envelope
    branch = said["branch"]
    return AuthoredShown(
        id=record.id,
        kind=record.kind,
        text=record.text,
        session=record.session,
        branch=branch if branch != MAIN_BRANCH else None,
        ts=record.ts,
        agent=record.agent,
        refs=said["refs"] or None,
        confidence=said.get("confidence"),
        labels=said["body"].get("labels"),
        attrs={name: value for name, value in record.attrs.items() if value} or None,
    )
