"""`thoughtbox-verify`: whether an exported file still is what was written, told without the ledger.

Written from `docs/export-format.md`, with code of its own: nothing of Thoughtbox is
imported, and nothing but the standard library, save for signatures. The file is read
a line at a time; what is kept is one head per stream and one hash per tree level.
"""

from __future__ import annotations

import argparse
import base64
import gzip
import json
import os
import re
import sys
import time
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from hashlib import sha256
from io import BufferedIOBase, BufferedReader, FileIO, RawIOBase
from operator import itemgetter
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, NoReturn, TextIO, TypeAlias

FORMAT: Final = "thoughtbox-export"
VERSION: Final = 1
STREAM_LABEL: Final = b"thoughtbox/stream/v1"
ORIGIN: Final = "thoughtbox/"
CHECKPOINT_TOPIC: Final = "ledger.checkpoint"
KINDS: Final = frozenset(
    {
        *("claim", "evidence", "question", "plan", "observation", "decision", "revision"),
        *("tool_call", "tool_result", "hub_event", "checkpoint"),
    }
)
LONGEST_LINE: Final = 1 << 28
"""In bytes. No record comes near it; a file without line ends must not fill the memory."""

VALID, BROKEN, UNUSABLE, UNTRUSTED, INTERRUPTED = 0, 1, 2, 4, 130

Wrong: TypeAlias = Literal["content", "link", "order", "missing tail", "root", "bad signature", "malformed"]
Standing: TypeAlias = Literal["valid", "untrusted", "broken"]
Signatures: TypeAlias = Literal["checked", "not checked", "none"]
BinaryFile: TypeAlias = RawIOBase | BufferedIOBase
Progress: TypeAlias = Callable[[int], None]
"""Told now and then how many records have been checked."""

_BUFFER: Final = 1 << 20
_RECORD: Final = b',"record":'
_HEADER: Final = {"format": (str,), "version": (int,), "workspace": (str,)}
_PLACE: Final = {"seq": (int,), "stream": (str,), "index": (int,), "contentHash": (str,), "hash": (str,)}
_HEAD: Final = {"stream": (str,), "length": (int,), "head": (str,)}
_TRAILER: Final = {
    "records": (int,),
    "streams": (int,),
    "root": (str,),
    "checkpoint": (str, type(None)),
    "digest": (str,),
}
_PARTS: Final = itemgetter("id", "kind", "body", "attrs", "data", "ts", "session", "branch", "agent", "source")
_HEAD_READ: Final = (-1, b"")
"""In place of a stream's length and hash once its head has been compared."""

_TEXT: Final = r"[^\x00-\x1f\x7f-\x9f\ud800-\udfff]+"
_SIGNED_BY: Final = r"— ([^\s+\x00-\x1f\x7f-\x9f\ud800-\udfff]+) ([A-Za-z0-9+/=]+)\n"
_ONE_LINE: Final = re.compile(_TEXT)
_SIGNATURE: Final = re.compile(_SIGNED_BY)
_NOTE: Final = re.compile(
    rf"(?P<text>(?P<origin>{_TEXT})\n(?P<size>0|[1-9][0-9]{{0,18}})\n(?P<root>[A-Za-z0-9+/=]+)\n)"
    rf"\n(?P<signatures>(?:{_SIGNED_BY}){{1,100}})"
)


class Unusable(Exception):
    """What was given to check with cannot be used: a key, a note, or a file that cannot be read."""


