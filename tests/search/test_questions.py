"""Questions as people ask them find the session and the thought that answer them, on both engines."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from tests.support.box import Box
from tests.support.boxes import box, open_box
from tests.support.questions import questions, sessions
from tests.support.thinker import Client
from thoughtbox.search.english import is_stop_word, stem
from thoughtbox.search.words import words

__all__ = ["box", "open_box"]

RIGHT_SESSIONS, AMONG_SESSIONS = 0.9, 5
RIGHT_THOUGHTS, AMONG_THOUGHTS = 0.8, 10


class Place(NamedTuple):
    """A thought of the corpus: the key of its session, and its number there."""

    session: str
    number: int


class Read(NamedTuple):
    """The whole corpus in a store."""

    asking: Client
    keys: dict[str, str]
    """By the id of a session: its key in the corpus."""

    def sessions(self, ask: str) -> list[str]:
        found = self.asking.session_search(query=ask, limit=AMONG_SESSIONS)["sessions"]
        return [self.keys[each["id"]] for each in found]

    def thoughts(self, ask: str) -> list[Place]:
        found = self.asking.session_search(query=ask, what="thoughts", limit=AMONG_THOUGHTS)["thoughts"]
        return [Place(self.keys[each["sessionId"]], each["thoughtNumber"]) for each in found]


@pytest.fixture(autouse=True)
def topics() -> None:
    """Those of the rooms, in the place of those that other tests of search declare."""


@pytest.fixture
def corpus(box: Box) -> Read:
    keys: dict[str, str] = {}
    for session in sessions():
        named = {"description": session["description"]} if "description" in session else {}
        thinker = Client(box).ready(sessionTitle=session["title"], sessionTags=session["tags"], **named)
        keys[thinker.session_id] = session["key"]
        for future in [thinker.submit("thought", thought=text) for text in session["thoughts"]]:
            future.result()
    return Read(Client(box, stateless=True), keys)


def test_questions_find_the_right_session_and_thought_and_none_of_them_finds_nothing(corpus: Read):
    texts = {Place(each["key"], number): text for each in sessions() for number, text in enumerate(each["thoughts"], 1)}
    asked = questions()
    found_sessions = [corpus.sessions(question["ask"]) for question in asked]
    found_thoughts = [corpus.thoughts(question["ask"]) for question in asked]

    right_sessions = [question["session"] in found for question, found in zip(asked, found_sessions, strict=True)]
    right_thoughts = [
        not answers(question).isdisjoint(found) for question, found in zip(asked, found_thoughts, strict=True)
    ]
    empty = [
        question["ask"]
        for question, sessions, thoughts in zip(asked, found_sessions, found_thoughts, strict=True)
        if any(stems(question["ask"]) & stems(texts[place]) for place in answers(question))
        and not (sessions and thoughts)
    ]

    assert sum(right_sessions) >= RIGHT_SESSIONS * len(asked)
    assert sum(right_thoughts) >= RIGHT_THOUGHTS * len(asked)
    assert empty == []


def answers(question: dict[str, Any]) -> set[Place]:
    return {Place(question["session"], number) for number in question["thoughts"]}


def stems(text: str) -> set[str]:
    return {stem(word) for word in words(text) if not is_stop_word(word)}
