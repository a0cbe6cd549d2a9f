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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from hashlib import sha256
from io import BufferedReader
from operator import itemgetter
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, NoReturn, TextIO, TypeAlias

FORMAT: Final = "thoughtbox-export"
VERSION: Final = 1
STREAM_LABEL: Final = b"thoughtbox/stream/v1"
ORIGIN: Final = "thoughtbox/"
CHECKPOINT_TOPIC: Final = "ledger.checkpoint"
LONGEST_LINE: Final = 1 << 28
"""Bytes. No record comes near it; a file without line ends must not fill the memory."""

VALID, INVALID, UNUSABLE, INTERRUPTED = 0, 1, 2, 130

Wrong: TypeAlias = Literal[
    "content", "link", "order", "missing tail", "root", "unknown signature", "bad signature", "malformed"
]
Signatures: TypeAlias = Literal["checked", "not checked", "none"]
Progress: TypeAlias = Callable[[int], None]
"""Told now and then how many records have been checked."""


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
class Report:
    """What verification found. Of an invalid file, the counts say how far it was read."""

    valid: bool
    workspace: str | None
    records: int
    streams: int
    checkpoints: int
    root: str | None
    signatures: Signatures
    problem: Problem | None
    signed_records: int = 0
    """How many records the newest checkpoint covers."""

    def as_json(self) -> dict[str, Any]:
        shown = asdict(self)
        del shown["signed_records"]
        return shown


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
        if not name or any(map(str.isspace, name)) or data is None or len(data) != 33 or data[0] != 1:
            raise Unusable(f"{_shown(text)} is not the public key of a signed note (name+id+key)")
        key_id = sha256(name.encode(errors="replace") + b"\n" + data).digest()[:4]
        if key_id.hex() != hex_id:
            raise Unusable(f"the id in {_shown(text)} does not fit its name and key: it was mistyped or cut")
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
    """What is signed."""
    signatures: list[tuple[str, bytes]]
    """Names, and the bytes signed: four of the key's id, then the signature."""

    @classmethod
    def parse(cls, note: str) -> Note | None:
        """Read a note without believing it; None when it is none."""
        parts = _NOTE.fullmatch(note)
        if parts is None:
            return None
        root = _base64(parts["root"])
        signatures = [(name, _base64(data)) for name, data in _SIGNATURE.findall(parts["signatures"])]
        known = [(name, data) for name, data in signatures if data is not None and len(data) > 4]
        if root is None or len(root) != 32 or len(known) != len(signatures):
            return None
        return cls(parts["origin"], int(parts["size"]), root, parts["text"], known)


_LINE: Final = r"[^\x00-\x1f\x7f-\x9f\ud800-\udfff]+"
_SIGNED_BY: Final = r"— ([^\s+\x00-\x1f\x7f-\x9f\ud800-\udfff]+) ([A-Za-z0-9+/=]+)\n"
_SIGNATURE: Final = re.compile(_SIGNED_BY)
_NOTE: Final = re.compile(
    rf"(?P<text>(?P<origin>{_LINE})\n(?P<size>0|[1-9][0-9]{{0,18}})\n(?P<root>[A-Za-z0-9+/=]+)\n)"
    rf"\n(?P<signatures>(?:{_SIGNED_BY}){{1,100}})"
)


class _Tree:
    """The right edge of the RFC 6962 tree: one hash per complete subtree, the largest first."""

    __slots__ = ("peaks", "size")

    def __init__(self) -> None:
        self.size = 0
        self.peaks: list[bytes] = []

    def add(self, leaf: bytes) -> None:
        top = sha256(b"\x00" + leaf).digest()
        size = self.size
        self.size = size + 1
        while size & 1:
            top = sha256(b"\x01" + self.peaks.pop() + top).digest()
            size >>= 1
        self.peaks.append(top)

    def root(self) -> bytes:
        if not self.peaks:
            return sha256(b"").digest()
        top = self.peaks[-1]
        for peak in reversed(self.peaks[:-1]):
            top = sha256(b"\x01" + peak + top).digest()
        return top


