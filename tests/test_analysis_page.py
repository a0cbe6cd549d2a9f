"""What `docs/analysis.md` shows is what happens."""

from __future__ import annotations

from tests.support import pages
from tests.support.box import Box
from tests.support.pages import THOUGHTS
from tests.support.thinker import Client

PAGE = THOUGHTS.parent / "analysis.md"


def test_every_answer_on_the_page_is_what_the_call_above_it_gets():
    exchanges = pages.exchanges_on(PAGE)
    box = Box()
    try:
        client = Client(box)
        answers = pages.tell(pages.word_for_word(exchanges), lambda call: client.gateway(**call))
    finally:
        box.close()

    assert len(exchanges) > 10
    assert pages.unlike(exchanges, answers, exactly=True) == []
