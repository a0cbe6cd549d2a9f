"""How the old tools read a problem."""

from __future__ import annotations

import pytest

from thoughtbox.domains.memory.legacy.words import key_concepts, shared_words, suggested_queries, user_intent


@pytest.mark.parametrize(
    ("problem", "goal"),
    [
        ("How do I add a cache?", "implementation"),
        ("We are building a cache.", "implementation"),
        ("Why does it fail?", "understanding"),
        ("Explaining the cache", "understanding"),
        ("The cache throws errors.", "debugging"),
        ("Fixed twice, and it is still there.", "debugging"),
        ("Debugging the cache", "debugging"),
        ("Which cache?", "decision"),
        ("Choosing a cache", "decision"),
        ("How and why", "implementation"),
        ("Show the prefix of the fixture, however slow.", "general"),
        ("The cache.", "general"),
    ],
)
def test_the_goal_is_that_of_the_first_word_that_says_one_and_never_of_a_part_of_a_word(problem, goal):
    assert user_intent(problem)["goal"] == goal


@pytest.mark.parametrize(
    ("problem", "priority", "format", "context"),
    [
        ("Urgent: a React page", "high", "explanation", "frontend"),
        ("asap, a list of the APIs and their tests", "high", "list", "backend, testing"),
        ("When you can, a step by step guide to PostgreSQL", "low", "tutorial", "database"),
        ("Eventually show me Vue with Node", "low", "example", "frontend, backend"),
        ("The latest attestation, listened to rapidly", "medium", "explanation", "general"),
        ("Critical options for examples", "high", "example", "general"),
    ],
)
def test_priority_format_and_context_are_read_from_whole_words(problem, priority, format, context):
    intent = user_intent(problem)
    assert (intent["priority"], intent["format"], intent["context"]) == (priority, format, context)


def test_the_concepts_are_the_first_ten_words_of_more_than_three_letters_each_once():
    assert key_concepts("The cache, the Cache and a.py are cold?") == ["cache", "a.py", "cold"]
    assert key_concepts(" ".join(f"word{number}" for number in range(20))) == [f"word{number}" for number in range(10)]


def test_queries_are_suggested_for_memory_files_and_the_web():
    found = suggested_queries("Fix the SQL in db/store.py", ["calculator", "web_search", "grep"])
    assert found == {
        "search": {"query": "db/store.py", "patterns": ["db/store.py"], "recommended": "web_search"},
        "localFiles": ["db/store.py", "**/*.sql", "README.md", "docs/**/*.md"],
        "webSearch": {"query": "db/store.py"},
    }
    assert "recommended" not in suggested_queries("The cache", [])["search"]


def test_words_are_shared_whatever_their_case_and_punctuation():
    assert shared_words("Is the Cache cold?", "the cache, is warm") == 3
