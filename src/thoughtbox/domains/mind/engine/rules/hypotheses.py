"""BM4: a hypothesis wants a test, and the test a result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from thoughtbox.domains.mind.engine.argument import Argument
from thoughtbox.domains.mind.engine.calls import write_card
from thoughtbox.domains.mind.engine.findings import Finding, action, signal
from thoughtbox.domains.mind.engine.reading import is_active, label, named
from thoughtbox.domains.mind.slice import Card, Place

MOST = 12


def untested_hypotheses(argument: Argument, place: Place) -> Iterator[Finding]:
    active = [card for card in argument.of_type("hypothesis") if is_active(card)]
    for card in active[:MOST]:
        values = {"card": named(card), "id": card.id, "label": label(card) or card.id}
        tests = _of_type("test", argument.supporters(card))
        if not tests:
            yield signal("BM4_HYPOTHESIS_NO_TEST", [card], values)
            stub = write_card("test_stub", values, place, supports=[card.id])
            yield action("add_test_stub", "high", [card], [stub], values)
        elif not any(_of_type("evidence", argument.supporters(one)) for one in (card, *tests)):
            yield signal("BM4_HYPOTHESIS_NO_EVIDENCE", (card, *tests), {**values, "test": named(tests[0])})


def _of_type(kind: str, cards: Sequence[Card]) -> list[Card]:
    return [card for card in cards if card.type == kind]