def verify(
    file: BufferedReader, *, keys: Iterable[Key] = (), notes: Iterable[Note] = (), progress: Progress | None = None
) -> Report:
    """Check an export, gzipped or plain; `notes` are checkpoints from elsewhere that must hold too.

    Without keys no signature is checked. Raises `OSError` when the file cannot be
    read, and `Unusable` when signatures cannot be checked.
    """
    walk = _Walk(tuple(keys), tuple(notes), progress)
    problem: Problem | None = None
    try:
        walk.run(_lines(file))
    except _Found as found:
        problem = found.problem
    except EOFError:
        problem = walk.problem("missing tail", "the compressed file breaks off", seq=walk.records + 1)
    except (gzip.BadGzipFile, zlib.error):
        problem = walk.problem("malformed", "the file cannot be decompressed any further")
    return walk.report(problem)


def _lines(file: BufferedReader) -> Iterator[bytes]:
    """The lines with their ends. The last one may lack its end, and one that is too long is cut."""
    # The first two bytes say it; a name can lie, and standard input has none.
    if file.peek(2)[:2] == b"\x1f\x8b":
        file = BufferedReader(gzip.GzipFile(fileobj=file), _BUFFER)  # ty: ignore[invalid-argument-type]
    return iter(partial(file.readline, LONGEST_LINE), b"")


class _Found(Exception):
    def __init__(self, problem: Problem) -> None:
        self.problem = problem


