"""A workspace as a file, and back, on both engines."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.box import WORKSPACE, Box
from thoughtbox.errors import ImportRefused
from thoughtbox.ledger.export import export_lines
from thoughtbox.ledger.importing import Imported, import_lines
from thoughtbox.ledger.keeper import checkpoint


def export(box: Box) -> list[bytes]:
    return box.app.engine.read(lambda sql: list(export_lines(sql, WORKSPACE))).result()


def take_in(box: Box, lines: list[bytes]) -> Imported:
    return import_lines(box.app.engine, box.app.views, lines)


def fill(box: Box) -> None:
    plan = box.thought_plan(sessionId="s1", planDescription="Move the cache 🙂")["thought"]["thoughtId"]
    box.thought_decision(sessionId="s1", decision="Do it", actionId="deploy", parentId=plan)
    box.call("thought_plan", {"sessionId": "s2", "planDescription": "once"}, key="k1")
    checkpoint(box.app.engine, box.app.views, box.app.keyring, box.app.world, WORKSPACE)
    box.thought_reflection(sessionId="s2", reflection="after the checkpoint")


def test_a_round_trip_is_byte_identical_and_the_views_know_everything(open_box: Callable[..., Box]):
    box, other = open_box("one"), open_box("two")
    fill(box)
    lines = export(box)

    imported = take_in(other, lines)

    assert (imported.records, imported.added) == (7, 7)
    assert export(other) == lines
    assert other.thought_reasoning_trail(actionId="deploy") == box.thought_reasoning_trail(actionId="deploy")
    assert other.call("thought_plan", {"sessionId": "s2", "planDescription": "once"}, key="k1") == box.call(
        "thought_plan", {"sessionId": "s2", "planDescription": "once"}, key="k1"
    )


def test_the_same_file_again_adds_nothing_and_a_longer_one_adds_the_rest(open_box: Callable[..., Box]):
    box, other = open_box("one"), open_box("two")
    box.thought_plan(sessionId="s1", planDescription="p")
    take_in(other, export(box))
    box.thought_decision(sessionId="s1", decision="d")
    longer = export(box)

    assert take_in(other, longer).added == 1
    assert take_in(other, longer).added == 0
    assert export(other) == longer


def test_a_workspace_with_another_history_refuses_the_file_and_stays_as_it_is(open_box: Callable[..., Box]):
    box, other = open_box("one"), open_box("two")
    fill(box)
    other.thought_plan(sessionId="s1", planDescription="another history")
    before = export(other)

    with pytest.raises(ImportRefused, match="already has another th:1"):
        take_in(other, export(box))

    assert export(other) == before


def test_an_import_that_fails_at_its_last_line_leaves_nothing(open_box: Callable[..., Box]):
    box, other = open_box("one"), open_box("two")
    fill(box)
    lines = export(box)

    with pytest.raises(ImportRefused, match="trailer"):
        take_in(other, lines[:-1])

    assert other.ledger_status()["records"] == 0
    assert take_in(other, lines).added == 7


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_file_with_any_byte_changed_is_refused_or_means_the_same(box: Box, data: st.DataObject):
    if box.ledger_status()["records"] == 0:
        fill(box)
    lines = export(box)
    number = data.draw(st.integers(0, len(lines) - 1))
    at = data.draw(st.integers(0, len(lines[number]) - 1))
    flipped = bytearray(lines[number])
    flipped[at] ^= 1 << data.draw(st.integers(0, 7))
    changed = [*lines[:number], bytes(flipped), *lines[number + 1 :]]

    with suppress(ImportRefused):
        take_in(box, changed)

    assert export(box) == lines


def test_a_file_that_is_no_export_is_refused_with_its_line(box: Box):
    for lines in (
        [],
        [b""],
        [b"hello"],
        [b"[]"],
        [b'{"format":"other"}'],
        [b'{"format":"thoughtbox-export","version":9}'],
    ):
        with pytest.raises(ImportRefused, match="line "):
            take_in(box, lines)