@dataclass(frozen=True, slots=True)
class Problem:
    """The first thing found wrong, and where; `index` is the place within the stream."""

    wrong: Wrong
    message: str
    seq: int | None = None
    stream: str | None = None
    index: int | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Signer:
    """Who signed checkpoints, how many, and whether with a key that was given; the id is in hex."""

    name: str
    key_id: str
    checkpoints: int
    trusted: bool
    public_key: str | None
    """The key as the checkpoint's record names it, if it does: found to fit, but trusted no more for that."""

    def as_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "keyId": self.key_id,
            "checkpoints": self.checkpoints,
            "trusted": self.trusted,
            "publicKey": self.public_key,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What verification found. Of a broken file, the counts say how far it was good."""

    workspace: str | None
    records: int
    streams: int
    checkpoints: int
    root: str | None
    signatures: Signatures
    problem: Problem | None
    covered: int
    """How many records the newest checkpoint speaks of."""
    signers: tuple[Signer, ...]

    @property
    def standing(self) -> Standing:
        """Without a key given nobody is trusted, and nobody distrusted: `signatures` says that none was checked."""
        if self.problem is not None:
            return "broken"
        return "untrusted" if self.signatures == "checked" and self.strangers else "valid"

    @property
    def valid(self) -> bool:
        """Nothing in the file contradicts itself; who signed it is another question."""
        return self.problem is None

    @property
    def strangers(self) -> list[Signer]:
        return [signer for signer in self.signers if not signer.trusted]

    def as_json(self) -> dict[str, Any]:
        shown = asdict(self)
        del shown["covered"]
        signers = [signer.as_json() for signer in self.signers]
        return {"valid": self.valid, "standing": self.standing, **shown, "signers": signers}


class Key(NamedTuple):
    """A public key, with the name it signs under and the id that finds it."""

    name: str
    id: bytes
    public: bytes

    @classmethod
    def parse(cls, text: str) -> Key:
        """Read `<name>+<id in hex>+<base64 of 0x01 and the Ed25519 key>`, or raise `Unusable`."""
        name, _, rest = text.partition("+")
        hex_id, _, encoded = rest.partition("+")
        data = _base64(encoded)
        if not name or data is None or len(data) != 33 or data[0] != 1:
            raise Unusable(f"{shown(text)} is not the public key of a signed note (name+id+key)")
        key_id = sha256(name.encode(errors="replace") + b"\n" + data).digest()[:4]
        if key_id.hex() != hex_id:
            raise Unusable(f"the id in {shown(text)} does not fit its name and key: it was mistyped or cut")
        return cls(name, key_id, data[1:])

    def signed(self, text: str, signature: bytes) -> bool:
        try:
            from cryptography.exceptions import InvalidSignature
            from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
        except ImportError:
            raise Unusable("checking signatures needs the Python package `cryptography`") from None
        try:
            Ed25519PublicKey.from_public_bytes(self.public).verify(signature, text.encode())
        except (InvalidSignature, ValueError):
            return False
        return True


class Note(NamedTuple):
    """A signed checkpoint: of which log, how many records, and the root over them."""

    origin: str
    size: int
    root: bytes
    text: str
    """The three lines that are signed."""
    signatures: list[tuple[str, bytes]]
    """The name of each signer; four bytes of its key's id, then the signature."""

    @classmethod
    def parse(cls, note: str) -> Note | None:
        """Read a note without believing it; None when it is none."""
        parts = _NOTE.fullmatch(note)
        if parts is None:
            return None
        root = _base64(parts["root"])
        found = [(name, _base64(data)) for name, data in _SIGNATURE.findall(parts["signatures"])]
        signatures = [(name, data) for name, data in found if data is not None and len(data) > 4]
        if root is None or len(root) != 32 or len(signatures) != len(found):
            return None
        return cls(parts["origin"], int(parts["size"]), root, parts["text"], signatures)


def verify(
    file: BinaryFile, *, keys: Iterable[Key] = (), notes: Iterable[Note] = (), progress: Progress | None = None
) -> Report:
    """Check an export, plain or gzipped; `notes` are checkpoints from elsewhere that must hold too.

    Without keys no signature is checked. Raises `OSError` when the file cannot be
    read, and `Unusable` when signatures cannot be checked.
    """
    walk = _Walk(tuple(keys), tuple(notes), progress)
    problem: Problem | None = None
    try:
        with closing(_lines(file)) as lines:
            walk.run(lines)
    except _Found as found:
        problem = found.problem
    except EOFError:
        problem = walk.problem("missing tail", "the compressed file breaks off", walk.records + 1)
    except (gzip.BadGzipFile, zlib.error):
        problem = walk.problem("malformed", "the compressed file is damaged", walk.records + 1)
    return walk.report(problem)


