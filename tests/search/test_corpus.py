"""The corpus of questions has the form that a measure of search needs."""

from __future__ import annotations

import re
from collections import Counter

from tests.support.questions import questions, sessions

SPACELESS = r"[\u4e00-\u9fff]"
WORD = re.compile(rf"{SPACELESS}|(?:(?!{SPACELESS})[^\W_])+")
ASKING = {"what", "when", "wher", "whic", "have", "does", "were", "with", "that", "this", "they", "from", "long"}
"""Beginnings that say nothing of what is asked for."""


def beginnings(text: str) -> set[str]:
    """The first four letters of each word that has so many; two neighbours where words are not set apart."""
    neighbours = re.findall(rf"(?=({SPACELESS}{{2}}))", text)
    return {word[:4] for word in WORD.findall(text.lower()) if len(word) >= 4}.union(neighbours) - ASKING


def test_sixty_sessions_of_eight_to_fourteen_thoughts():
    found = sessions()
    assert len(found) == len({session["key"] for session in found}) == 60
    assert len({session["title"] for session in found}) == 60
    assert [session["key"] for session in found if not 8 <= len(session["thoughts"]) <= 14] == []
    assert all(session.keys() <= {"key", "title", "description", "tags", "thoughts"} for session in found)
    assert all(session["tags"] and all(session["thoughts"]) for session in found)


def test_a_thought_in_cipher_bears_its_number_and_refers_to_earlier_ones():
    wrong = [
        f"{session['key']}: {thought}"
        for session in sessions()
        for number, thought in enumerate(session["thoughts"], 1)
        if (line := re.match(r"S(\d+)\|[HECQRPOAX]\|([^|]*\|)?", thought))
        and (int(line[1]) != number or any(int(other) >= number for other in re.findall(r"\bS(\d+)\b", line[2] or "")))
    ]
    assert wrong == []


def test_two_thirds_are_cipher_and_one_third_is_prose():
    thoughts = [thought for session in sessions() for thought in session["thoughts"]]
    cipher = sum(bool(re.match(r"S\d+\|[HECQRPOAX]\|", thought)) for thought in thoughts)
    assert 0.6 <= cipher / len(thoughts) <= 0.72


def test_a_hundred_and_fifty_questions_name_thoughts_that_exist():
    lengths = {session["key"]: len(session["thoughts"]) for session in sessions()}
    asked = questions()
    assert len(asked) == len({question["ask"] for question in asked}) == 150
    for question in asked:
        assert question.keys() == {"ask", "session", "thoughts"}
        named = question["thoughts"]
        assert named == sorted(set(named)), question["ask"]
        assert named, question["ask"]
        assert set(named) <= set(range(1, lengths[question["session"]] + 1)), question["ask"]


def test_every_session_is_asked_for_two_or_three_times():
    times = Counter(question["session"] for question in questions())
    assert times.keys() == {session["key"] for session in sessions()}
    assert set(times.values()) == {2, 3}


def test_a_question_has_four_to_twenty_words():
    lengths = {question["ask"]: len(WORD.findall(question["ask"])) for question in questions()}
    assert {ask: length for ask, length in lengths.items() if not 4 <= length <= 20} == {}


def test_every_question_shares_the_beginning_of_a_word_with_its_session():
    texts = {
        session["key"]: "\n".join([session["title"], *session["tags"], *session["thoughts"]]) for session in sessions()
    }
    strangers = [
        question["ask"]
        for question in questions()
        if not beginnings(question["ask"]) & beginnings(texts[question["session"]])
    ]
    assert strangers == []
