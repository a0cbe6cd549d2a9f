"""Sessions from the ledger into files, and from files, JSON and cipher into the ledger."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thoughtbox.domains.thoughts.events import change, start
from thoughtbox.domains.thoughts.files.cipher_reading import CipherText
from thoughtbox.domains.thoughts.files.documents import Rereadable
from thoughtbox.domains.thoughts.files.imported import (
    ImportedReading,
    ImportedSession,
    ImportedSettling,
    ImportedThought,
)
from thoughtbox.domains.thoughts.files.manifest import Granularity
from thoughtbox.domains.thoughts.files.writing import write_session
from thoughtbox.domains.thoughts.model.reasoning import FATE_OF
from thoughtbox.domains.thoughts.model.session import Session
from thoughtbox.domains.thoughts.model.thought import stream_of
from thoughtbox.domains.thoughts.numbers import Numbers
from thoughtbox.domains.thoughts.records import all_critiques, settlings_of, thoughts_of
from thoughtbox.domains.thoughts.scope import existing
from thoughtbox.domains.thoughts.stages import CIPHER_LOADED
from thoughtbox.domains.thoughts.standing import INIT_COMPLETE
from thoughtbox.domains.thoughts.think.critique import critique_draft
from thoughtbox.domains.thoughts.think.models import Think
from thoughtbox.domains.thoughts.think.placement import Placement
from thoughtbox.domains.thoughts.think.recording import recording
from thoughtbox.domains.thoughts.view.lines import MAIN, Node
from thoughtbox.domains.thoughts.view.thoughts import Thoughts
from thoughtbox.ledger.record import Draft, present, record_id
from thoughtbox.operations import Tx

_SAID = Think(thought="…")
"""What a thought says that comes from elsewhere, but for all that it says: copying it is cheap."""

SOME = 200
"""Sessions that are looked up at once."""


@dataclass(frozen=True, slots=True)
class ImportOutcome:
    """What came of taking a session in."""

    session_id: str
    thoughts: int
    added: int
    notices: tuple[str, ...] = ()


def every_session(tx: Tx) -> Iterator[Session]:
    """All sessions that were not deleted, by id."""
    view, after = tx.ask(Thoughts), ""
    while ids := view.session_ids("", SOME, after=after):
        for session_id in ids:
            yield existing(tx, session_id)
        after = ids[-1]


def write_files(tx: Tx, session: Session, root: Path, granularity: Granularity) -> Path:
    """The session as a directory of files below `root`."""
    thoughts, critiques = Rereadable(lambda: thoughts_of(tx, session.id)), all_critiques(tx, session.id)
    settlings = settlings_of(tx, session.id)
    return write_session(root, tx.workspace, granularity, session, thoughts, critiques, settlings)


def take_session(tx: Tx, found: ImportedSession) -> ImportOutcome:
    """Take a session in that comes from elsewhere. What is there already stays; what is missing is added."""
    session = found.session
    known = tx.ask(Thoughts).session(session.id)
    if known is not None and known.deleted:
        return ImportOutcome(session.id, len(found.thoughts), 0, ("it was deleted here, and stays so",))
    if known is None:
        place = {name: value for name in ("project", "task", "aspect", "domain") if (value := getattr(session, name))}
        start(
            tx,
            title=session.title,
            tags=session.tags,
            description=session.description,
            place=place,
            stage=max(session.stage, CIPHER_LOADED if found.thoughts else INIT_COMPLETE),
            session_id=session.id,
            at=session.created_at,
        )
    added = _Taking(tx, session.id).take(found.thoughts, found.settlings)
    if session.status == "completed" and (known is None or added):
        change(tx, session.id, "completed", timestamp=session.updated_at)
    return ImportOutcome(session.id, len(found.thoughts), added, found.notices)


def take_cipher(tx: Tx, found: CipherText, title: str | None = None) -> ImportOutcome:
    """Begin a session with what a text in cipher says."""
    stage = CIPHER_LOADED if found.thoughts else INIT_COMPLETE
    session = start(tx, title=title or found.title, tags=found.tags, stage=stage)
    added = _Taking(tx, session.id).take(found.thoughts, found.settlings)
    return ImportOutcome(session.id, len(found.thoughts), added, found.notices)


class _Taking:
    """Thoughts on their way into a session."""

    def __init__(self, tx: Tx, session_id: str) -> None:
        self._tx = tx
        self._session_id = session_id
        self._view = tx.ask(Thoughts)
        self._numbers = Numbers(self._view, session_id)
        self._nodes: list[Node] = []

    def take(self, thoughts: Sequence[ImportedThought], settlings: Sequence[ImportedSettling]) -> int:
        """Add what is not there yet, in order; how many thoughts that are."""
        known = {(one.branch, one.fate, one.why, one.timestamp) for one in settlings_of(self._tx, self._session_id)}
        missing = deque(one for one in settlings if (one.branch_id, one.fate, one.why, one.timestamp) not in known)
        added = 0
        for place, thought in enumerate(thoughts):
            while missing and missing[0].after <= place:
                self._settle(missing.popleft())
            node = self._view.node(self._session_id, thought.branch_id or MAIN, thought.number)
            if node is None:
                node = self._add(thought)
                added += 1
            self._nodes.append(node)
        for settling in missing:
            self._settle(settling)
        return added

    def _settle(self, settling: ImportedSettling) -> None:
        what = next(name for name, fate in FATE_OF.items() if fate == settling.fate)
        given = {"why": settling.why, "timestamp": settling.timestamp}
        change(self._tx, self._session_id, what, branchId=settling.branch_id, **present(given))

    def _add(self, thought: ImportedThought) -> Node:
        branch = thought.branch_id or MAIN
        said = _SAID.model_copy(
            update={
                "thought": thought.text,
                "next_thought_needed": thought.next_needed,
                "needs_more_thoughts": thought.needs_more,
                "critique": thought.critique is not None,
                "action_id": thought.action_id,
            }
        )
        placed = Placement(
            branch=branch,
            line=self._numbers.line(branch),
            number=thought.number,
            total=max(thought.total, thought.number),
            prev=self._seq(thought.prev),
            origin=self._node(thought.origin),
            revises=self._node(thought.revises),
        )
        draft = recording(self._numbers, self._session_id, said, placed, at=thought.timestamp).draft
        if thought.reading is not None:
            draft = self._as_read(draft, thought, thought.reading)
        record = self._tx.append(draft, stream=stream_of(self._session_id))
        if thought.critique is not None:
            said = thought.critique
            drafted = critique_draft(self._session_id, record.seq, said.text, said.model, at=said.timestamp)
            self._tx.append(drafted, stream=stream_of(self._session_id))
        return Node(branch, thought.number, record.seq, record.kind)

    def _as_read(self, draft: Draft, thought: ImportedThought, reading: ImportedReading) -> Draft:
        """The record of a thought that was read where it comes from, and not here."""
        revises = self._seq(thought.revises)
        relations = [{"type": kind, "to": record_id(self._nodes[place].seq)} for kind, place in reading.relations]
        attrs: dict[str, Any] = {"relations": relations} if relations or reading.kind == "claim" else {}
        if reading.kind == "plan":
            attrs["steps"] = draft.attrs.get("steps", [draft.text])
        if reading.kind == "revision" and revises is not None:
            attrs["replacesId"] = record_id(revises)
        given = {
            "isRevision": thought.is_revision or None,
            "revisesThought": thought.revises_number,
            "revises": record_id(revises) if revises is not None else None,
            "critique": reading.critique_requested or None,
            "label": reading.label,
            "notes": list(reading.notes) or None,
            "adopts": list(reading.adopts) or None,
            "rejects": list(reading.rejects) or None,
        }
        return draft._replace(
            kind=reading.kind,
            attrs=attrs,
            data=present({**draft.data, **given}),
            confidence=reading.confidence,
            labels=list(reading.labels),
        )

    def _node(self, place: int | None) -> Node | None:
        return self._nodes[place] if place is not None else None

    def _seq(self, place: int | None) -> int | None:
        return self._nodes[place].seq if place is not None else None
