"""BM1: something open is both supported and blocked."""

from __future__ import annotations

from collections.abc import Iterator

from thoughtbox.domains.mind.engine.argument import Argument
from thoughtbox.domains.mind.engine.calls import ask, playbook
from thoughtbox.domains.mind.engine.findings import Finding, action, signal
from thoughtbox.domains.mind.engine.reading import is_open, named
from thoughtbox.domains.mind.slice import Place

MOST = 10


def contradictions(argument: Argument, place: Place) -> Iterator[Finding]:
    disputed = [
        card
        for card in argument.of_type("hypothesis", "test", "decision")
        if is_open(card) and argument.supporters(card) and argument.blockers(card)
    ]
    for card in disputed[:MOST]:
        pro, contra = argument.supporters(card), argument.blockers(card)
        about = (card, pro[0], contra[0])
        values = {
            "kind": card.type.capitalize(),
            "card": named(card),
            "supports": len(pro),
            "blocks": len(contra),
            "pro": named(pro[0]),
            "contra": named(contra[0]),
        }
        yield signal("BM1_CONTRADICTION_SUPPORTS_BLOCKS", about, values)
        calls = (playbook("contradiction", place), ask("contradiction", values, argument, place))
        yield action("resolve_contradiction", "high", about, calls, values)
