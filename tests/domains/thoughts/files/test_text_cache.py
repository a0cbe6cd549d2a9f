"""Texts that are given out in pieces: kept within a bound, the oldest given up first."""

from __future__ import annotations

from thoughtbox.domains.thoughts.files.text_cache import TextCache


def test_a_text_is_there_until_others_need_its_room():
    kept = TextCache(most=10)
    assert kept.make("a", ["12", "34"]) == "1234"
    kept.make("b", ["5678"])
    assert kept.get("a") == "1234"

    kept.make("c", ["90"])
    kept.make("d", ["xyz"])

    assert [kept.get(key) for key in "abcd"] == ["1234", None, "90", "xyz"]


def test_a_text_that_is_too_long_is_not_kept_and_not_made_to_its_end():
    read: list[int] = []

    def pieces():
        for number in range(100):
            read.append(number)
            yield "12345"

    kept = TextCache(most=12)
    assert kept.make("long", pieces()) is None
    assert (kept.get("long"), len(read)) == (None, 3)


def test_the_same_text_again_takes_its_room_once():
    kept = TextCache(most=10)
    for _ in range(5):
        kept.make("a", ["12345"])
    kept.make("b", ["12345"])
    assert (kept.get("a"), kept.get("b")) == ("12345", "12345")