class _Walk:
    """What is known of the workspace while the lines pass by."""

    def __init__(self, keys: tuple[Key, ...], notes: tuple[Note, ...], progress: Progress | None) -> None:
        self.records = 0
        self._keys = keys
        self._notes = notes
        self._progress = progress
        self._workspace: str | None = None
        self._line = 0
        self._heads: dict[str, tuple[int, bytes]] = {}
        """By the stream's name as JSON spells it: length, and the hash of the last record."""
        self._heads_named = 0
        self._tree = _Tree()
        self._awaited: dict[int, bytes] = {}
        """Tree size to the root that a note from elsewhere says it has."""
        self._digest = sha256()
        self._checkpoints = 0
        self._newest: str | None = None
        self._signed_records = 0
        self._root: bytes | None = None

    def report(self, problem: Problem | None) -> Report:
        has_notes = self._checkpoints or self._notes
        return Report(
            valid=problem is None,
            workspace=self._workspace,
            records=self.records,
            streams=len(self._heads),
            checkpoints=self._checkpoints,
            root=self._root.hex() if self._root else None,
            signatures="none" if not has_notes else "checked" if self._keys else "not checked",
            problem=problem,
            signed_records=self._signed_records,
        )

    def run(self, lines: Iterator[bytes]) -> None:
        self._line = 1
        self._header(next(lines, b""))
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
            self._stop_short("the file ends without a trailer")
        self._line += 1
        if next(lines, None) is not None:
            self._stop("malformed", "something follows the trailer")

    def _header(self, line: bytes) -> None:
        if not line:
            self._stop("malformed", "the file is empty")
        header = _members(line.removesuffix(b"\n"), _HEADER)
        if header is None or header["format"] != FORMAT:
            self._stop("malformed", "this is no Thoughtbox export: its first line is not the header of one")
        if header["version"] != VERSION:
            self._stop("malformed", f"the export has version {header['version']}; only {VERSION} is known here")
        if not line.endswith(b"\n"):
            self._stop_short("the file ends after its header")
        self._workspace = header["workspace"]
        self._digest.update(line)
        for note in self._notes:
            self._believe(note)
            if self._awaited.setdefault(note.size, note.root) != note.root:
                self._stop("root", f"two of the checkpoints given say they cover {note.size} records, and differ")
            self._signed_records = max(self._signed_records, note.size)
        self._check_awaited()

    def _record(self, line: bytes) -> None:
        """Content, place and link in one comparison; then what the record says of itself."""
        seq = self.records + 1
        at = line.find(_RECORD)
        if at < 0 or not line.endswith(b"}\n"):
            self._stop_at_broken_line(line)
        content = line[at + len(_RECORD) : -2]
        content_hash = sha256(content)
        try:
            place = line[:at].decode()
        except UnicodeDecodeError:
            self._stop("malformed", "the line is not UTF-8", seq=seq)
        start = place.find('"stream":"') + len('"stream":"')
        spelled = place[start : place.find('","index":', start)]
        length, previous = self._heads.get(spelled) or self._begin(spelled)
        linked = sha256(previous + content_hash.digest())
        if place != (
            f'{{"seq":{seq},"stream":"{spelled}","index":{length}'
            f',"contentHash":"{content_hash.hexdigest()}","hash":"{linked.hexdigest()}"'
        ):
            self._diagnose(line[:at], content_hash.hexdigest())
        where = (seq, spelled, length)
        try:
            text = content.decode()
            envelope, end = _DECODER.raw_decode(text)
            if "\\u" in text:
                _refuse_lone_surrogates(envelope)
        except UnicodeDecodeError:
            self._stop_record("content", f"th:{seq} is not UTF-8", *where)
        except json.JSONDecodeError:
            self._stop_record("content", f"th:{seq} is not JSON", *where)
        except (ValueError, RecursionError) as error:
            self._stop_record("content", f"th:{seq} can be read in two ways, or in none: {error}", *where)
        if end != len(text) or type(envelope) is not dict:
            self._stop_record("content", f"th:{seq} is not one JSON object", *where)
        try:
            own_id, kind, body, attrs, data, *_ = _PARTS(envelope)
            if type(body["text"]) is not str or type(data["topic"]) is not str or type(attrs) is not dict:
                raise TypeError
        except (KeyError, TypeError):
            self._stop_record("content", f"th:{seq} lacks a part that every record has", *where)
        if own_id != f"th:{seq}":
            self._stop_record("order", f"record number {seq} calls itself {_shown(own_id)}", *where)
        if kind not in _KINDS:
            self._stop_record("content", f"th:{seq} is of no known kind: {_shown(kind)}", *where)
        if data["topic"] == CHECKPOINT_TOPIC:
            self._checkpoint(kind, attrs, data, where)
        self._heads[spelled] = (length + 1, linked.digest())
        self._tree.add(linked.digest())
        self.records = seq
        if self._awaited:
            self._check_awaited()

    def _begin(self, spelled: str) -> tuple[int, bytes]:
        """Length and genesis of a stream not met before. Its name has one spelling, or it could be two streams."""
        if self._heads_named:
            self._stop("malformed", "a record stands behind the stream heads", seq=self.records + 1)
        name = _unspelled(spelled)
        if name is None:
            self._stop("malformed", "the line does not have the form of a record line", seq=self.records + 1)
        return 0, sha256(b"\n".join((STREAM_LABEL, str(self._workspace).encode(), name.encode()))).digest()

    def _diagnose(self, place: bytes, content_hash: str) -> NoReturn:
        """Say which part of a record's place is not what it should be."""
        expected = self.records + 1
        found = _members(place + b"}", _PLACE)
        if found is None:
            self._stop("malformed", "the line does not have the form of a record line", seq=expected)
        seq, stream, index = found["seq"], found["stream"], found["index"]
        stop = partial(self._stop, seq=seq, stream=stream, index=index)
        if seq > expected:
            stop("order", f"th:{expected} is missing: in its place stands th:{seq}")
        if seq < expected:
            stop("order", f"th:{seq} stands where th:{expected} should")
        if found["contentHash"] != content_hash:
            stop("content", f"the bytes of th:{seq} do not match its content hash")
        length, _ = self._heads.get(_spelled(stream), (0, b""))
        if index != length:
            stop("order", f"th:{seq} stands at place {index} of {_shown(stream)}; {length} was expected")
        stop("link", f"the hash of th:{seq} does not follow from the record before it in {_shown(stream)}")

    def _checkpoint(self, kind: str, attrs: dict[str, Any], data: dict[str, Any], where: tuple[int, str, int]) -> None:
        """A checkpoint record covers all records before it, and none else."""
        seq = where[0]
        text = data.get("note")
        note = Note.parse(text) if isinstance(text, str) else None
        if note is None or kind != "checkpoint":
            self._stop_record("malformed", f"th:{seq} should hold a signed checkpoint, and holds none", *where)
        self._believe(note, *where)
        if (data.get("size"), attrs.get("stateHash")) != (note.size, note.root.hex()):
            self._stop_record("content", f"checkpoint record th:{seq} disagrees with what it signed", *where)
        if note.size != self.records:
            self._stop_record(
                "order", f"the checkpoint in th:{seq} covers {note.size} records; {self.records} are before it", *where
            )
        if note.root != self._tree.root():
            self._stop_record(
                "root", f"the {note.size} records before th:{seq} are not those signed: history was rewritten", *where
            )
        self._checkpoints += 1
        self._newest = text
        self._signed_records = max(self._signed_records, note.size)

    def _believe(
        self, note: Note, seq: int | None = None, spelled: str | None = None, index: int | None = None
    ) -> None:
        """The note is signed by a key that was given, and speaks of this workspace."""
        stop = partial(self._stop_record, seq=seq, spelled=spelled, index=index)
        which = "the checkpoint given" if seq is None else f"the checkpoint in th:{seq}"
        if self._keys:
            found = [
                (key, data[4:])
                for name, data in note.signatures
                for key in self._keys
                if (name, data[:4]) == (key.name, key.id)
            ]
            if not found:
                signers = ", ".join(_shown(name) for name, _ in note.signatures)
                stop("unknown signature", f"{which} is signed by {signers}, with no key that was given")
            for key, signature in found:
                if not key.signed(note.text, signature):
                    stop("bad signature", f"{which} is not what {_shown(key.name)} signed")
        if note.origin != f"{ORIGIN}{self._workspace}":
            stop("bad signature", f"{which} speaks of {_shown(note.origin)}, not of this workspace")

    def _check_awaited(self) -> None:
        if self._awaited.get(self.records, root := self._tree.root()) != root:
            self._stop(
                "root",
                f"the first {self.records} records are not those of the checkpoint given: history was rewritten",
                seq=self.records,
            )

    def _head(self, line: bytes) -> None:
        head = _members(line.removesuffix(b"\n"), _HEAD)
        if head is None or not line.endswith(b"\n"):
            self._stop_at_broken_line(line)
        stream, length = head["stream"], head["length"]
        stop = partial(self._stop, stream=stream)
        found, last = self._heads.get(_spelled(stream), (0, b""))
        if found == _NAMED:
            stop("malformed", f"the head of {_shown(stream)} is given twice")
        if found < length:
            stop("missing tail", f"{_shown(stream)} has {found} records; its head says {length}", index=found)
        if found > length:
            stop("order", f"{_shown(stream)} has {found} records; its head says {length}", index=length)
        if head["head"] != last.hex():
            stop("link", f"the last record of {_shown(stream)} is not the one its head remembers", index=found - 1)
        self._heads[_spelled(stream)] = (_NAMED, b"")
        self._heads_named += 1

    def _trailer(self, line: bytes) -> None:
        trailer = _members(line.removesuffix(b"\n"), _TRAILER)
        if trailer is None:
            self._stop_at_broken_line(line)
        for spelled, (length, _) in self._heads.items():
            if length != _NAMED:
                stream = _unspelled(spelled)
                self._stop("missing tail", f"the head of {_shown(stream)} is missing", stream=stream)
        for what, found in (("records", self.records), ("streams", self._heads_named)):
            if trailer[what] != found:
                wrong: Wrong = "missing tail" if found < trailer[what] else "order"
                self._stop(wrong, f"the file has {found} {what}; its trailer says {trailer[what]}")
        signed = max(self._awaited, default=0)
        if self.records < signed:
            self._stop(
                "missing tail",
                f"the file has {self.records} records; the checkpoint given covers {signed}",
                seq=self.records + 1,
            )
        root = self._tree.root()
        if trailer["root"] != root.hex():
            self._stop("root", "the root of the records is not the one that the trailer says")
        self._check_newest(trailer["checkpoint"])
        if trailer["digest"] != self._digest.hexdigest():
            self._stop("content", "the lines of the file are not those that the trailer's digest was made of")
        self._root = root

    def _check_newest(self, text: str | None) -> None:
        """The trailer repeats the newest checkpoint record, so that this one cannot be cut off unnoticed."""
        if text == self._newest:
            return
        note = Note.parse(text) if text is not None else None
        if note is None:
            self._stop("malformed", "the trailer does not name the newest checkpoint of the file")
        self._believe(note)
        if note.size > self.records:
            self._stop(
                "missing tail",
                f"the file has {self.records} records; the checkpoint in its trailer covers {note.size}",
                seq=self.records + 1,
            )
        if note.size == self.records and note.root != self._tree.root():
            self._stop("root", "the records are not those of the checkpoint in the trailer: history was rewritten")
        self._stop(
            "missing tail", f"no record holds the trailer's checkpoint of {note.size} records", seq=note.size + 1
        )

    def problem(self, wrong: Wrong, message: str, **where: Any) -> Problem:
        return Problem(wrong, message, line=self._line, **where)

    def _stop(
        self, wrong: Wrong, message: str, *, seq: int | None = None, stream: str | None = None, index: int | None = None
    ) -> NoReturn:
        raise _Found(self.problem(wrong, message, seq=seq, stream=stream, index=index))

    def _stop_record(
        self, wrong: Wrong, message: str, seq: int | None, spelled: str | None, index: int | None
    ) -> NoReturn:
        stream = None if spelled is None else _unspelled(spelled)
        self._stop(wrong, message, seq=seq, stream=stream, index=index)

    def _stop_short(self, message: str) -> NoReturn:
        self._stop("missing tail", f"{message}: it was cut short", seq=self.records + 1)

    def _stop_at_broken_line(self, line: bytes) -> NoReturn:
        if len(line) == LONGEST_LINE:
            self._stop("malformed", f"the line has more than {LONGEST_LINE} bytes", seq=self.records + 1)
        if not line.endswith(b"\n"):
            self._stop_short("the file breaks off in the middle of a line")
        self._stop("malformed", "the line does not have the form of any line of an export", seq=self.records + 1)


