"""Every read of every room, as of every record of a random history: it answers again what it answered then.

Operations are found in the table: a new one is asked by itself, and one with an argument that nobody has said how
to draw fails the test.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, NamedTuple

import pytest

from tests.support.box import Box
from tests.support.boxes import OpenBox, open_box
from tests.support.history import Arguments, History, Questions
from thoughtbox import domains
from thoughtbox.errors import StageRequirementNotMet, ThoughtboxError
from thoughtbox.operations import TABLE, Input, Operation

__all__ = ["open_box"]

domains.load()

READS = [
    operation
    for operation in TABLE
    if not operation.writes and operation.gateway is None and operation.room not in ("mind", "memory")
]
"""The mind and the memory room have walks of their own."""

OF_ALL_THAT_IS_STORED = {"ledger_verify"}
"""Looks at every record there is, whatever it is asked about: a later one that is damaged is to be told, too."""

_WHEN_ASKED = re.compile(r'"exportedAt":"[^"]*("|$)')
"""The time of asking, as it stands in an export; a piece of one may end within it."""


class Asked(NamedTuple):
    """A question, and what was answered when record `seq` was the newest."""

    operation: str
    arguments: Arguments
    seq: int
    answer: Any


def ask(history: History, operation: str, arguments: Arguments, as_of: int | None = None) -> Any:
    """What is answered, or why it is refused; of a search, all pages, since the best ones are others by now."""
    answer = ask_for_a_page(history, operation, arguments, as_of)
    page = answer
    while _goes_by_rank(operation, arguments) and (page.get("hasMore") or page.get("nextOffset")):
        page = ask_for_a_page(history, operation, {**arguments, "offset": page["nextOffset"]}, as_of)
        for part in RANKED & page.keys():
            answer[part] += page[part]
    return answer


def ask_for_a_page(history: History, operation: str, arguments: Arguments, as_of: int | None) -> Any:
    while True:
        try:
            answer = history.client.call(operation, **arguments, as_of=as_of)
        except StageRequirementNotMet:
            raise
        except ThoughtboxError as error:
            return error.payload()
        if answer.get("notice", {}).get("code") != "BEHIND":  # the index comes after, and says so
            return answer


RANKED = {"sessions", "thoughts", "patterns", "notes", "records", "hits"}
"""Parts of answers that go by rank when something is searched for."""


def _goes_by_rank(operation: str, arguments: Arguments) -> bool:
    return operation in ("session.search", "authored_search", "notebook.search") or bool(arguments.get("search"))


def essence(operation: str, arguments: Arguments, answer: Any) -> Any:
    """An answer without what no record holds: when it was asked, how well it fits, and the installation's own key."""
    answer.pop("public_key", None)
    if _goes_by_rank(operation, arguments):
        return _without_rank(answer)
    for learning in answer.get("learnings", []):
        learning.get("metadata", {}).pop("extractedAt", None)
    if operation == "session.export" and "content" in answer:
        answer.pop("cursor", None)  # it holds the time of asking
        answer["content"] = _WHEN_ASKED.sub("", answer["content"])
    return answer


def _without_rank(answer: Any) -> Any:
    """How well something fits depends on all words that were ever recorded: what is found does not."""
    by_rank = ("best", "thoughtNumber", "branchId")
    found = [
        {name: value for name, value in item.items() if part == "thoughts" or name not in by_rank}
        for part in sorted(RANKED & answer.keys())
        for item in answer[part]
    ]
    return sorted(found, key=lambda item: item["id"]), answer.get("message"), answer.get("code")


def told(history: History, questions: Questions, operation: Operation) -> list[Asked]:
    """What is answered now to a question of this operation, and to its next page."""
    name, arguments, seq = operation.name, questions.arguments(operation), history.records()
    if _goes_by_rank(name, arguments):  # a page of it does not hold the same then
        arguments = {name: value for name, value in arguments.items() if name not in ("limit", "offset", "maxChars")}
    try:
        answer = ask(history, name, arguments)
    except StageRequirementNotMet:
        return []  # who may ask depends on what has been loaded by now, and a look back is open to whoever may today
    pages = [(arguments, answer)]
    if answer.get("cursor"):
        further = {**arguments, "cursor": answer["cursor"]}
        pages.append((further, ask(history, name, further)))
    return [Asked(name, given, seq, essence(name, given, answer)) for given, answer in pages]


def walk(box: Box, seed: object, *, steps: int) -> None:
    history, asked = History(box, seed), list[Asked]()
    for step in range(steps):
        history.step()
        questions = Questions(history, (seed, step))
        for operation in READS:
            if operation.name not in OF_ALL_THAT_IS_STORED:
                asked += told(history, questions, operation)
    assert {each.operation for each in asked} >= {
        operation.name for operation in READS if operation.name not in OF_ALL_THAT_IS_STORED
    }
    for operation, arguments, seq, answer in asked:
        again = essence(operation, arguments, ask(history, operation, arguments, as_of=seq))
        assert again == answer, (seed, operation, arguments, seq)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(3))
def test_every_read_answers_as_of_a_record_what_it_answered_when_that_was_the_newest(seed: int):
    box = Box()
    walk(box, seed, steps=40)
    box.close()


def test_it_does_so_on_both_engines(open_box: OpenBox):
    walk(open_box(), "both", steps=12)


@pytest.mark.torture
@pytest.mark.parametrize("seed", range(100, 140))
def test_it_does_so_in_long_histories(seed: int):
    box = Box()
    walk(box, seed, steps=150)
    box.close()


@pytest.mark.torture
@pytest.mark.parametrize("seed", range(200, 204))
def test_it_does_so_in_long_histories_on_both_engines(open_box: OpenBox, seed: int):
    walk(open_box(), seed, steps=60)


def test_an_argument_that_nobody_can_draw_is_named():
    class Painted(Input):
        colour: str

    box = Box()
    operation = replace(TABLE.operations["ledger_tail"], input=Painted)
    with pytest.raises(LookupError, match="ledger_tail: nobody has said how to draw the argument `colour`"):
        Questions(History(box, 0), 0).arguments(operation)
    box.close()