def _lines(file: BinaryFile) -> Generator[bytes]:
    """The lines with their ends. The last one may lack its end, and one that is too long comes in pieces."""
    buffered = plain = BufferedReader(file, _BUFFER)
    try:
        # The first two bytes say it: a name can lie, and standard input has none.
        if buffered.peek(2)[:2] == b"\x1f\x8b":
            plain = BufferedReader(gzip.GzipFile(fileobj=buffered), _BUFFER)
        yield from iter(partial(plain.readline, LONGEST_LINE), b"")
    finally:
        buffered.detach()  # the file is the caller's to close


class _Found(Exception):
    def __init__(self, problem: Problem) -> None:
        self.problem = problem


class _Tree:
    """The right edge of the RFC 6962 tree: one hash per complete subtree, the largest first."""

    __slots__ = ("_peaks", "_size")

    def __init__(self) -> None:
        self._size = 0
        self._peaks: list[bytes] = []

    def add(self, leaf: bytes) -> None:
        peaks, size = self._peaks, self._size
        self._size = size + 1
        top = sha256(b"\x00" + leaf).digest()
        while size & 1:
            top = sha256(b"\x01" + peaks.pop() + top).digest()
            size >>= 1
        peaks.append(top)

    def root(self) -> bytes:
        if not self._peaks:
            return sha256(b"").digest()
        top = self._peaks[-1]
        for peak in reversed(self._peaks[:-1]):
            top = sha256(b"\x01" + peak + top).digest()
        return top


