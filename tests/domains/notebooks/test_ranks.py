"""Places between places: there is always another, and appending keeps them short."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from thoughtbox.domains.notebooks import ranks


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=200))
def test_cells_that_are_put_anywhere_stay_in_their_order(places: list[int]):
    held: list[str] = []
    for wanted in places:
        at = wanted % (len(held) + 1)
        before, after = held[at - 1] if at else "", held[at] if at < len(held) else ""
        held.insert(at, ranks.between(before, after))

    assert held == sorted(held)
    assert len(set(held)) == len(held)


@given(st.integers(1, 3_000))
def test_cells_that_are_added_at_the_end_have_short_places(count: int):
    held = [ranks.between("", "")]
    for _ in range(count):
        held.append(ranks.appended(held[-1]))

    assert held == sorted(set(held))
    assert len(held[-1]) <= 2 + count // 25
