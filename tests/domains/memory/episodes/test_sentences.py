"""Where sentences end, and what they are."""

from __future__ import annotations

import pytest

from thoughtbox.domains.memory.episodes.sentences import kind_of, sentences


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Run it. Then stop! Really? Yes, do.", ["Run it.", "Then stop!", "Really?", "Yes, do."]),
        ("See a.py. It needs v1.2.3 or 3.5 s. Go on.", ["See a.py.", "It needs v1.2.3 or 3.5 s.", "Go on."]),
        ("Use e.g. tabs, i.e. no spaces. Dr. Smith agrees.", ["Use e.g. tabs, i.e. no spaces.", "Dr. Smith agrees."]),
        ("Tabs etc. are fine. Tabs etc. Spaces too.", ["Tabs etc. are fine.", "Tabs etc.", "Spaces too."]),
        ("Written by J. Smith. Read it.", ["Written by J. Smith.", "Read it."]),
        ("See no. 5 on the list. He said no. Then left.", ["See no. 5 on the list.", "He said no.", "Then left."]),
        ("Call `obj. method`. Then `a.b` again.", ["Call `obj. method`.", "Then `a.b` again."]),
        ('He said "stop." Then he left.', ['He said "stop."', "Then he left."]),
        ("Wait... what? See https://a.example/b?x=1 too.", ["Wait...", "what?", "See https://a.example/b?x=1 too."]),
        ("lower case. goes on", ["lower case.", "goes on"]),
        ("Rules:\n- always test\n- never push\n1. must lint", ["Rules:", "always test", "never push", "must lint"]),
        ("One line\nof a wrapped sentence.\n\nAnother one", ["One line of a wrapped sentence.", "Another one"]),
        ("Ok. No. Yes!", []),
        ("", []),
        ("…!?.", []),
    ],
)  # fmt: skip
def test_a_sentence_ends_where_a_reader_would_end_it(text, found):
    assert sentences(text) == found


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("Always run the tests.", "rule"),
        ("Deploys must not happen on Fridays.", "rule"),
        ("You shouldn't edit generated files.", "rule"),
        ("The mustache template is new.", "fact"),
        ("Should we always run them?", None),
        ("It should work now.", None),
        ("It must have been the cache.", None),
        ("Never mind the noise.", None),
        ("I should look at the logs.", None),
        ("The cache is warm.", "fact"),
        ("Tests are in the folder tests.", "fact"),
        ("`make` is the way in.", "fact"),
        ("It is raining.", None),
        ("There is a bug.", None),
        ("We looked at the logs.", None),
        ("I prefer tabs.", None),
        ("The cache is " + "very " * 50 + "warm.", None),
    ],
)
def test_an_agents_sentence_is_a_rule_a_fact_or_nothing(sentence, kind):
    assert kind_of(sentence, source="agent", keys=()) == kind


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("I prefer tabs.", "preference"),
        ("I really want short answers.", "preference"),
        ("I'd like a summary first.", "preference"),
        ("I never use emojis.", "preference"),
        ("I need it by Friday.", "preference"),
        ("Always ask before you push.", "rule"),
        ("Do you prefer tabs?", None),
    ],
)
def test_a_users_wish_is_a_preference(sentence, kind):
    assert kind_of(sentence, source="user", keys=()) == kind


@pytest.mark.parametrize("key", ["policy", "behavioral_violation", "governance", "team-policy"])
def test_what_is_said_about_policy_is_policy_unless_an_agent_says_so(key):
    sentence = "Releases must have two reviewers."
    assert kind_of(sentence, source="user", keys=(key,)) == "policy"
    assert kind_of(sentence, source="system", keys=("cycle", key)) == "policy"
    assert kind_of(sentence, source="agent", keys=(key,)) == "rule"
    assert kind_of("Draft before router.", source="agent", keys=(key,)) is None
