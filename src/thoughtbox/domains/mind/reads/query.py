"""Cards by what they are: the narrowest way in is walked, and what does not fit is passed over."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from thoughtbox.domains.mind.arguments import listed
from thoughtbox.domains.mind.cards.card import TYPES, CardRefused, known_type
from thoughtbox.domains.mind.cards.stamping import is_visible
from thoughtbox.domains.mind.facets import UNMARKED, of_state, of_tag, of_type
from thoughtbox.domains.mind.reads.lens import Lens
from thoughtbox.domains.mind.reads.models import QueryCards
from thoughtbox.domains.mind.refusals import invalid
from thoughtbox.domains.mind.selection import is_card
from thoughtbox.domains.mind.view.graph import Node

MOST_LOOKED_AT = 5_000
"""Cards that one call looks at; the next one goes on behind them."""
MOST_WAYS = 100
"""Ways in that one question takes at once."""


class Query(NamedTuple):
    """What is asked of a card."""

    ids: list[str]
    types: list[str]
    statuses: list[str]
    tags_any: list[str]
    tags_all: list[str]
    text: str | None

    def fits(self, node: Node) -> bool:
        return (
            is_card(node)
            and (not self.types or node.type in self.types)
            and (not self.statuses or node.status in self.statuses)
            and (not self.tags_any or not set(self.tags_any).isdisjoint(node.tags))
            and set(self.tags_all).issubset(node.tags)
            and (self.text is None or self.text in f"{node.title or ''}\n{node.text or ''}".casefold())
        )


class Found(NamedTuple):
    """Cards, the newest first."""

    nodes: list[Node]
    next_cursor: int | None
    """Behind which to go on, when there may be more."""
    is_paused: bool
    """Whether it ended because enough was looked at, and not because enough was found."""
    hidden: int
    """Cards that were asked for by id, and are drafts."""


def query_of(call: QueryCards, lens: Lens) -> Query:
    tags_all = [*_tags(call.tags_all), *([lens.step_tag] if lens.step_tag is not None else [])]
    return Query(
        ids=listed(call.ids),
        types=[_type(type) for type in listed(call.types)],
        statuses=listed(call.status),
        tags_any=_tags(call.tags_any),
        tags_all=tags_all,
        text=call.text.casefold() if call.text else None,
    )


def _type(given: str) -> str:
    try:
        return known_type(given)
    except CardRefused as refused:
        raise invalid(refused.message, recovery=refused.recovery, field="types") from None


def _tags(value: str | list[str] | None) -> list[str]:
    return [tag.lower() for tag in listed(value)]


def found(lens: Lens, query: Query, *, before: int | None, limit: int) -> Found:
    """The newest cards that fit, behind a number if one is given."""
    if query.ids:
        return _by_id(lens, query, before, limit)
    drafts = lens.drafts or lens.step is not None
    walk = lens.graph.walk(*_way_in(query), drafts=drafts, before=before, chunk=limit + 1)
    looked_at: list[Node] = []
    fitting = list(islice(_fitting(islice(walk, MOST_LOOKED_AT), query.fits, looked_at), limit + 1))
    nodes = fitting[:limit]
    if len(fitting) > limit:
        return Found(nodes, nodes[-1].last_seq if nodes else before, False, 0)
    is_paused = len(looked_at) == MOST_LOOKED_AT
    return Found(nodes, looked_at[-1].last_seq if is_paused else None, is_paused, 0)


def _fitting(nodes: Iterable[Node], fits: Callable[[Node], bool], looked_at: list[Node]) -> Iterator[Node]:
    for node in nodes:
        looked_at.append(node)
        if fits(node):
            yield node


def _by_id(lens: Lens, query: Query, before: int | None, limit: int) -> Found:
    known = lens.graph.nodes(query.ids).values()
    fitting = sorted(filter(query.fits, known), key=lambda node: node.last_seq, reverse=True)
    visible = [node for node in fitting if is_visible(node.tags, include_drafts=lens.drafts, step_tag=lens.step_tag)]
    behind = [node for node in visible if before is None or node.last_seq < before]
    nodes = behind[:limit]
    more = nodes[-1].last_seq if nodes and len(behind) > limit else None
    return Found(nodes, more, False, len(fitting) - len(visible))


def _way_in(query: Query) -> Sequence[str]:
    """What the fewest cards are likely to be found by: a tag, or a type with a status."""
    for tag in query.tags_all:
        if tag not in UNMARKED:
            return [of_tag(tag)]
    if query.tags_any and UNMARKED.isdisjoint(query.tags_any):
        return [of_tag(tag) for tag in query.tags_any]
    types = [type for type in TYPES if not query.types or type in query.types]
    if query.statuses and len(types) * len(query.statuses) <= MOST_WAYS:
        return [of_state(type, status) for type in types for status in query.statuses]
    return [of_type(type) for type in types]