class _Walk:
    """What is known of the workspace while the lines pass by."""

    def __init__(self, keys: tuple[Key, ...], notes: tuple[Note, ...], progress: Progress | None) -> None:
        self.records = 0
        self._keys = keys
        self._notes = notes
        self._progress = progress
        self._line = 1
        self._workspace: str | None = None
        # A stream is known by its name as the file spells it, which is checked to be the only spelling.
        self._heads: dict[str, tuple[int, bytes]] = {}
        self._heads_read = 0
        self._tree = _Tree()
        self._digest = sha256()
        self._roots_given: dict[int, bytes] = {}
        self._checkpoints = 0
        self._newest: str | None = None
        self._covered = 0
        self._has_met_a_note = False
        self._signed: dict[tuple[str, bytes], set[int]] = {}
        self._trusted: set[tuple[str, bytes]] = set()
        self._public_keys: dict[tuple[str, bytes], str] = {}
        self._root: str | None = None

    def report(self, problem: Problem | None) -> Report:
        return Report(
            workspace=self._workspace,
            records=self.records,
            streams=len(self._heads),
            checkpoints=self._checkpoints,
            root=self._root,
            signatures="none" if not self._has_met_a_note else "checked" if self._keys else "not checked",
            problem=problem,
            covered=self._covered,
            signers=tuple(
                Signer(
                    name=name,
                    key_id=key_id.hex(),
                    checkpoints=len(sizes),
                    trusted=(name, key_id) in self._trusted,
                    public_key=self._public_keys.get((name, key_id)),
                )
                for (name, key_id), sizes in sorted(self._signed.items())
            ),
        )

    def run(self, lines: Iterator[bytes]) -> None:
        self._header(next(lines, b""))
        self._check_notes_given()
        update, record, progress = self._digest.update, self._record, self._progress
        for line in lines:
            self._line += 1
            if line.startswith(b'{"seq":'):
                record(line)
                if progress and not self.records % 4096:
                    progress(self.records)
            elif line.startswith(b'{"stream":'):
                self._head(line)
            else:
                self._trailer(line)
                break
            update(line)
        else:
            self._stop("missing tail", "the file ends without a trailer: it was cut short", self.records + 1)
        if next(lines, None) is not None:
            self._line += 1
            self._stop("malformed", "something follows the trailer")

    def _header(self, line: bytes) -> None:
        header = _members(line.removesuffix(b"\n"), _HEADER)
        if header is None or header["format"] != FORMAT:
            self._stop("malformed", "this is no Thoughtbox export: it does not begin with the header of one")
        if header["version"] != VERSION:
            self._stop("malformed", f"the export has version {header['version']}; only {VERSION} is known here")
        if not _ONE_LINE.fullmatch(header["workspace"]):
            self._stop("malformed", "the name of the workspace is not one line of text")
        self._workspace = header["workspace"]
        self._digest.update(line)

    def _check_notes_given(self) -> None:
        for note in self._notes:
            self._believe(note, "the checkpoint given")
            if self._roots_given.setdefault(note.size, note.root) != note.root:
                self._stop("root", f"two of the checkpoints given speak of {note.size} records, with different roots")
            self._covered = max(self._covered, note.size)
        self._check_root_given()

    def _check_root_given(self) -> None:
        root = self._roots_given.get(self.records)
        if root is not None and root != self._tree.root():
            message = f"the first {self.records} records are not those of the checkpoint given: history was rewritten"
            self._stop("root", message, self.records or None)

    def _record(self, line: bytes) -> None:
        """One record: its content, place and link in one comparison, then what it says of itself."""
        seq = self.records + 1
        at = line.find(_RECORD)
        if at < 0 or self._heads_read or not line.endswith(b"}\n"):
            self._stop_at_line(line)
        content = line[at + len(_RECORD) : -2]
        content_hash = sha256(content)
        try:
            place = line[:at].decode()
        except UnicodeDecodeError:
            self._stop_at_line(line)
        start = place.find('"stream":"') + len('"stream":"')
        stream = place[start : place.find('","index":', start)]
        length, previous = self._heads.get(stream) or self._begin(stream, line)
        linked = sha256(previous + content_hash.digest())
        if place != (
            f'{{"seq":{seq},"stream":"{stream}","index":{length},'
            f'"contentHash":"{content_hash.hexdigest()}","hash":"{linked.hexdigest()}"'
        ):
            self._stop_at_place(line, content_hash.hexdigest())
        self._check_own_words(content, seq, stream, length)
        self._heads[stream] = (length + 1, linked.digest())
        self._tree.add(linked.digest())
        self.records = seq
        if self._roots_given:
            self._check_root_given()

    def _begin(self, stream: str, line: bytes) -> tuple[int, bytes]:
        """Length and genesis of a stream not met before."""
        name = _unspelled(stream)
        if name is None:
            self._stop_at_line(line)
        return 0, sha256(b"\n".join((STREAM_LABEL, str(self._workspace).encode(), name.encode()))).digest()

    def _stop_at_place(self, line: bytes, content_hash: str) -> NoReturn:
        """Say which part of a record's place is not what it should be."""
        found = _members(line[: line.find(_RECORD)] + b"}", _PLACE)
        if found is None:
            self._stop_at_line(line)
        expected, seq, index = self.records + 1, found["seq"], found["index"]
        stream = _spelled(found["stream"])
        length, _ = self._heads.get(stream, (0, b""))
        if seq > expected:
            self._stop("order", f"th:{expected} is missing: in its place stands th:{seq}", seq, stream, index)
        if seq < expected:
            self._stop("order", f"th:{seq} stands where th:{expected} should", seq, stream, index)
        if found["contentHash"] != content_hash:
            self._stop("content", f"the bytes of th:{seq} do not match its content hash", seq, stream, index)
        if index != length:
            self._stop("order", f"th:{seq} is number {index} of its stream; {length} was expected", seq, stream, index)
        self._stop("link", f"the hash of th:{seq} does not follow from the record before it", seq, stream, index)

    def _check_own_words(self, content: bytes, seq: int, stream: str, index: int) -> None:
        """The record is one that all readers understand alike, and knows its own number."""
        try:
            own_id, attrs, data = _read_record(content)
        except ValueError as error:
            self._stop("content", f"th:{seq} is no record: {error}", seq, stream, index)
        if own_id != f"th:{seq}":
            self._stop("order", f"record number {seq} calls itself {shown(own_id)}", seq, stream, index)
        if data["topic"] == CHECKPOINT_TOPIC:
            self._check_checkpoint(attrs, data, seq, stream, index)

    def _check_checkpoint(self, attrs: dict[str, Any], data: dict[str, Any], seq: int, stream: str, index: int) -> None:
        """A checkpoint record speaks of all records before it, and of no other."""
        text = data.get("note")
        note = Note.parse(text) if isinstance(text, str) else None
        if note is None:
            self._stop("malformed", f"checkpoint record th:{seq} holds no signed checkpoint", seq, stream, index)
        signer = self._believe(note, f"the checkpoint in th:{seq}", seq, stream, index)
        if signer not in self._trusted and self._keys:
            self._check_named_key(note, signer, data.get("key"), seq, stream, index)
        if (data.get("size"), attrs.get("stateHash")) != (note.size, note.root.hex()):
            self._stop("content", f"checkpoint record th:{seq} disagrees with what was signed", seq, stream, index)
        if note.size != self.records:
            message = f"the checkpoint in th:{seq} speaks of {note.size} records; {self.records} stand before it"
            self._stop("order", message, seq, stream, index)
        if note.root != self._tree.root():
            message = f"the {note.size} records before th:{seq} are not those that were signed: history was rewritten"
            self._stop("root", message, seq, stream, index)
        self._checkpoints += 1
        self._newest = text
        self._covered = max(self._covered, note.size)

    def _believe(
        self, note: Note, which: str, seq: int | None = None, stream: str | None = None, index: int | None = None
    ) -> tuple[str, bytes]:
        """The note speaks of this workspace, and no key that was given signed it wrongly; who signed it."""
        self._has_met_a_note = True
        signers = [(name, signed[:4]) for name, signed in note.signatures]
        matches = [
            (key, signed[4:])
            for name, signed in note.signatures
            for key in self._keys
            if (name, signed[:4]) == (key.name, key.id)
        ]
        for key, signature in matches:
            if not key.signed(note.text, signature):
                self._stop("bad signature", f"{which} is not what {shown(key.name)} signed", seq, stream, index)
            self._trusted.add((key.name, key.id))
        if note.origin != f"{ORIGIN}{self._workspace}":
            message = f"{which} speaks of {shown(note.origin)}, not of this workspace"
            self._stop("bad signature", message, seq, stream, index)
        signer = next((signer for signer in signers if signer in self._trusted), signers[0])
        self._signed.setdefault(signer, set()).add(note.size)
        return signer

    def _check_named_key(
        self, note: Note, signer: tuple[str, bytes], named: object, seq: int, stream: str, index: int
    ) -> None:
        """A stranger's signature fits at least the key that its record names; older records name none."""
        if not isinstance(named, str):
            return
        try:
            key = Key.parse(named)
        except Unusable:
            return
        signatures = [signed[4:] for name, signed in note.signatures if (name, signed[:4]) == (key.name, key.id)]
        if not signatures or not all(key.signed(note.text, signature) for signature in signatures):
            message = f"the checkpoint in th:{seq} is not by the key that it names"
            self._stop("bad signature", message, seq, stream, index)
        self._public_keys[signer] = named

    def _head(self, line: bytes) -> None:
        head = _members(line.removesuffix(b"\n"), _HEAD)
        if head is None:
            self._stop_at_line(line)
        stream, length = _spelled(head["stream"]), head["length"]
        found, last = self._heads.get(stream, (0, b""))
        if (found, last) == _HEAD_READ:
            self._stop("malformed", "the head of this stream is given twice", None, stream)
        if found != length:
            wrong: Wrong = "missing tail" if found < length else "order"
            self._stop(wrong, f"the stream has {found} records; its head says {length}", None, stream, found)
        if head["head"] != last.hex():
            self._stop("link", "the stream does not end with the record that its head says", None, stream, found - 1)
        self._heads[stream] = _HEAD_READ
        self._heads_read += 1

    def _trailer(self, line: bytes) -> None:
        trailer = _members(line.removesuffix(b"\n"), _TRAILER)
        if trailer is None:
            self._stop_at_line(line)
        for stream, head in self._heads.items():
            if head != _HEAD_READ:
                self._stop("missing tail", "the stream has records but no head", None, stream)
        for what, found in (("records", self.records), ("streams", self._heads_read)):
            if found != trailer[what]:
                wrong: Wrong = "missing tail" if found < trailer[what] else "order"
                self._stop(wrong, f"the file has {found} {what}; its trailer says {trailer[what]}")
        self._check_length(max(self._roots_given, default=0), "the checkpoint given")
        root = self._tree.root()
        if trailer["root"] != root.hex():
            self._stop("root", "the records do not add up to the root that the trailer says")
        if trailer["checkpoint"] != self._newest:
            self._stop_at_newest(trailer["checkpoint"], root)
        if trailer["digest"] != self._digest.hexdigest():
            self._stop("content", "the lines of the file do not add up to the digest that the trailer says")
        self._root = root.hex()

    def _stop_at_newest(self, text: str | None, root: bytes) -> NoReturn:
        """The trailer repeats the newest checkpoint record, so that this one cannot be cut off unnoticed."""
        note = Note.parse(text or "")
        newest = Note.parse(self._newest or "")
        if note is None or (newest is not None and note.size <= newest.size):
            self._stop("malformed", "the trailer does not repeat the newest checkpoint of the file")
        self._believe(note, "the checkpoint in the trailer")
        self._check_length(note.size, "the checkpoint in the trailer")
        if note.size == self.records and note.root != root:
            self._stop("root", "the records are not those of the checkpoint in the trailer: history was rewritten")
        self._stop("missing tail", f"no record holds the trailer's checkpoint, of {note.size} records")

    def _check_length(self, covered: int, which: str) -> None:
        if self.records < covered:
            message = f"the file has {self.records} records; {which} speaks of {covered}"
            self._stop("missing tail", message, self.records + 1)

    def _stop_at_line(self, line: bytes) -> NoReturn:
        if len(line) == LONGEST_LINE:
            self._stop("malformed", f"the line has more than {LONGEST_LINE} bytes")
        if not line.endswith(b"\n"):
            message = "the file breaks off in the middle of a line: it was cut short"
            self._stop("missing tail", message, self.records + 1)
        self._stop("malformed", "an export has no such line, or not in this place")

    def _stop(
        self, wrong: Wrong, message: str, seq: int | None = None, stream: str | None = None, index: int | None = None
    ) -> NoReturn:
        raise _Found(self.problem(wrong, message, seq, stream, index))

    def problem(
        self, wrong: Wrong, message: str, seq: int | None, stream: str | None = None, index: int | None = None
    ) -> Problem:
        return Problem(wrong, message, seq, None if stream is None else _unspelled(stream), index, self._line)


