"""A session as one text, given in pieces that fit together."""

from __future__ import annotations

from collections.abc import Iterator

import orjson

from thoughtbox.domains.thoughts.files.text_cache import TextCache
from thoughtbox.domains.thoughts.model.session import Session
from thoughtbox.domains.thoughts.model.thought import stream_of
from thoughtbox.domains.thoughts.records import all_critiques, settlings_of, thoughts_of
from thoughtbox.domains.thoughts.sessions.models import ExportSession
from thoughtbox.domains.thoughts.view.thoughts import Thoughts
from thoughtbox.operations import Tx

_TEXTS = TextCache()

PAGE_CHARS = 60_000
"""An export is given in pieces of this length at most, as it goes over the wire."""


def document(tx: Tx, session: Session, form: str, *, exported_at: str, with_metadata: bool = True) -> Iterator[str]:
    """The session as one text, JSON, Markdown or cipher, piece by piece."""
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
        return markdown_chunks(session, thoughts, critiques, fates, settlings, with_metadata=with_metadata)
    partition = _partition(tx, session)
    return json_chunks(session, thoughts, critiques, settlings, exported_at=exported_at, partition=partition)


def _partition(tx: Tx, session: Session) -> str | None:
    from thoughtbox.domains.thoughts.files.manifest import partition_path

    return partition_path(session.created_at, tx.settings.get("partition", "monthly"))


def piece_of(
    tx: Tx, session: Session, call: ExportSession, exported_at: str, begin: int, room: int
) -> tuple[str, bool]:
    """A piece of the export. Pieces after the first come from the text that was made for it, if it is still there."""
    head = tx.ledger.stream_head(stream_of(session.id))
    key = (head, call.format, call.include_metadata, exported_at, _partition(tx, session))

    def made() -> Iterator[str]:
        return document(tx, session, call.format, exported_at=exported_at, with_metadata=call.include_metadata)

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
    piece = _fitting(whole, room)
    return piece, len(piece) < len(whole)


def _fitting(text: str, room: int) -> str:
    """The longest beginning of a text that has room on the wire, where quotes and the like take more."""
    low, high = 0, min(len(text), max(room, 0))
    while low < high:
        middle = (low + high + 1) // 2
        if len(orjson.dumps(text[:middle])) <= room:
            low = middle
        else:
            high = middle - 1
    return text[:low]
