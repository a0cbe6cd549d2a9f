"""`export` and `import`: a workspace as JSON Lines, and back. Sessions have modules of their own."""

from __future__ import annotations

import gzip
import os
import stat
import sys
import zlib
from argparse import Namespace
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, BinaryIO

import orjson

from thoughtbox.doors.cli import documents, experiences, sessions
from thoughtbox.doors.cli.files import written
from thoughtbox.doors.cli.notes import stranger_in_words
from thoughtbox.doors.cli.output import DOUBTFUL, Output, Styled, UsageError, count, write_json
from thoughtbox.doors.cli.progress import Bar
from thoughtbox.doors.cli.store import COPIED, opened, opened_to_read, settings_of
from thoughtbox.doors.terminal import printable_json
from thoughtbox.engine.protocol import Sql
from thoughtbox.errors import ImportRefused, RecordNotFound
from thoughtbox.ledger.export import export_lines
from thoughtbox.ledger.importing import Imported, import_files
from thoughtbox.ledger.keyring import Keyring
from thoughtbox.ledger.ledger import workspaces
from thoughtbox.ledger.signing import Signer
from thoughtbox.ledger.verdict import Signatory
from thoughtbox.operations.table import TABLE
from thoughtbox.settings import Settings

if TYPE_CHECKING:
    from thoughtbox.app import Thoughtbox

STDIO = "-"
LONGEST_LINE = 1 << 28
"""Bytes. No record comes near it; a file without line ends must not fill the memory."""

_SOME = 256
"""Lines that are written, or counted, together."""
_BUFFER = 1 << 20
_GZIP = b"\x1f\x8b"


class _FileFailed(Exception):
    """Not the store but the file on the other side cannot be read or written."""

    def __init__(self, error: OSError) -> None:
        super().__init__(str(error))
        self.error = error


def export(args: Namespace) -> int:
    if args.layout != "ledger":
        return sessions.export_sessions(args)
    if args.sessions or args.partition:
        raise UsageError("--session and --partition go with --layout files, json, markdown or cipher")
    settings = settings_of(args)
    out = Output(args)
    workspace = settings.project
    with opened_to_read(settings) as (box, is_copy):
        known = box.engine.read(workspaces).result()
        if workspace not in known:
            raise RecordNotFound(
                f"there is no workspace `{workspace}` to export",
                recovery=f"The store has {', '.join(known)}." if known else "The store is empty.",
            )
        compressed = args.gzip or args.output.endswith(".gz")
        with _target(args.output, compressed=compressed) as target, out.bar(f"Exporting {workspace}") as bar:
            try:
                trailer = box.engine.read(lambda sql: _write(sql, workspace, target, bar)).result()
            except _FileFailed as failure:
                raise failure.error from None
    summary = {"workspace": workspace, **{name: trailer[name] for name in ("records", "streams", "root")}}
    if out.as_json:
        write_json(sys.stderr if args.output == STDIO else sys.stdout, {**summary, "file": args.output})
        return 0
    where = "" if args.output == STDIO else f" to {args.output}"
    if is_copy:
        out.note(COPIED)
    what = f"{count(trailer['records'], 'record')} in {count(trailer['streams'], 'stream')}"
    out.note(f"{what} of {workspace} exported{where}, root {trailer['root']}.")
    return 0


@contextmanager
def _target(name: str, *, compressed: bool) -> Generator[BinaryIO | gzip.GzipFile | _Shown]:
    if name == STDIO and sys.stdout.isatty():
        if compressed:
            raise UsageError("a compressed export is not for a terminal: name a file with --output")
        yield _Shown()
        return
    with ExitStack() as stack:
        file: BinaryIO = sys.stdout.buffer if name == STDIO else stack.enter_context(written(Path(name)))
        if compressed:
            # Without a name and a time inside, so that the same records make the same file.
            yield stack.enter_context(gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0))
        else:
            yield file
    if name == STDIO:
        sys.stdout.buffer.flush()


class _Shown:
    """A terminal in place of a file: the lines mean the same, but cannot drive it."""

    def write(self, lines: bytes) -> None:
        sys.stdout.write(printable_json(lines.decode()))


def _write(sql: Sql, workspace: str, target: BinaryIO | gzip.GzipFile | _Shown, bar: Bar) -> dict[str, Any]:
    """Write all lines; what the last one says."""
    last = b""
    lines = export_lines(sql, workspace, bar)
    while some := list(islice(lines, _SOME)):
        last = some[-1]
        try:
            target.write(b"\n".join([*some, b""]))
        except OSError as error:
            raise _FileFailed(error) from error
    return orjson.loads(last)


def import_(args: Namespace) -> int:
    """All files together: when one is refused, nothing of any is taken in."""
    settings = settings_of(args)
    out = Output(args)
    if any(Path(name).is_dir() for name in args.files):
        return _import_directories(args, settings, out)
    if any(experiences.is_store(name) for name in args.files):
        return experiences.import_stores(args, settings, out)
    if any(documents.form_of(name) for name in args.files):
        return _import_documents(args, settings, out)
    with ExitStack() as stack:
        files = [(name, stack.enter_context(_source(name))) for name in args.files]
        box = stack.enter_context(opened(settings))
        found = _taken_in(box, files, out)
        signatories = [_signatories(one, box.keyring) for one in found]
    if out.as_json:
        out.json(
            {
                "imported": [
                    {
                        "file": name,
                        "workspace": one.workspace,
                        "records": one.records,
                        "added": one.added,
                        "signers": [signatory.as_json() for signatory in signed],
                    }
                    for name, one, signed in zip(args.files, found, signatories, strict=True)
                ]
            }
        )
        return 0
    out.table(
        ("file", "workspace", "records", "added"),
        [
            (name, one.workspace, f"{one.records:,}", f"{one.added:,}" if one.added else "none: all were here")
            for name, one in zip(args.files, found, strict=True)
        ],
    )
    for one, signed in zip(found, signatories, strict=True):
        _say_who_signed(out, one.workspace, signed)
    return 0