def _members(line: bytes, shape: Mapping[str, tuple[type, ...]]) -> dict[str, Any] | None:
    """The object in a line, if it has just these members and is spelled in the one way of an export."""
    try:
        found = json.loads(line.decode())
        respelled = json.dumps(found, ensure_ascii=False, separators=(",", ":")).encode()
    except (ValueError, RecursionError):
        return None
    if respelled != line or type(found) is not dict or list(found) != list(shape):
        return None
    return found if all(type(found[name]) in kinds for name, kinds in shape.items()) else None


def _spelled(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _unspelled(spelled: str) -> str | None:
    """The text inside a JSON string; None when it is none, or has another spelling in an export."""
    try:
        text = json.loads(f'"{spelled}"')
        text.encode()
    except ValueError:
        return None
    return text if _spelled(text) == spelled else None


def _read_record(content: bytes) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """The `id`, `attrs` and `data` of a record; `ValueError` says why it is none."""
    try:
        text = content.decode()
        envelope, end = _DECODER.raw_decode(text)
        own_id, kind, body, attrs, data, _, _, _, _, _ = _PARTS(envelope)
        if not (type(own_id) is type(body["text"]) is type(data["topic"]) is str and type(attrs) is dict):
            raise TypeError
        is_known = kind in KINDS
    except json.JSONDecodeError:
        raise ValueError("it is not JSON") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except KeyError as error:
        raise ValueError(f"it has no `{error.args[0]}`") from None
    except TypeError:
        raise ValueError("a part of it has the wrong type") from None
    if end != len(text):
        raise ValueError("something follows its end")
    if not is_known:
        raise ValueError("its kind is none of the eleven")
    if "\\u" in text:
        _refuse_lone_surrogates(envelope)
    return own_id, attrs, data


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


def _integer(digits: str) -> int:
    if len(digits) > 17 or abs(number := int(digits)) > 2**53:
        raise ValueError("it has an integer beyond 2^53")
    return number


def _number(digits: str) -> float:
    if abs(number := float(digits)) > 2**53:
        raise ValueError("it has a number beyond 2^53")
    return number


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _refuse_lone_surrogates(value: object) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise ValueError("it has half of a character") from None


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_once, parse_int=_integer, parse_float=_number, parse_constant=_no_number
)
"""Strict where readers differ: what two of them could take for two things is refused."""


