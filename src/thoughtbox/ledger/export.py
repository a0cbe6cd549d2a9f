"""A whole workspace as JSON Lines, records as stored; and whether such a file holds together.

A header, a line per record in order, a line per stream head, and a trailer, so that
a shortened file is refused (`docs/export-format.md`). `importing.py` takes one in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any, NamedTuple, NoReturn

import orjson

from thoughtbox.engine.protocol import Row, Sql
from thoughtbox.errors import ImportRefused, InvalidProof, InvalidRecord, NotCanonical
from thoughtbox.ledger import chain
from thoughtbox.ledger.canonical import canonical, parse
from thoughtbox.ledger.checkpoints import TOPIC as CHECKPOINT
from thoughtbox.ledger.checkpoints import Checkpoints, named_key, origin
from thoughtbox.ledger.ledger import COLUMNS, StreamHead, beginning, shown_until
from thoughtbox.ledger.merkle import Frontier
from thoughtbox.ledger.record import check_envelope, record_id
from thoughtbox.ledger.replay import Progress
from thoughtbox.ledger.signing import Checkpoint, Signer, signers
from thoughtbox.settings import WORKSPACE

FORMAT = "thoughtbox-export"
VERSION = 1
_RECORD = b',"record":'


class Signed(NamedTuple):
    """A signer, how many checkpoints bear that signature, and the public key where they name one."""

    signer: Signer
    checkpoints: int
    public_key: str | None


class Verified(NamedTuple):
    """An export that holds together."""

    workspace: str
    records: int
    digest: bytes
    """Of all its lines: whoever reads it again knows whether it is still the same."""
    signers: tuple[Signed, ...] = ()
    """Who signed checkpoints of it. Whether they are to be trusted is not for an import to say."""


def export_lines(sql: Sql, workspace: str, progress: Progress | None = None) -> Iterator[bytes]:
    """The lines of an export, without their newlines, in bounded memory."""
    row = sql.row("SELECT last_seq FROM workspaces WHERE workspace = ?", (workspace,))
    last_seq = row[0] if row else 0
    digest = sha256()
    frontier = Frontier()

    def counted(line: bytes) -> bytes:
        digest.update(line + b"\n")
        return line

    yield counted(orjson.dumps({"format": FORMAT, "version": VERSION, "workspace": workspace}))
    for row in sql.scan(
        f"SELECT {COLUMNS} FROM records WHERE workspace = ? AND seq <= ? ORDER BY seq",
        (workspace, shown_until(sql, workspace)),
    ):
        frontier.add(row[5])
        yield counted(_record_line(row))
        if progress and row[0] % 1000 == 0:
            progress(row[0], last_seq)
    streams = 0
    for stream, length, head_hash in sql.scan(
        "SELECT stream, length, head_hash FROM streams WHERE workspace = ? ORDER BY stream", (workspace,)
    ):
        streams += 1
        yield counted(_head_line(stream, length, head_hash))
    newest = Checkpoints(sql, workspace).newest()
    yield _trailer_line(last_seq, streams, frontier, newest.note if newest else None, digest.hexdigest())


def _record_line(row: Row) -> bytes:
    """One record: where it stands, its hashes, then its very bytes, last in the line."""
    seq, stream, stream_index, content, content_hash, linked = row
    place = orjson.dumps(
        {
            "seq": seq,
            "stream": stream,
            "index": stream_index,
            "contentHash": content_hash.hex(),
            "hash": linked.hex(),
        }
    )
    return place[:-1] + _RECORD + content + b"}"


def _head_line(stream: str, length: int, head: bytes) -> bytes:
    return orjson.dumps({"stream": stream, "length": length, "head": head.hex()})


def _trailer_line(records: int, streams: int, tree: Frontier, checkpoint: str | None, digest: str) -> bytes:
    return orjson.dumps(
        {
            "records": records,
            "streams": streams,
            "root": tree.root().hex(),
            "checkpoint": checkpoint,
            "digest": digest,
        }
    )


def verified(lines: Iterable[bytes]) -> Verified:
    """Look at a whole export before anything of it is taken in; refuse it with the line that is wrong."""
    return _Reading().run(lines)


class _Reading:
    """Reads line after line and trusts none of them: each must be what an export would have written there."""

    def __init__(self) -> None:
        self._workspace = ""
        self._heads: dict[str, StreamHead] = {}
        self._heads_to_come: dict[str, StreamHead] = {}
        self._streams = 0
        self._frontier = Frontier()
        self._newest_note: str | None = None
        self._signed: dict[Signer, Signed] = {}
        self._digest = sha256()
        self._line = 0

    def run(self, lines: Iterable[bytes]) -> Verified:
        ended = False
        for raw in lines:
            self._line += 1
            line = raw.rstrip(b"\n")
            if ended:
                self._refuse("something follows the trailer")
            if self._line == 1:
                self._header(line)
            elif line.startswith(b'{"seq":'):
                self._record(line)
            elif line.startswith(b'{"stream":'):
                self._head(line)
            else:
                self._trailer(line)
                ended = True
            self._digest.update(raw if raw.endswith(b"\n") else raw + b"\n")
        if not ended:
            self._refuse("the file has no trailer: it was cut short")
        return Verified(self._workspace, self._frontier.size, self._digest.digest(), tuple(self._signed.values()))

    def _header(self, line: bytes) -> None:
        header = self._parsed(line)
        if header.get("format") != FORMAT:
            self._refuse("this is no Thoughtbox export")
        if header.get("version") != VERSION:
            self._refuse(f"the export has version {header.get('version')}; this Thoughtbox reads version {VERSION}")
        self._workspace = str(header.get("workspace", ""))
        if not WORKSPACE.fullmatch(self._workspace):
            self._refuse(f"`{self._workspace}` is no name for a workspace")

    def _record(self, line: bytes) -> None:
        at = line.find(_RECORD)
        if at < 0 or not line.endswith(b"}"):
            self._refuse("a record line without a record")
        place, content = self._parsed(line[:at] + b"}"), line[at + len(_RECORD) : -1]
        seq, stream = self._frontier.size + 1, place.get("stream")
        if not isinstance(stream, str):
            self._refuse("a record line without its stream")
        content_hash = chain.content_hash(content)
        head = self._heads.get(stream) or beginning(self._workspace, stream)
        length, linked = head.length, chain.link(head.hash, content_hash)
        if line != _record_line((seq, stream, length, content, content_hash, linked)):
            self._refuse_place(place, seq, stream, length, content_hash, linked)
        envelope = self._envelope(seq, content)
        if envelope["data"]["topic"] == CHECKPOINT:
            self._checkpoint(seq, envelope)
        self._heads[stream] = StreamHead(length + 1, linked, seq)
        self._frontier.add(linked)

    def _refuse_place(
        self, place: dict[str, Any], seq: int, stream: str, length: int, content_hash: bytes, linked: bytes
    ) -> NoReturn:
        """A record does not stand in the file as an export would have it: what is wrong first."""
        if place.get("seq") != seq:
            self._refuse(f"{record_id(seq)} is missing or out of order")
        if place.get("index") != length:
            self._refuse(f"{record_id(seq)} is out of order in {stream}")
        if content_hash.hex() != place.get("contentHash"):
            self._refuse(f"the bytes of {record_id(seq)} do not match its content hash")
        if linked.hex() != place.get("hash"):
            self._refuse(f"the hash of {record_id(seq)} does not follow from the record before it in {stream}")
        self._refuse(f"{record_id(seq)} is not spelled as an export spells it")

    def _envelope(self, seq: int, content: bytes) -> dict[str, Any]:
        envelope = self._parsed(content)
        try:
            check_envelope(envelope)
            if canonical(envelope) != content:
                self._refuse(f"{record_id(seq)} is not in canonical form")
        except (InvalidRecord, NotCanonical) as error:
            self._refuse(f"{record_id(seq)} is no record: {error.message}")
        if envelope["id"] != record_id(seq):
            self._refuse(f"record number {seq} calls itself {envelope['id']}")
        return envelope

    def _checkpoint(self, seq: int, envelope: dict[str, Any]) -> None:
        """A checkpoint signs what stands before it. Whose signature it is, verification will say."""
        try:
            data = envelope["data"]
            signed = Checkpoint.parse(data["note"])
            signer = signers(data["note"])[0]
        except (InvalidProof, KeyError, TypeError, AttributeError):
            self._refuse(f"checkpoint {record_id(seq)} has no note that can be read")
        if (signed.size, signed.root) != (self._frontier.size, self._frontier.root()):
            self._refuse(f"the records before checkpoint {record_id(seq)} are not those that it signed")
        if signed.origin != origin(self._workspace):
            self._refuse(f"checkpoint {record_id(seq)} speaks of {signed.origin}, not of this workspace")
        if (data.get("size"), envelope["attrs"]["stateHash"]) != (signed.size, signed.root.hex()):
            self._refuse(f"checkpoint {record_id(seq)} disagrees with what it signed")
        heads = data.get("heads")
        if not isinstance(heads, list) or any(head != self._head_now(head) for head in heads):
            self._refuse(f"checkpoint {record_id(seq)} remembers a stream otherwise than it is")
        self._newest_note = envelope["data"]["note"]
        key, before = named_key(envelope["data"]), self._signed.get(signer, Signed(signer, 0, None))
        named = str(key) if key is not None and Signer.of(key) == signer else before.public_key
        self._signed[signer] = Signed(signer, before.checkpoints + 1, named)

    def _head_now(self, named: Any) -> list[Any] | None:
        """Where the stream stands of which a checkpoint says something, in its words; None when there is none."""
        stream = named[0] if isinstance(named, list) and named and isinstance(named[0], str) else None
        head = self._heads.get(stream) if stream is not None else None
        return [stream, head.length, head.hash.hex()] if head is not None else None

    def _head(self, line: bytes) -> None:
        if self._streams == 0:
            self._heads_to_come = dict(self._heads)
        self._streams += 1
        stream = self._parsed(line).get("stream")
        head = self._heads_to_come.pop(stream, None) if isinstance(stream, str) else None
        if head is None or line != _head_line(str(stream), head.length, head.hash):
            self._refuse(f"the head of stream {stream} is not what its records come to")

    def _trailer(self, line: bytes) -> None:
        self._parsed(line)
        if self._streams != len(self._heads):
            self._refuse(f"{len(self._heads)} streams have records, {self._streams} have a head: the file was cut")
        expected = _trailer_line(
            self._frontier.size, self._streams, self._frontier, self._newest_note, self._digest.hexdigest()
        )
        if line != expected:
            self._refuse("the trailer does not fit what comes before it")

    def _parsed(self, data: bytes) -> dict[str, Any]:
        try:
            value = parse(data)
        except NotCanonical:
            self._refuse("this is not JSON")
        if not isinstance(value, dict):
            self._refuse("this is not a JSON object")
        return value

    def _refuse(self, why: str) -> NoReturn:
        raise refusal(self._line, why)


def opened(line: bytes) -> tuple[dict[str, Any], bytes]:
    """Where a record stands, and its bytes, from a line that was verified."""
    at = line.find(_RECORD)
    return orjson.loads(line[:at] + b"}"), line[at + len(_RECORD) : -1]


def refusal(line: int, why: str, recovery: str | None = None) -> ImportRefused:
    return ImportRefused(
        f"line {line}: {why}; nothing was imported",
        recovery=recovery or "Check the file with `thoughtbox-verify FILE`, or export it anew.",
        details={"line": line},
    )
