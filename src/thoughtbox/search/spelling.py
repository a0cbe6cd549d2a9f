"""How far two words are from being the same: for what was misspelt."""

from __future__ import annotations


def distance(one: str, other: str, farthest: int) -> int:
    """How many letters must be put in, left out, replaced or exchanged with their neighbours; one more than `farthest`
    when it is more than that."""
    if abs(len(one) - len(other)) > farthest:
        return farthest + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, start=1):
        before, above, row = row, before, [i]
        for j, facing in enumerate(other, start=1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != facing))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == facing:
                cost = min(cost, above[j - 2] + 1)
            row.append(cost)
        if min(row) > farthest:
            return farthest + 1
    return min(row[-1], farthest + 1)