def _base64(text: str) -> bytes | None:
    """The bytes of base64 in its one spelling; None for any other text."""
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError:
        return None
    return data if base64.b64encode(data).decode() == text else None


def shown(text: str | None) -> str:
    """Text from outside as one short line that cannot disturb a terminal."""
    shown = text if text and text.isprintable() else json.dumps(text)
    return shown if len(shown) <= 120 else f"{shown[:119]}…"


def main(argv: Sequence[str] | None = None) -> int:
    """The command: 0 for a valid file, 4 for one that a stranger signed, 1 for a broken one, 2 if it cannot be told."""
    arguments = _parser().parse_args(argv)
    try:
        keys = [Key.parse(text) for text in arguments.key]
        keys += [Key.parse(text) for path in arguments.key_file for text in read_keys(path)]
        notes = [_read_note(path) for path in arguments.checkpoint]
        with _opened(arguments.file) as file, _progress(file, wanted=not arguments.quiet) as progress:
            report = verify(file, keys=keys, notes=notes, progress=progress)
    except Unusable as error:
        _write(sys.stderr, f"thoughtbox-verify: {error}\n")
        return UNUSABLE
    except (OSError, ValueError, MemoryError) as error:
        _write(sys.stderr, f"thoughtbox-verify: cannot read {shown(arguments.file)}: {reason(error)}\n")
        return UNUSABLE
    except KeyboardInterrupt:
        return INTERRUPTED
    if arguments.json:
        _write(sys.stdout, json.dumps(report.as_json()) + "\n")
    elif not arguments.quiet:
        _write(sys.stdout, _in_words(report, arguments.file, len(notes)))
    return {"valid": VALID, "untrusted": UNTRUSTED, "broken": BROKEN}[report.standing]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="thoughtbox-verify",
        description="Check an exported workspace offline: every record, every chain, the tree and its checkpoints.",
        epilog="Exit code: 0 valid, 1 broken, 2 wrong usage or a file that cannot be read,"
        " 4 valid, but signed by a key that was not given.",
    )
    several = partial(parser.add_argument, action="append", default=[])
    parser.add_argument("file", metavar="FILE", help="the export, plain or gzipped; - for standard input")
    several("--key", metavar="VKEY", help="a public key whose signatures count; may be repeated")
    several("--key-file", metavar="F", help="a file with such keys, one per line, # begins a comment")
    several("--checkpoint", metavar="F", help="a signed checkpoint kept elsewhere: the file must still agree with it")
    parser.add_argument("--json", action="store_true", help="report as one JSON object")
    parser.add_argument("--quiet", action="store_true", help="no report in words and no progress: the exit code tells")
    return parser


