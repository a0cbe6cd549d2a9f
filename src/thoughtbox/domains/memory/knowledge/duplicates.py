"""Whether an experience is known already: exactly, found by its fingerprint, or nearly, among those that are alike."""

from __future__ import annotations

from typing import NamedTuple

from thoughtbox.domains.memory.knowledge.experience import Entry, scopes_in_sight
from thoughtbox.domains.memory.knowledge.likeness import THRESHOLD, Bigrams, fingerprint, lengths_alike, normalized
from thoughtbox.domains.memory.view.experiences import Experiences
from thoughtbox.operations import Tx

MOST_COMPARED = 32
"""Experiences that are compared with a new one, letter by letter."""


class Duplicate(NamedTuple):
    """An experience that says the same, or nearly."""

    id: int
    similarity: float


def duplicate_of(tx: Tx, entry: Entry) -> Duplicate | None:
    """The best match for an entry among experiences of its type and domain in its sight; none of its own line."""
    experiences = tx.ask(Experiences)
    scopes = scopes_in_sight(entry.scope)
    text = normalized(entry.texts)
    exact = experiences.saying(fingerprint(entry.type, entry.domain, text), scopes, outside=entry.original_id)
    if exact is not None:
        return Duplicate(exact, 1.0)
    alike = tx.call("experiences_alike", {"text": text, "type": entry.type, "domain": entry.domain})["records"]
    rows = {row[0]: row for row in experiences.texts_of(alike, lengths_alike(len(text)), scopes)}
    own = Bigrams(text)
    best: Duplicate | None = None
    for seq in [seq for seq in alike if seq in rows][:MOST_COMPARED]:
        _, id, line, *texts = rows[seq]
        if line == entry.original_id:
            continue
        similarity = own.likeness(Bigrams(normalized(texts)))
        if similarity >= THRESHOLD and (best is None or (similarity, -id) > (best.similarity, -best.id)):
            best = Duplicate(id, similarity)
    return best
