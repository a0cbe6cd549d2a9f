"""BM10: everything speaks for it, since nobody has looked for what speaks against it."""

from __future__ import annotations

from collections.abc import Iterator

from thoughtbox.domains.mind.engine.argument import Argument
from thoughtbox.domains.mind.engine.calls import write_card
from thoughtbox.domains.mind.engine.findings import Finding, action, signal
from thoughtbox.domains.mind.engine.reading import is_active, label, named
from thoughtbox.domains.mind.slice import Place


def one_sided(argument: Argument, place: Place) -> Iterator[Finding]:
    """The most supported one. A card tagged `counter` needs no counter of its own: that would never end."""
    unopposed = [
        card
        for card in argument.of_type("hypothesis", "decision")
        if is_active(card) and "counter" not in card.tags and argument.supporters(card) and not argument.blockers(card)
    ]
    if not unopposed:
        return
    card = max(unopposed, key=lambda one: len(argument.supporters(one)))
    pro = argument.supporters(card)
    about = (card, *pro)
    values = {
        "kind": card.type.capitalize(),
        "card": named(card),
        "id": card.id,
        "label": label(card) or card.id,
        "supports": len(pro),
    }
    yield signal("BM10_NO_COUNTER_EDGES", about, values)
    counter = write_card("counter_hypothesis", values, place, blocks=[card.id])
    yield action("add_counter_hypothesis", "medium", about, [counter], values)
