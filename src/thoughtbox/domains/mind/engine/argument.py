"""A slice as an argument: which cards stand in it, and what speaks for and against each of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from thoughtbox.domains.mind.engine.reading import PUBLISHED, is_open, is_pinned, newest_first
from thoughtbox.domains.mind.slice import Card, Link, TraceEntry

RELATIONS = ("supports", "blocks")


@dataclass(frozen=True)
class Argument:
    """Cards by id with the links between them; the rules look at the subjects, and see the whole."""

    subjects: tuple[Card, ...]
    """Newest first."""
    published: frozenset[str]
    """The ids of cards whose published copy is in the slice."""
    trace: tuple[TraceEntry, ...]
    """Oldest first."""
    reference_ts: int
    """The latest time in the slice: what the engine takes for now."""
    incoming: Mapping[tuple[str, str], tuple[Card, ...]]
    """By id and relation, the cards from which such a link comes; newest first."""
    outgoing: Mapping[tuple[str, str], tuple[Card, ...]]
    """The same for where links lead to."""
    cards: tuple[Card, ...]

    def supporters(self, card: Card) -> tuple[Card, ...]:
        return self.incoming.get((card.id, "supports"), ())

    def blockers(self, card: Card) -> tuple[Card, ...]:
        return self.incoming.get((card.id, "blocks"), ())

    def supported_by(self, card: Card) -> tuple[Card, ...]:
        return self.outgoing.get((card.id, "supports"), ())

    def touched_by(self, card: Card) -> tuple[Card, ...]:
        """What the card supports or blocks."""
        return self.supported_by(card) + self.outgoing.get((card.id, "blocks"), ())

    def of_type(self, *types: str) -> list[Card]:
        return [card for card in self.subjects if card.type in types]

    def standing(self, kind: str, title: str) -> Card | None:
        """The open card that says this already."""
        alike = (card for card in self.cards if card.type == kind and card.title == title and is_open(card))
        return next(alike, None)

    def about(self, tag: str) -> Argument:
        """The same argument, with only the cards of that tag as subjects."""
        return replace(self, subjects=tuple(card for card in self.subjects if tag in card.tags))


def argument_of(cards: Sequence[Card], links: Iterable[Link], trace: Sequence[TraceEntry]) -> Argument:
    """A card and its published copy are one: its links are those of both, and it is pinned if either is.

    Links from a card to itself, as from a copy to its source, say nothing and are left out.
    """
    given = {card.id: card for card in sorted(cards, key=lambda card: card.last_seq)}
    copies = {f"{PUBLISHED}{source}": source for source in given if f"{PUBLISHED}{source}" in given}
    standing = {
        card.id: _pinned(card) if _copy_is_pinned(card, given) else card
        for card in given.values()
        if card.id not in copies
    }
    unseen = {copy.removeprefix(PUBLISHED): copy for copy in standing if copy.startswith(PUBLISHED)}
    stands_for = {**unseen, **copies}
    ends = {
        (stands_for.get(link.source, link.source), link.rel, stands_for.get(link.target, link.target))
        for link in links
        if link.rel in RELATIONS
    }
    kept = [end for end in ends if end[0] != end[2] and end[0] in standing and end[2] in standing]
    ordered = tuple(newest_first(standing.values()))
    return Argument(
        subjects=ordered,
        published=frozenset(copies.values()),
        trace=tuple(sorted(trace, key=lambda entry: entry.seq)),
        reference_ts=max((*(card.last_ts_ms for card in cards), *(entry.ts_ms for entry in trace)), default=0),
        incoming=_grouped(((target, rel), standing[source]) for source, rel, target in kept),
        outgoing=_grouped(((source, rel), standing[target]) for source, rel, target in kept),
        cards=ordered,
    )


def _copy_is_pinned(card: Card, given: Mapping[str, Card]) -> bool:
    copy = given.get(f"{PUBLISHED}{card.id}")
    return copy is not None and is_pinned(copy) and not is_pinned(card)


def _pinned(card: Card) -> Card:
    return card._replace(tags=(*card.tags, "pinned"))


def _grouped(ends: Iterable[tuple[tuple[str, str], Card]]) -> dict[tuple[str, str], tuple[Card, ...]]:
    groups: dict[tuple[str, str], list[Card]] = {}
    for key, card in ends:
        groups.setdefault(key, []).append(card)
    return {key: tuple(newest_first(cards)) for key, cards in groups.items()}
