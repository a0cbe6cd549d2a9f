"""A session as one text, given in pieces that fit together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from thoughtbox.domains.thoughts.files.text_cache import TextCache
from thoughtbox.domains.thoughts.model.session import Session
from thoughtbox.domains.thoughts.model.thought import stream_of
from thoughtbox.domains.thoughts.records import all_critiques, settlings_of, thoughts_of
from thoughtbox.domains.thoughts.sessions.models import ExportSession
from thoughtbox.domains.thoughts.view.thoughts import Thoughts
from thoughtbox.operations import Tx, fitting_text

_TEXTS = TextCache()

PAGE_CHARS = 60_000
"""An export is given in pieces of this length at most, as it goes over the wire."""


Notebooks = list[dict[str, Any]]


def notebooks_cited(tx: Tx, session: Session) -> Notebooks:
    """The notebooks whose runs are evidence for thoughts of a session, as their own room tells."""
    return tx.call("notebooks_cited", {"session": session.id})["notebooks"]


def document(
    tx: Tx,
    session: Session,
    form: str,
    *,
    exported_at: str,
    with_metadata: bool = True,
    notebooks: Notebooks | None = None,
) -> Iterator[str]:
    """The session as one text, JSON, Markdown or cipher, piece by piece."""
    notebooks = notebooks or []
    # Here, so that no server waits for it at its start.
    from thoughtbox.domains.thoughts.files.cipher_writing import cipher_chunks
    from thoughtbox.domains.thoughts.files.documents import Rereadable, json_chunks
    from thoughtbox.domains.thoughts.files.markdown import markdown_chunks

    thoughts = Rereadable(lambda: thoughts_of(tx, session.id))
    settlings = settlings_of(tx, session.id)
    if form == "cipher":
        return cipher_chunks(session, thoughts, settlings)
    critiques = all_critiques(tx, session.id)
    if form == "markdown":
        fates = tx.ask(Thoughts).fates(session.id)
        return markdown_chunks(
            *(session, thoughts, critiques, fates, settlings), with_metadata=with_metadata, notebooks=notebooks
        )
    partition = _partition(tx, session)
    return json_chunks(
        *(session, thoughts, critiques, settlings), exported_at=exported_at, partition=partition, notebooks=notebooks
    )


def _partition(tx: Tx, session: Session) -> str | None:
    from thoughtbox.domains.thoughts.files.manifest import partition_path

    return partition_path(session.created_at, tx.settings.get("partition", "monthly"))


def piece_of(
    tx: Tx, session: Session, call: ExportSession, exported_at: str, begin: int, room: int, notebooks: Notebooks
) -> tuple[str, bool]:
    """A piece of the export. Pieces after the first come from the text that was made for it, if it is still there."""
    head = tx.ledger.stream_head(stream_of(session.id))
    cited = tuple(run["id"] for notebook in notebooks for run in notebook["runs"])
    key = (head, call.format, call.include_metadata, exported_at, _partition(tx, session), cited)

    def made() -> Iterator[str]:
        about = {"with_metadata": call.include_metadata, "notebooks": notebooks}
        return document(tx, session, call.format, exported_at=exported_at, **about)

    text = _TEXTS.get(key) or _TEXTS.make(key, made())
    if text is None:
        return _cut(made(), begin, room)
    return _cut(iter([text[begin : begin + room + 1]]), 0, room)


def _cut(chunks: Iterator[str], begin: int, room: int) -> tuple[str, bool]:
    """What stands from a place on, as much as there is room for, and whether there is more."""
    passed, pieces, length = 0, [], 0
    for chunk in chunks:
        passed += len(chunk)
        if passed <= begin:
            continue
        piece = chunk[max(0, len(chunk) - (passed - begin)) :]
        pieces.append(piece)
        length += len(piece)
        if length > room:
            break
    whole = "".join(pieces)
    piece = fitting_text(whole, room)
    return piece, len(piece) < len(whole)