_NAMED: Final = -1
"""In place of the length of a stream whose head has been read."""
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
_KINDS: Final = (
    *("claim", "evidence", "question", "plan", "observation", "decision", "revision"),
    *("tool_call", "tool_result", "hub_event", "checkpoint"),
)


def _members(line: bytes, shape: Mapping[str, tuple[type, ...]]) -> dict[str, Any] | None:
    """The object in a line, if it has these members and is spelled in the one way that exports are."""
    try:
        found = json.loads(line.decode())
        spelled = json.dumps(found, ensure_ascii=False, separators=(",", ":")).encode()
    except (ValueError, RecursionError):
        return None
    if spelled != line or type(found) is not dict or list(found) != list(shape):
        return None
    if not all(type(found[name]) in kinds for name, kinds in shape.items()):
        return None
    return found


def _spelled(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _unspelled(spelled: str) -> str | None:
    """The text inside a JSON string; None when it is none, or could be spelled otherwise."""
    try:
        text = json.loads(f'"{spelled}"')
        text.encode()
    except (ValueError, RecursionError):
        return None
    return text if _spelled(text) == spelled else None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


def _integer(digits: str) -> int:
    if len(digits) > 17 or abs(number := int(digits)) > 2**53:
        raise ValueError("it has an integer beyond 2^53")
    return number if digits[0] != "-" else -number


def _number(digits: str) -> float:
    number = float(digits)
    if abs(number) > 2**53:
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
    """The bytes of standard base64 in its one spelling; None for any other text."""
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError:
        return None
    return data if base64.b64encode(data).decode() == text else None


def _shown(value: object) -> str:
    """Any value from the file as one short line that cannot disturb a terminal."""
    text = value if isinstance(value, str) else json.dumps(value)
    if not text.isprintable() or not text:
        text = json.dumps(text)
    return text if len(text) <= 120 else f"{text[:119]}…"


def main(argv: Sequence[str] | None = None) -> int:
    """The command `thoughtbox-verify`: 0 when the file is valid, 1 when it is not, 2 when that cannot be told."""
    arguments = _parser().parse_args(argv)
    try:
        keys = [Key.parse(text) for text in arguments.key]
        for path in arguments.key_file:
            keys += [Key.parse(line) for line in _key_lines(path)]
        notes = [_read_note(path) for path in arguments.checkpoint]
        with _opened(arguments.file) as file, _progress(file, silent=arguments.quiet) as progress:
            report = verify(file, keys=keys, notes=notes, progress=progress)
    except Unusable as error:
        _write(sys.stderr, f"thoughtbox-verify: {error}\n")
        return UNUSABLE
    except (OSError, ValueError, MemoryError) as error:
        why = getattr(error, "strerror", None) or str(error) or "not enough memory"
        _write(sys.stderr, f"thoughtbox-verify: cannot read {_shown(arguments.file)}: {why}\n")
        return UNUSABLE
    except KeyboardInterrupt:
        return INTERRUPTED
    if arguments.json:
        _write(sys.stdout, json.dumps(report.as_json()) + "\n")
    elif not arguments.quiet:
        _write(sys.stdout, _in_words(report, arguments.file, keys, notes))
    return VALID if report.valid else INVALID


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="thoughtbox-verify",
        description="Check an exported workspace offline: every record, every chain, the tree and its checkpoints.",
        epilog="Exit code: 0 valid, 1 invalid, 2 wrong usage or a file that cannot be read.",
    )
    parser.add_argument("file", metavar="FILE", help="the export, plain or gzipped; - for standard input")
    parser.add_argument(
        "--key", metavar="VKEY", action="append", default=[], help="a public key whose signatures count (repeatable)"
    )
    parser.add_argument(
        "--key-file", metavar="F", action="append", default=[], help="a file with such keys, one a line, # for comments"
    )
    parser.add_argument(
        "--checkpoint",
        metavar="F",
        action="append",
        default=[],
        help="a signed checkpoint kept elsewhere, which must hold too: it catches a file that was cut and rewritten",
    )
    parser.add_argument("--json", action="store_true", help="report as one JSON object")
    parser.add_argument("--quiet", action="store_true", help="no report in words and no progress: the exit code tells")
    return parser


