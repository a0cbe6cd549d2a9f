"""The chain of invocations, by itself."""

from __future__ import annotations

from typing import Any, NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from thoughtbox.domains.memory.governance.chain import link, verified
from thoughtbox.domains.memory.hashing import digest

ACTION = "af062acbe3e64aa039672b0bc0197abeb443bf0cc9685e7d96ea67d18afdb7d7"
RESULT = "1aad36b0fb02621b951649811957ba7ad67d4838c2932d02088f7d6e8db74313"
FIRST = "f42a5f0b1d64de3291386d5119da0331827842792d49b965743d45008ce6f214"
AT = "2026-01-15T12:00:00.000Z"


class Row(NamedTuple):
    position: int
    tool_name: str
    input_hash: str
    output_hash: str
    ts: str
    prev_hash: str | None
    hash: str


def chain_of(tools: list[str]) -> list[Row]:
    rows: list[Row] = []
    before = None
    for number, tool in enumerate(tools, 1):
        hash = link(before, tool, ACTION, RESULT, AT)
        rows.append(Row(number, tool, ACTION, RESULT, AT, before, hash))
        before = hash
    return rows


def test_the_golden_vectors_hold():
    assert digest({"action": "test"}) == ACTION
    assert digest({"result": "ok"}) == RESULT
    assert link(None, "demo_tool", ACTION, RESULT, AT) == FIRST


def test_a_chain_holds_and_one_of_nothing_too():
    assert verified([]) == (True, [])
    assert verified(chain_of(["a", "b", "c"])) == (True, [])


tools = st.lists(st.text(min_size=1, max_size=5), min_size=1, max_size=6)


@given(tools, st.data())
def test_whatever_is_changed_in_a_chain_is_found(tools: list[str], data: st.DataObject):
    rows = chain_of(tools)
    place = data.draw(st.integers(0, len(rows) - 1))
    name = data.draw(st.sampled_from(["tool_name", "input_hash", "output_hash", "ts", "prev_hash", "hash"]))
    change: dict[str, Any] = {name: f"{getattr(rows[place], name)}x"}
    rows[place] = rows[place]._replace(**change)

    found = verified(rows)

    assert not found.valid
    assert found.errors


@given(tools.filter(lambda tools: len(tools) > 1), st.data())
def test_what_is_taken_out_or_moved_is_found(tools: list[str], data: st.DataObject):
    rows = chain_of(tools)
    place = data.draw(st.integers(0, len(rows) - 2))

    assert not verified(rows[:place] + rows[place + 1 :]).valid
    rows[place], rows[place + 1] = rows[place + 1], rows[place]
    assert not verified(rows).valid
