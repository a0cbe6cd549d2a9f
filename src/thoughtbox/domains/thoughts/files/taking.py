"""A session taken in from one text: SessionExport JSON, or cipher."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from thoughtbox.domains.thoughts.files.cipher_reading import CipherText, read_cipher
from thoughtbox.domains.thoughts.files.imported import ImportedSession
from thoughtbox.domains.thoughts.files.session_export import read_export
from thoughtbox.domains.thoughts.files.transfer import ImportOutcome, take_cipher, take_session
from thoughtbox.errors import ImportRefused, InvalidPayload
from thoughtbox.operations import Tx

MOST_THOUGHTS = 5_000
"""Of one call, which is one transaction; the command line takes more."""

_Found = TypeVar("_Found", ImportedSession, CipherText)


def take_content(tx: Tx, form: str, content: str, title: str | None) -> ImportOutcome:
    """Take in what a call brings; `title` is for a session that is new here."""
    if form == "cipher":
        return take_cipher(tx, _read(read_cipher, content), title)
    found = _read(read_export, content.removeprefix("\ufeff"))
    if title is not None:
        found = replace(found, session=replace(found.session, title=title))
    return take_session(tx, found)


def _read(read: Callable[[str], _Found], content: str) -> _Found:
    """What the content says; what cannot be taken in is the caller's fault."""
    try:
        found = read(content)
    except ImportRefused as refused:
        details = {**refused.details, "fields": ["content"]}
        raise InvalidPayload(refused.message, recovery=refused.recovery, details=details) from None
    if len(found.thoughts) > MOST_THOUGHTS:
        raise InvalidPayload(
            f"there are {len(found.thoughts):,} thoughts in it; {MOST_THOUGHTS:,} are the most in one call",
            recovery="Write it to a file, and take it in on the command line: thoughtbox import FILE.",
            details={"thoughts": len(found.thoughts), "fields": ["content"]},
        )
    return found