def _key_lines(path: str) -> list[str]:
    lines = [line.strip() for line in _read_text(path).splitlines()]
    found = [line for line in lines if line and not line.startswith("#")]
    if not found:
        raise Unusable(f"{_shown(path)} holds no key")
    return found


def _read_note(path: str) -> Note:
    note = Note.parse(_read_text(path))
    if note is None:
        raise Unusable(f"{_shown(path)} is not a signed checkpoint")
    return note


def _read_text(path: str) -> str:
    try:
        with Path(path).open(encoding="utf-8", newline="") as file:
            return file.read(_BUFFER)
    except (OSError, ValueError) as error:
        raise Unusable(f"cannot read {_shown(path)}: {getattr(error, 'strerror', None) or 'not UTF-8'}") from None


@contextmanager
def _opened(path: str) -> Iterator[BufferedReader]:
    if path == "-":
        with open(0, "rb", buffering=_BUFFER, closefd=False) as file:
            yield file
    else:
        with Path(path).open("rb", buffering=_BUFFER) as file:
            yield file


@contextmanager
def _progress(file: BufferedReader, *, silent: bool) -> Iterator[Progress | None]:
    """Say on a terminal how far it is, once it has taken a second."""
    if silent or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    total = os.fstat(file.fileno()).st_size if file.seekable() else 0
    began = time.monotonic()
    said = began + 0.5

    def say(records: int) -> None:
        nonlocal said
        now = time.monotonic()
        if now - said < 0.5:
            return
        said = now
        done = file.tell() / total if total else 0
        rest = f", {done:.0%}, {(now - began) * (1 - done) / done:.0f} s left" if done else ""
        _write(sys.stderr, f"\r\x1b[K{records:,} records{rest}")

    yield say
    if said > began + 0.5:
        _write(sys.stderr, "\r\x1b[K")


