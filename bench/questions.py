"""The questions of `tests/corpus/questions`, and stores to ask them in: the corpus among many other thoughts."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from bench.stores import CALLER
from tests.support.questions import sessions
from thoughtbox.app import Thoughtbox
from thoughtbox.operations.dispatch import Call

THOUGHTS_PER_SESSION = 50
WORDS_OF_A_TITLE = 5


def fill(box: Thoughtbox, thoughts: int) -> dict[str, str]:
    """Write so many thoughts, the corpus among them; by the id of each of its sessions, its key.

    The others are made of its words, drawn at random: as frequent as there, and in texts as long.
    """
    told = sessions()
    texts = [text for session in told for text in session["thoughts"]]
    words, lengths = " ".join(texts).split(), [len(text.split()) for text in texts]
    chance = random.Random(thoughts)
    keys: dict[str, str] = {}
    left = thoughts - len(texts)
    while left > 0:
        count = min(left, THOUGHTS_PER_SESSION)
        made = [" ".join(chance.choices(words, k=chance.choice(lengths))) for _ in range(count)]
        _begin(box, " ".join(chance.choices(words, k=WORDS_OF_A_TITLE)), made)
        left -= count
        # In between, so that what answers is neither the oldest nor the newest.
        if told and left <= thoughts // 2:
            keys |= {_begin(box, each["title"], each["thoughts"], each["tags"]): each["key"] for each in told}
            told = []
    return keys | {_begin(box, each["title"], each["thoughts"], each["tags"]): each["key"] for each in told}


def _begin(box: Thoughtbox, title: str, thoughts: Sequence[str], tags: Sequence[str] = ()) -> str:
    def call(operation: str, **arguments: Any) -> Call:
        return Call(operation=operation, workspace=box.settings.project, arguments=arguments, caller=CALLER)

    started = box.dispatcher.call(call("start_new", sessionTitle=title[:200], sessionTags=list(tags)))
    session_id: str = started["sessionId"]
    told = [box.dispatcher.submit(call("thought", sessionId=session_id, thought=text)) for text in thoughts]
    for answer in told:
        answer.result()
    return session_id
