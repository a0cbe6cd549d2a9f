"""When two sentences are the same cell."""

from __future__ import annotations

from thoughtbox.domains.memory.episodes.cell import LONGEST_TITLE
from thoughtbox.domains.memory.hashing import digest

_ENDS = " .!?…;,"


def said(text: str) -> str:
    """What a sentence says, whatever its case, its spaces and its full stop."""
    return " ".join(text.split()).lower().rstrip(_ENDS)


def title_of(sentence: str) -> str:
    """How a sentence begins: what fits into a title."""
    flat = " ".join(sentence.split())
    return flat if len(flat) <= LONGEST_TITLE else flat[:LONGEST_TITLE].rstrip()


def canonical_key(scene_id: int, cell_type: str, text: str) -> str:
    """The name of a cell in all the world: its scene, its type, and what it says, all of it.

    The title alone would make one cell of two sentences that begin alike.
    """
    return digest({"scene_id": scene_id, "cell_type": cell_type, "title": said(text)})