def import_export(box: Thoughtbox, name: str, out: Output) -> Imported:
    """Take one export into a store."""
    with _source(name) as file:
        return _taken_in(box, [(name, file)], out)[0]


def _taken_in(box: Thoughtbox, files: Sequence[tuple[str, BinaryIO]], out: Output) -> list[Imported]:
    with out.bar("Importing") as bar:
        incoming = _Incoming(files, bar)
        try:
            return import_files(box.engine, box.views, incoming.files, check=TABLE.check)
        except ImportRefused as error:
            raise _naming(incoming.name, error) from None
        except _FileFailed as failure:
            raise UsageError(f"{incoming.name} cannot be read: {failure.error.strerror or failure.error}") from None


def _signatories(imported: Imported, keyring: Keyring) -> list[Signatory]:
    trusted = {Signer.of(key) for key in keyring.verifiers}
    return [Signatory(by, number, by in trusted, key) for by, number, key in imported.signers]


def _say_who_signed(out: Output, workspace: str, signatories: Sequence[Signatory]) -> None:
    if not signatories:
        out.say(f"{workspace}: nobody has signed it.")
    for signatory in signatories:
        if signatory.trusted:
            what = count(signatory.checkpoints, "checkpoint")
            out.say(f"{workspace}: signed by {signatory.signer}, which is trusted here ({what}).")
            continue
        said, advice = stranger_in_words(signatory)
        out.say(Styled(f"{workspace}: {said}", DOUBTFUL))
        out.say(f"  {advice}")


def _import_directories(args: Namespace, settings: Settings, out: Output) -> int:
    if not all(Path(name).is_dir() for name in args.files):
        raise UsageError("directories and files cannot be imported together")
    with opened(settings) as box:
        rows = [
            row
            for name in args.files
            for row in sessions.import_directory(box, name, workspace=args.workspace, out=out)
        ]
    if out.as_json:
        out.json({"imported": rows})
    else:
        sessions.show_imported(out, rows)
    return 0


def _import_documents(args: Namespace, settings: Settings, out: Output) -> int:
    if not all(documents.form_of(name) for name in args.files):
        raise UsageError("exports of the ledger and of single sessions cannot be imported together")
    with opened(settings) as box:
        rows = documents.import_documents(box, args.files, out)
    if out.as_json:
        out.json({"imported": rows})
    else:
        sessions.show_imported(out, rows)
    return 0


@contextmanager
def _source(name: str) -> Generator[BinaryIO]:
    """A file to read from. What comes through a pipe is kept first: nobody shall wait because a pipe is slow."""
    try:
        with _opened(name) as file:
            if _size(file):
                yield file
                return
            with TemporaryFile() as kept:
                copyfileobj(file, kept)
                kept.seek(0)
                yield kept
    except OSError as error:
        raise UsageError(f"{name} cannot be read: {error.strerror}") from None


@contextmanager
def _opened(name: str) -> Generator[BinaryIO]:
    if name == STDIO:
        standard: BinaryIO = sys.stdin.buffer
        yield standard
        return
    with Path(name).open("rb", _BUFFER) as file:
        yield file


class _Incoming:
    """Files on their way in; each is read twice, to be verified and to be taken in."""

    def __init__(self, files: Sequence[tuple[str, BinaryIO]], bar: Bar) -> None:
        self.name = ""
        self.files = [partial(self._lines, name, file) for name, file in files]
        self._bar = bar
        sizes = [_size(file) for _, file in files]
        self._total = 2 * sum(sizes) if all(sizes) else 0
        self._done = 0

    def _lines(self, name: str, file: BinaryIO) -> Iterator[bytes]:
        self.name = name
        number = 0
        try:
            file.seek(0)
            opened = _unpacked(file)
            while line := opened.readline(LONGEST_LINE):
                number += 1
                if len(line) == LONGEST_LINE:
                    raise _refusal(number, "the line is too long to be a record")
                if number % _SOME == 0:
                    self._bar(self._done + (file.tell() if self._total else number), self._total)
                yield line
            self._done += _size(file)
        except EOFError:
            raise _refusal(number + 1, "the compressed file breaks off") from None
        except (gzip.BadGzipFile, zlib.error):
            raise _refusal(number + 1, "the file cannot be decompressed any further") from None
        except OSError as error:
            raise _FileFailed(error) from error


def _unpacked(file: BinaryIO) -> BinaryIO | gzip.GzipFile:
    # The first two bytes say it; a name can lie, and standard input has none.
    peek = getattr(file, "peek", None)
    packed = peek is not None and peek(2)[:2] == _GZIP
    return gzip.GzipFile(fileobj=file) if packed else file


def _size(file: BinaryIO) -> int:
    """How many bytes a file has; 0 for what has no known end."""
    try:
        known = os.fstat(file.fileno())
    except (OSError, ValueError):
        return 0
    return known.st_size if stat.S_ISREG(known.st_mode) else 0


def _refusal(line: int, why: str) -> ImportRefused:
    return ImportRefused(f"line {line}: {why}; nothing was imported", details={"line": line})


def _naming(name: str, error: ImportRefused) -> ImportRefused:
    return ImportRefused(f"{name}, {error.message}", recovery=error.recovery, details={**error.details, "file": name})
