"""When two sentences contradict each other."""

from __future__ import annotations

import pytest

from thoughtbox.domains.memory.episodes.opposites import MOST_OPPOSITES, Opposites, are_opposite, meaning


@pytest.mark.parametrize(
    ("one", "other", "are"),
    [
        ("Always use tabs.", "Never use tabs.", True),
        ("Always deploy.", "Never deploy.", True),
        ("Deploys must happen on Friday.", "Deploys must not happen on Fridays.", True),
        ("The cache is enabled.", "The cache isn't enabled.", True),
        ("You should use tabs.", "Don't use tabs for indentation.", True),
        ("The port is 8080.", "The port is 9090.", True),
        ("The timeout is 30 s.", "The timeout is now 60 s.", True),
        ("The port is 8080.", "The port is 8080!", False),
        ("Always use tabs.", "Always use tabs.", False),
        ("Always use tabs.", "Never use spaces.", False),
        ("Always check module 17.", "Never check module 18.", False),
        ("Always edit a.py.", "Never edit b.py.", False),
        ("Always check alpha before release.", "Never check beta before release.", False),
        ("Always test.", "Never push secrets to the test server.", False),
        ("Never deploy without tests.", "Always deploy without tests.", True),
    ],
)
def test_one_must_deny_what_the_other_says_and_nothing_else(one, other, are):
    assert are_opposite(meaning(one), meaning(other)) is are
    assert are_opposite(meaning(other), meaning(one)) is are


def test_what_is_looked_up_is_what_a_comparison_of_all_would_find():
    sentences = [
        f"{word} {verb} {what}{more}."
        for word in ("Always", "Never")
        for verb in ("use", "check")
        for what in ("tabs", "the cache 17", "a.py")
        for more in ("", " first", " in every new project", " in every new project of the team")
    ]
    found: Opposites[str] = Opposites()
    for number, sentence in enumerate(sentences):
        earlier = [other for other in sentences[:number] if are_opposite(meaning(sentence), meaning(other))]
        assert found.enter("scene", sentence, sentence) == earlier
        assert found.enter("other", f"Alpha {number} beta.", sentence) == []


def test_a_sentence_is_set_against_so_many_others_and_no_more():
    found: Opposites[int] = Opposites()
    for number in range(50):
        found.enter("scene", f"The port is {number}.", number)
    assert found.enter("scene", "The port is 99.", 99) == list(range(MOST_OPPOSITES))