def _in_words(report: Report, file: str, keys: Sequence[Key], notes: Sequence[Note]) -> str:
    problem = report.problem
    rows = [("valid" if problem is None else "INVALID", _shown(file))]
    if problem is not None:
        rows.append(("wrong", f"{problem.wrong}: {problem.message}"))
        at = [
            f"line {problem.line}" if problem.line is not None else "",
            f"record th:{problem.seq}" if problem.seq is not None else "",
            f"stream {_shown(problem.stream)}" if problem.stream is not None else "",
            f"index {problem.index}" if problem.index is not None else "",
        ]
        rows.append(("where", ", ".join(part for part in at if part) or "the file as a whole"))
        rows.append(("good so far", f"{report.records:,} records"))
    else:
        rows += [
            ("workspace", _shown(report.workspace)),
            ("records", f"{report.records:,} in {report.streams:,} streams"),
            ("root", str(report.root)),
            ("checkpoints", _checkpoints_in_words(report, notes)),
            ("signatures", _signatures_in_words(report, keys)),
        ]
    return "".join(f"{label:<12} {text}\n" for label, text in rows)


def _checkpoints_in_words(report: Report, notes: Sequence[Note]) -> str:
    given = f", and {len(notes)} given" if notes else ""
    if not report.checkpoints and not notes:
        return "none: a file that was cut and rewritten as a whole would not be noticed"
    rest = report.records - report.signed_records
    return f"{report.checkpoints:,} in the file{given}, covering all records but the last {rest:,}"


def _signatures_in_words(report: Report, keys: Sequence[Key]) -> str:
    match report.signatures:
        case "checked":
            return f"checked: all by {', '.join(sorted({_shown(key.name) for key in keys}))}"
        case "not checked":
            return "NOT CHECKED: no key was given. Name the signer's public key with --key"
        case "none":
            return "none: nothing in this file is signed"


def _write(stream: TextIO | None, text: str) -> None:
    """Write what the terminal can show of the text; a reader that has gone changes nothing about the verdict."""
    if stream is None:
        return
    encoding = stream.encoding or "utf-8"
    try:
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()
    except BrokenPipeError:
        # Or the interpreter would try again while it ends, and complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


if __name__ == "__main__":
    sys.exit(main())
