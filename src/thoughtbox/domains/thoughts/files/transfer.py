"""Sessions from the ledger into files, and from files into the ledger. The command line uses this."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from thoughtbox.domains.thoughts.events import change, start
from thoughtbox.domains.thoughts.files.documents import Rereadable
from thoughtbox.domains.thoughts.files.imported import ImportedSession, ImportedThought
from thoughtbox.domains.thoughts.files.manifest import Granularity
from thoughtbox.domains.thoughts.files.writing import write_session
from thoughtbox.domains.thoughts.model.session import Session
from thoughtbox.domains.thoughts.model.thought import stream_of
from thoughtbox.domains.thoughts.numbers import Numbers
from thoughtbox.domains.thoughts.records import all_critiques, thoughts_of
from thoughtbox.domains.thoughts.scope import existing
from thoughtbox.domains.thoughts.stages import CIPHER_LOADED
from thoughtbox.domains.thoughts.standing import INIT_COMPLETE
from thoughtbox.domains.thoughts.think.critique import critique_draft
from thoughtbox.domains.thoughts.think.models import Think
from thoughtbox.domains.thoughts.think.placement import Placement
from thoughtbox.domains.thoughts.think.recording import recording
from thoughtbox.domains.thoughts.view.lines import MAIN, Node
from thoughtbox.domains.thoughts.view.thoughts import Thoughts
from thoughtbox.operations import Tx

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
    return write_session(root, tx.workspace, granularity, session, thoughts, critiques)


def take_session(tx: Tx, found: ImportedSession) -> ImportOutcome:
    """Take a session in that was read from files. What is there already stays; what is missing is added."""
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
    added = _take_thoughts(tx, session.id, found.thoughts)
    if session.status == "completed" and (known is None or added):
        change(tx, session.id, "completed", timestamp=session.updated_at)
    return ImportOutcome(session.id, len(found.thoughts), added, found.notices)


def _take_thoughts(tx: Tx, session_id: str, thoughts: list[ImportedThought]) -> int:
    view = tx.ask(Thoughts)
    numbers = Numbers(view, session_id)
    nodes: list[Node] = []
    added = 0
    for thought in thoughts:
        branch = thought.branch_id or MAIN
        node = view.node(session_id, branch, thought.number)
        if node is None:
            node = _take_thought(tx, numbers, session_id, thought, nodes)
            added += 1
        nodes.append(node)
    return added


def _take_thought(tx: Tx, numbers: Numbers, session_id: str, thought: ImportedThought, nodes: list[Node]) -> Node:
    branch = thought.branch_id or MAIN
    said = Think.model_construct(
        thought=thought.text,
        next_thought_needed=thought.next_needed,
        is_revision=False,  # what it revises says so
        needs_more_thoughts=thought.needs_more,
        critique=thought.critique is not None,
        action_id=thought.action_id,
    )
    placed = Placement(
        branch=branch,
        line=numbers.line(branch),
        number=thought.number,
        total=max(thought.total, thought.number),
        prev=nodes[thought.prev].seq if thought.prev is not None else None,
        origin=nodes[thought.origin] if thought.origin is not None else None,
        revises=nodes[thought.revises] if thought.revises is not None else None,
    )
    recorded = recording(numbers, session_id, said, placed, at=thought.timestamp)
    record = tx.append(recorded.draft, stream=stream_of(session_id))
    if thought.critique is not None:
        said = thought.critique
        drafted = critique_draft(session_id, record.seq, said.text, said.model, at=said.timestamp)
        tx.append(drafted, stream=stream_of(session_id))
    return Node(branch, thought.number, record.seq, record.kind)
