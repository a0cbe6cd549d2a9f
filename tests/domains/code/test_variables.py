"""Values that a session keeps from one snippet to the next."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.box import Box
from tests.support.boxes import box, open_box
from thoughtbox.errors import InvalidPayload

__all__ = ["box", "open_box"]


@pytest.mark.parametrize("value", [0, "", None, False, [1, {"a": None}], {"deep": {"er": [1.5]}}, "ü🦔"])
def test_any_json_is_kept_and_comes_back(box: Box, value: Any):
    box.call("vars.set", {"name": "v", "value": value, "session": "s1"})

    assert box.call("vars.get", {"name": "v", "session": "s1"}) == {"name": "v", "value": value, "found": True}


def test_what_was_never_set_is_not_found(box: Box):
    assert box.call("vars.get", {"name": "v", "session": "s1"}) == {"name": "v", "value": None, "found": False}


def test_a_session_does_not_see_the_values_of_another(box: Box):
    box.call("vars.set", {"name": "v", "value": 1, "session": "s1"})

    assert box.call("vars.list", {"session": "s2"}) == {"vars": []}


def test_values_are_listed_by_name_and_can_be_forgotten(box: Box):
    for name in ("b", "a", "c"):
        box.call("vars.set", {"name": name, "value": name, "session": "s1"})

    assert box.call("vars.delete", {"name": "b", "session": "s1"}) == {"name": "b", "deleted": True}
    assert box.call("vars.delete", {"name": "b", "session": "s1"}) == {"name": "b", "deleted": False}
    assert box.call("vars.list", {"session": "s1"}) == {"vars": ["a", "c"]}


def test_the_value_of_an_earlier_moment_can_still_be_read(box: Box):
    box.call("vars.set", {"name": "v", "value": "old", "session": "s1"})
    box.call("vars.set", {"name": "v", "value": "new", "session": "s1"})

    assert box.call("vars.get", {"name": "v", "session": "s1"}, as_of=1)["value"] == "old"


def test_a_value_that_is_too_long_is_refused(box: Box):
    with pytest.raises(InvalidPayload) as refused:
        box.call("vars.set", {"name": "v", "value": "x" * 20_000, "session": "s1"})

    assert "16384" in refused.value.message
    assert box.ledger_status()["records"] == 0


def test_a_session_keeps_a_hundred_values_and_no_more(box: Box):
    calls = [
        {"operation": "vars.set", "arguments": {"name": f"v{number}", "value": number, "session": "s1"}}
        for number in range(100)
    ]
    box.call("batch", {"calls": calls})

    with pytest.raises(InvalidPayload):
        box.call("vars.set", {"name": "one more", "value": 1, "session": "s1"})

    box.call("vars.set", {"name": "v7", "value": "again", "session": "s1"})
    assert len(box.call("vars.list", {"session": "s1"})["vars"]) == 100


def test_the_values_of_a_session_have_a_length_together(box: Box):
    calls = [
        {"operation": "vars.set", "arguments": {"name": f"v{number}", "value": "x" * 16_000, "session": "s1"}}
        for number in range(16)
    ]
    box.call("batch", {"calls": calls})

    with pytest.raises(InvalidPayload) as refused:
        box.call("vars.set", {"name": "one more", "value": "x" * 16_000, "session": "s1"})

    assert "together" in refused.value.message
