"""`import FILE` of a session that was exported as one document: SessionExport JSON, or text in cipher."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thoughtbox.doors.cli.output import Output, UsageError
from thoughtbox.doors.cli.sessions import CLI, row_of
from thoughtbox.errors import ImportRefused

if TYPE_CHECKING:
    from thoughtbox.app import Thoughtbox
    from thoughtbox.domains.thoughts.files.transfer import ImportOutcome
    from thoughtbox.operations.tx import Tx

LARGEST = 256 << 20
"""Bytes of a document."""

_FORMS = {".json": "json", ".cipher": "cipher", ".txt": "cipher"}
_LEDGER = b'{"format":"thoughtbox-export"'


def form_of(name: str) -> str | None:
    """Of which form the session is that a file holds; None when it holds none, but an export of the ledger."""
    form = _FORMS.get(Path(name).suffix.lower())
    if form != "json":
        return form
    try:
        with Path(name).open("rb") as file:
            return None if file.read(len(_LEDGER)) == _LEDGER else form
    except OSError as error:
        raise UsageError(f"{name} cannot be read: {error.strerror}") from None


def import_documents(box: Thoughtbox, names: Sequence[str], out: Output) -> list[dict[str, Any]]:
    """Take in every session, once all of them are known to be whole."""
    takers = [_read(name) for name in names]
    rows: list[dict[str, Any]] = []
    with out.bar("Importing sessions") as bar:
        for done, take in enumerate(takers, 1):
            taken = box.dispatcher.do(box.settings.project, CLI, take, what="import").result()
            rows.append(row_of(taken, box.settings.project))
            bar(done, len(takers))
    return rows


def _read(name: str) -> Callable[[Tx], ImportOutcome]:
    """What takes the session of a file in; raises `ImportRefused` when it is not whole."""
    from thoughtbox.domains.thoughts.files.cipher_reading import read_cipher
    from thoughtbox.domains.thoughts.files.session_export import read_export
    from thoughtbox.domains.thoughts.files.transfer import take_cipher, take_session

    data = _bytes(name)
    try:
        if form_of(name) == "json":
            session = read_export(data.removeprefix(b"\xef\xbb\xbf"))
            return lambda tx: take_session(tx, session)
        text = read_cipher(data.decode("utf-8"))
        return lambda tx: take_cipher(tx, text)
    except UnicodeDecodeError:
        raise ImportRefused(f"{name} is not text in UTF-8; nothing was imported", details={"file": name}) from None
    except ImportRefused as refused:
        details = {**refused.details, "file": name}
        raise ImportRefused(
            f"{name}: {refused.message}", recovery="Put it right; nothing was imported.", details=details
        ) from None


def _bytes(name: str) -> bytes:
    try:
        with Path(name).open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise UsageError(f"{name} cannot be read: {error.strerror}") from None
    if len(data) > LARGEST:
        raise ImportRefused(f"{name} is bigger than {LARGEST >> 20} MB; nothing was imported", details={"file": name})
    return data
