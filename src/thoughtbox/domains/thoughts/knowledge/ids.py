"""Ids of patterns and notes: made from their titles, in any script, and never two for one."""

from __future__ import annotations

import unicodedata
from hashlib import sha256
from itertools import count

from thoughtbox.domains.thoughts.knowledge.entries import NOTES, PATTERNS, Topic, last_record
from thoughtbox.domains.thoughts.knowledge.view import Knowledge
from thoughtbox.operations import Tx

LONGEST_SLUG = 60
UNTITLED = "untitled"


def slug(title: str) -> str:
    """The letters and digits of a title: `Look at the plan!` is `look-at-the-plan`, `Заметка один` `заметка-один`."""
    return _joined("".join(letter if _is_kept(letter) else " " for letter in folded(title).lower()))


def folded(title: str) -> str:
    """A title without what makes no other of it: case, and how wide its blanks are."""
    return " ".join(unicodedata.normalize("NFC", title).casefold().split())


def note_id(tx: Tx, title: str) -> str:
    """The id of the note of this title, or the one that it gets: its slug, or more where another title has that."""
    plain, before_scripts = slug(title), _ascii_slug(title)
    if before_scripts != plain and _title(tx, NOTES, before_scripts) == folded(title):
        return before_scripts
    digest = sha256(folded(title).encode()).hexdigest()
    for id in (plain, f"{plain}-{digest[:6]}", f"{plain}-{digest[:32]}"):
        if _title(tx, NOTES, id) in (None, folded(title)):
            return id
    raise AssertionError("two titles of one digest")


def new_pattern_id(tx: Tx, title: str) -> str:
    """An id for a new pattern: its slug, or with a number behind it when that is taken, or was another title's."""
    view, plain = tx.ask(Knowledge), slug(title)
    for number in count(1):
        id = plain if number == 1 else f"{plain}-{number}"
        if view.entry("pattern", id) is None and _title(tx, PATTERNS, id) in (None, folded(title)):
            return id
    raise AssertionError("there is no end to numbers")


def _title(tx: Tx, what: Topic, id: str) -> str | None:
    """The title that an id has, or had last before it was deleted; None when it was never used."""
    record = last_record(tx, what, id)
    return folded(record.data["title"]) if record is not None else None


def _is_kept(letter: str) -> bool:
    return unicodedata.category(letter)[0] in "LMN"


def _ascii_slug(title: str) -> str:
    """What earlier releases made of a title."""
    return _joined("".join(letter if letter.isascii() and letter.isalnum() else " " for letter in title.lower()))


def _joined(words: str) -> str:
    return "-".join(words.split())[:LONGEST_SLUG].strip("-") or UNTITLED
