"""Finding experiences by their words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from thoughtbox.domains.memory.knowledge.experience import kind_mark, level_below, scope_mark
from thoughtbox.domains.memory.knowledge.models import SearchExperiences
from thoughtbox.domains.memory.view.experiences import Experiences, Outline
from thoughtbox.operations import Tx
from thoughtbox.search.query import any_of
from thoughtbox.search.texts import Best, Texts


class Found(NamedTuple):
    """A page of what was found, each with how well it fits."""

    page: list[tuple[Outline, float]]
    has_more: bool
    note: str | None


def found(tx: Tx, call: SearchExperiences) -> Found:
    best = tx.ask(Texts).best(any_of(call.query), marks=_marks(call), ended=call.include_superseded)
    wanted = call.offset + call.limit
    kept: list[tuple[Outline, float]] = []
    for hit in _kept(tx, call, best):
        kept.append(hit)
        if len(kept) > wanted:
            break
    page = kept[call.offset : wanted]
    return Found(page, len(kept) > wanted, best.note(found=bool(kept)))


def _marks(call: SearchExperiences) -> list[str]:
    marks = [kind_mark(type=call.type, domain=call.domain)]
    if call.scope == "global":
        marks.append(scope_mark("global"))
    if call.min_confidence is not None:
        marks.append(level_below(call.min_confidence))
    return marks


def _kept(tx: Tx, call: SearchExperiences, best: Best) -> Iterator[tuple[Outline, float]]:
    experiences = tx.ask(Experiences)
    for block in best.blocks():
        outlines = experiences.outlines([seq for seq, _ in block])
        for seq, rank in block:
            outline = outlines.get(seq)
            if outline is not None and _is_wanted(outline, call):
                yield outline, rank


def _is_wanted(outline: Outline, call: SearchExperiences) -> bool:
    if outline.archived_at is not None and not call.include_superseded:
        return False
    least = call.min_confidence
    return least is None or (outline.confidence is not None and outline.confidence >= least)
