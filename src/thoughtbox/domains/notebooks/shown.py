"""What a run has shown: kept by its hash, and put together again for whoever asks."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final, NamedTuple

from thoughtbox.domains.notebooks import records
from thoughtbox.domains.notebooks.answers import CellRun, OutputShown
from thoughtbox.domains.notebooks.view import Notebooks
from thoughtbox.ledger.record import Record
from thoughtbox.operations import Tx, redacted

LONGEST_SHOWN: Final = 10_000
"""Characters of an output that stand in an answer; all of it is a resource."""
LARGEST_INSIDE: Final = 16_384
"""Bytes of an output that is kept in the record of its run's end."""
MOST_INSIDE: Final = 131_072
"""Bytes of all of them together."""
BINARY: Final = ("image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf", "audio/", "video/")
ERROR: Final = "text/x-error"


class Content(NamedTuple):
    """Something that was shown."""

    mime: str
    content: str
    """Text, or base64 where it is none."""

    @property
    def is_binary(self) -> bool:
        return self.mime.startswith(BINARY)

    @property
    def raw(self) -> bytes:
        if not self.is_binary:
            return self.content.encode()
        try:
            return base64.b64decode(self.content, validate=False)
        except ValueError:
            return self.content.encode()

    @property
    def sha256(self) -> str:
        return sha256(self.raw).hexdigest()

    def kept(self) -> dict[str, Any]:
        """As a record has it."""
        encoding = "base64" if self.is_binary else "utf-8"
        return {"mime": self.mime, "size": len(self.raw), "encoding": encoding, "content": self.content}


class Piece(NamedTuple):
    """One thing after the other, as a run showed them."""

    kind: str
    """stream, display, result or error."""
    name: str = ""
    """Of a stream: stdout or stderr. Of an error: its name."""
    data: Mapping[str, str] = {}
    """By mime type; of a stream and an error its text alone."""

    def contents(self) -> Iterator[Content]:
        return (Content(mime, content) for mime, content in self.data.items())


class Kept(NamedTuple):
    """What a run has shown, ready to be written: large things apart."""

    parts: list[dict[str, Any]]
    inside: dict[str, dict[str, Any]]
    apart: dict[str, dict[str, Any]]


def kept(pieces: Sequence[Piece]) -> Kept:
    """Pieces as records keep them. Secrets in texts are not."""
    found = Kept([], {}, {})
    room = MOST_INSIDE
    for piece in pieces:
        hashes: dict[str, str] = {}
        for content in piece.contents():
            if not content.is_binary:
                content = content._replace(content=redacted(content.content))
            hashes[content.mime] = digest = content.sha256
            if digest in found.inside or digest in found.apart:
                continue
            size = len(content.content)
            if size <= min(LARGEST_INSIDE, room):
                found.inside[digest] = content.kept()
                room -= size
            else:
                found.apart[digest] = content.kept()
        found.parts.append({"kind": piece.kind, "name": piece.name, "data": hashes})
    return found


class Shown(NamedTuple):
    """What a run has come to, as it is told."""

    outcome: str
    output: str
    stderr: str
    error: str | None
    exit_code: int | None
    duration_ms: int
    is_cut: bool
    outputs: list[OutputShown]
    note: str | None


def content_of(tx: Tx, digest: str) -> Content | None:
    """The output of that hash, whole."""
    seq = tx.ask(Notebooks).output(digest)
    record = tx.ledger.record(seq) if seq is not None else None
    if record is None:
        return None
    held = record.data if record.topic == records.OUTPUT else record.data["contents"][digest]
    return Content(held["mime"], held["content"])


def pieces_of(tx: Tx, ended: Record) -> list[Piece]:
    """What a run has shown, whole and in order."""
    inside = ended.data["contents"]

    def found(digest: str) -> str:
        if digest in inside:
            return inside[digest]["content"]
        content = content_of(tx, digest)
        return content.content if content is not None else ""

    return [
        Piece(part["kind"], part.get("name", ""), {mime: found(digest) for mime, digest in part["data"].items()})
        for part in ended.data["parts"]
    ]


def shown_by(tx: Tx, ended: Record) -> Shown:
    """What the record of a run's end says."""
    data, pieces = ended.data, pieces_of(tx, ended)
    output, stderr = printed(pieces), "".join(_texts(pieces, "stderr"))
    is_long = len(output) > LONGEST_SHOWN or len(stderr) > LONGEST_SHOWN
    return Shown(
        outcome=data["outcome"],
        output=cut(output),
        stderr=cut(stderr),
        error=data.get("error"),
        exit_code=data.get("exitCode"),
        duration_ms=data["durationMs"],
        is_cut=data["truncated"] or is_long,
        outputs=list(_outputs(pieces)),
        note=data.get("note"),
    )


def run_answered(tx: Tx, run_seq: int, ended: Record) -> CellRun:
    """A run in the shape that `run_cell` answers with."""
    found = shown_by(tx, ended)
    return CellRun(
        notebook_id=ended.data["notebookId"],
        cell_id=ended.data["cellId"],
        status="completed" if found.outcome == "completed" else "failed",
        output=found.output,
        error=found.error,
        exit_code=found.exit_code,
        duration_ms=found.duration_ms,
        truncated=found.is_cut,
        run_id=f"th:{run_seq}",
        outputs=found.outputs,
        stderr=found.stderr,
        note=found.note,
    )


def printed(pieces: Sequence[Piece]) -> str:
    """All that was printed, and what results look like as text."""
    said: list[str] = []
    for piece in pieces:
        if piece.kind == "stream" and piece.name == "stdout":
            said.append(piece.data.get("text/plain", ""))
        elif piece.kind in ("display", "result") and "text/plain" in piece.data:
            said.append(f"{piece.data['text/plain']}\n")
    return "".join(said)


def _texts(pieces: Sequence[Piece], name: str) -> Iterator[str]:
    return (piece.data.get("text/plain", "") for piece in pieces if piece.kind == "stream" and piece.name == name)


def _outputs(pieces: Sequence[Piece]) -> Iterator[OutputShown]:
    seen: set[str] = set()
    for piece in pieces:
        for content in piece.contents():
            digest = content.sha256
            if digest not in seen:
                seen.add(digest)
                size = len(content.raw)
                uri = f"thoughtbox://output/{digest}"
                yield OutputShown(mime=content.mime, sha256=digest, uri=uri, size=size)


def cut(text: str) -> str:
    """The beginning and the end of a text that is too long for an answer."""
    if len(text) <= LONGEST_SHOWN:
        return text
    half = LONGEST_SHOWN // 2
    return f"{text[:half]}\n… {len(text) - 2 * half} characters …\n{text[-half:]}"