def read_keys(path: str) -> list[str]:
    lines = [line.strip() for line in _read_text(path).splitlines()]
    keys = [line for line in lines if line and not line.startswith("#")]
    if not keys:
        raise Unusable(f"{shown(path)} holds no key")
    return keys


def _read_note(path: str) -> Note:
    note = Note.parse(_read_text(path))
    if note is None:
        raise Unusable(f"{shown(path)} is not a signed checkpoint")
    return note


def _read_text(path: str) -> str:
    try:
        with Path(path).open(encoding="utf-8", newline="") as file:
            return file.read(_BUFFER)
    except (OSError, ValueError) as error:
        raise Unusable(f"cannot read {shown(path)}: {reason(error)}") from None


def reason(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "there is not enough memory"
    return (isinstance(error, OSError) and error.strerror) or str(error)


@contextmanager
def _opened(path: str) -> Generator[FileIO]:
    if path == "-":
        with open(0, "rb", buffering=0, closefd=False) as file:
            yield file
    else:
        with Path(path).open("rb", buffering=0) as file:
            yield file


@contextmanager
def _progress(file: FileIO, *, wanted: bool) -> Generator[Progress | None]:
    """Say on a terminal how far it is, once it has taken a second."""
    if not wanted or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    total = os.fstat(file.fileno()).st_size if file.seekable() else 0
    began = time.monotonic()
    due = began + 1

    def say(records: int) -> None:
        nonlocal due
        now = time.monotonic()
        if now < due:
            return
        due = now + 0.5
        done = file.tell() / total if total else 0
        rest = f", {done:.0%}, about {(now - began) * (1 - done) / done:.0f} s left" if done else ""
        _write(sys.stderr, f"\r\x1b[K{records:,} records{rest}")

    try:
        yield say
    finally:
        if due != began + 1:
            _write(sys.stderr, "\r\x1b[K")


def _in_words(report: Report, file: str, notes_given: int) -> str:
    rows = [("BROKEN" if report.problem else report.standing, shown(file))]
    if report.problem is not None:
        rows += [
            ("wrong", f"{report.problem.wrong}: {report.problem.message}"),
            ("where", _where_in_words(report.problem)),
            ("before that", f"{report.records:,} good records"),
        ]
    else:
        rows += [
            ("workspace", shown(report.workspace)),
            ("records", f"{report.records:,} in {report.streams:,} streams"),
            ("root", str(report.root)),
            ("checkpoints", _checkpoints_in_words(report, notes_given)),
            ("signatures", _signatures_in_words(report)),
        ]
    return "".join(f"{label:<12} {text}\n" for label, text in rows)


def _where_in_words(problem: Problem) -> str:
    parts = [
        (f"line {problem.line}", problem.line),
        (f"record th:{problem.seq}", problem.seq),
        (f"stream {shown(problem.stream)}", problem.stream),
        (f"index {problem.index}", problem.index),
    ]
    return ", ".join(text for text, value in parts if value is not None)


def _checkpoints_in_words(report: Report, given: int) -> str:
    if not report.checkpoints and not given:
        return "none: whether the file was cut and written anew cannot be told"
    from_elsewhere = f" and {given} given" if given else ""
    covered = f"{report.covered:,} of {report.records:,} records are covered"
    return f"{report.checkpoints:,} in the file{from_elsewhere}; {covered}"


def _signatures_in_words(report: Report) -> str:
    match report.signatures:
        case "checked":
            known = ", ".join(shown(signer.name) for signer in report.signers if signer.trusted) or "none"
            strange = ", ".join(
                f"{shown(signer.name)}+{signer.key_id} ({signer.checkpoints:,})" for signer in report.strangers
            )
            return f"checked: {known}" + (f"; by keys that were not given: {strange}" if strange else "")
        case "not checked":
            return "NOT CHECKED: no key was given; name the signer's public key with --key"
        case "none":
            return "none: nothing in this file is signed"


def _write(stream: TextIO | None, text: str) -> None:
    """Write what the stream can show of the text; a reader that has gone does not change the verdict."""
    if stream is None:
        return
    encoding = stream.encoding or "utf-8"
    try:
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()
    except BrokenPipeError:
        # Or the interpreter would try once more while it ends, and complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


if __name__ == "__main__":
    sys.exit(main())
