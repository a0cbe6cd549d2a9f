"""Recording a thought: what it needs, what is kept of it, and how short the answer is."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from tests.support.box import Box
from tests.support.thinker import Client
from thoughtbox import content
from thoughtbox.errors import InvalidPayload, SessionNotFound, ThoughtboxError, ThoughtNotFound

LONGEST_REPLY = 300
LONGEST_BRANCH = "b" * 64


def length(answer: dict[str, Any]) -> int:
    return len(orjson.dumps(answer).decode())


def read(client: Client, number: int = 1) -> dict[str, Any]:
    [thought] = client.read_thoughts(thoughtNumber=number)["thoughts"]
    return thought


def test_a_thought_needs_nothing_but_its_text(mia: Client):
    answer = mia.call("thought", thought="the cache is cold")

    assert answer == {
        "id": answer["id"],
        "thoughtNumber": 1,
        "totalThoughts": 1,
        "nextThoughtNeeded": True,
        "thoughtHistoryLength": 1,
        "sessionId": mia.session_id,
    }


def test_what_was_said_is_kept_word_by_word(mia: Client):
    text = "  S1 is\tno cipher \r\n\n思考 🧠 é é \u202e \u200b \\ \" ' <b> %s {}  "
    mia.think(text)

    assert read(mia)["thought"] == text


def test_a_thought_that_needs_more_thoughts_says_so_when_it_is_read(mia: Client):
    mia.think(needsMoreThoughts=True)
    mia.think()

    assert read(mia, 1)["needsMoreThoughts"] is True
    assert "needsMoreThoughts" not in read(mia, 2)


def test_the_cookbook_comes_only_when_it_is_asked_for(tom: Client):
    assert "guide" not in tom.think()
    assert tom.think(includeGuide=True)["guide"] == content.text("patterns-cookbook.md")


def test_an_ordinary_reply_has_about_two_hundred_characters(tom: Client):
    replies = [tom.think("S1|H|The index is missing"), tom.think(branchId="alt", branchFromThought=1)]

    assert all(length(reply) <= 240 for reply in replies)


def test_the_longest_reply_has_three_hundred_characters(tom: Client):
    malformed = "\n".join(f"S{n}|Z|not a marker, and [S99{n}] is nobody" for n in range(1, 60))
    highest = {"thoughtNumber": 1_000_000_000, "totalThoughts": 1_000_000_000}
    for n in range(99):
        tom.think(branchId=f"b{n}", branchFromThought=1) if n else tom.think()

    replies = [
        tom.think(malformed),
        tom.think(malformed, branchId=LONGEST_BRANCH, branchFromThought=1),
        tom.think(f"S1|H|S77,S78,[S79]|x\n{malformed}", branchId=LONGEST_BRANCH, **highest, nextThoughtNeeded=False),
        tom.think(malformed, **highest, nextThoughtNeeded=False),
        tom.think(malformed, sessionTitle="t" * 200, sessionTags=[f"{n}{'x' * 90}" for n in range(50)]),
        *(tom.think(f"S1|H|[S1-S{n + 1}],⊕[S1],∵[S2],⊖[S1]|long {'words ' * 40}") for n in range(20)),
        *(tom.think(f"S1|X|S{n}|it is not so, see [S99{n}]") for n in range(1, 10)),
        tom.think("S1|R|^[S10-S20]|it is not so, see [b1:S2], [S999]", branchId=LONGEST_BRANCH, branchFromThought=1),
    ]

    assert [length(reply) for reply in replies if length(reply) > LONGEST_REPLY] == []


def test_a_line_that_does_not_parse_is_said_in_the_reply_and_kept_as_it_was(tom: Client):
    answer = tom.think("S1|Z|not a marker")

    assert any("`Z` is not a marker" in note for note in answer["notes"])
    assert read(tom)["thought"] == "S1|Z|not a marker"
    assert read(tom)["kind"] == "claim"


def test_of_many_notes_the_first_is_told_and_the_others_are_counted(tom: Client):
    answer = tom.think("S1|Z|a\nS2|Y|b\nS3|W|c")

    first, others = answer["notes"]
    assert "`Z`" in first
    assert others == "and 2 more"


@pytest.mark.parametrize("text", ["", "   ", "\n\t ", None, 7, ["a"], {"a": 1}, True])
def test_a_thought_without_words_is_refused_and_nothing_is_written(tom: Client, text: Any):
    before = tom.records()

    with pytest.raises(InvalidPayload, match="thought"):
        tom.think(text)

    assert tom.records() == before


@pytest.mark.parametrize("text", ["a\0b", "half a pair \ud83e", "\udcff"])
def test_a_text_that_no_store_can_keep_is_refused(tom: Client, text: str):
    with pytest.raises(InvalidPayload, match="cannot be stored"):
        tom.think(text)


def test_a_million_characters_are_a_thought_and_one_more_are_not(mia: Client):
    text = "x" * 1_000_000
    mia.think(text)

    [shown] = mia.read_thoughts(thoughtNumber=1, maxChars=2_000_000)["thoughts"]
    assert shown["thought"] == text
    with pytest.raises(InvalidPayload, match="thought"):
        mia.think(text + "x")


def test_a_thought_too_long_for_an_answer_is_cut_and_that_is_said(tom: Client):
    tom.think("y" * 500_000)

    answer = tom.read_thoughts(thoughtNumber=1)

    assert answer["budget"]["truncated"]
    assert len(answer["thoughts"][0]["thought"]) < 100_000
    assert length(answer) < 110_000


@pytest.mark.parametrize("field", ["nextThoughtNeeded", "isRevision", "needsMoreThoughts", "includeGuide", "critique"])
@pytest.mark.parametrize("wrong", ["true", 1, 0, [], {}, "no"])
def test_a_switch_that_is_neither_true_nor_false_is_refused(tom: Client, field: str, wrong: Any):
    with pytest.raises(InvalidPayload, match=field):
        tom.think(**{field: wrong})


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("sessionId", ""),
        ("sessionId", "  "),
        ("sessionId", 7),
        ("sessionId", "x" * 300),
        ("sessionId", "a\nb"),
        ("sessionTitle", ""),
        ("sessionTitle", "t" * 201),
        ("sessionTitle", ["t"]),
        ("sessionTags", "tag"),
        ("sessionTags", [""]),
        ("sessionTags", ["x" * 101]),
        ("sessionTags", ["t"] * 51),
        ("sessionTags", [1]),
        ("branchId", 7),
        ("branchFromBranch", "Not/Good"),
        ("thinking", "unknown"),
        ("thought_number", 1),
    ],
)
def test_an_argument_of_the_wrong_kind_is_refused_by_its_name(tom: Client, field: str, wrong: Any):
    before = tom.records()

    with pytest.raises(InvalidPayload, match=field):
        tom.think(**{field: wrong})

    assert tom.records() == before


def test_null_means_that_an_argument_was_left_out(tom: Client):
    answer = tom.think(
        thoughtNumber=None, totalThoughts=None, nextThoughtNeeded=None, branchId=None, revisesThought=None
    )

    assert answer["thoughtNumber"] == 1
    assert answer["nextThoughtNeeded"] is True


def test_a_thought_for_a_session_that_is_not_there_is_refused(tom: Client):
    before = tom.records()

    with pytest.raises(SessionNotFound):
        tom.think(sessionId="00000000-0000-4000-8000-000000000000")

    assert tom.records() == before


def test_the_first_thought_of_a_connection_that_is_only_guided_begins_a_session():
    mia = Client(Box(THOUGHTBOX_STAGES="guide"))

    answer = mia.think(sessionTitle="Slow pages", sessionTags=["web", "db", "web"])

    session = mia.session_get(sessionId=answer["sessionId"])["session"]
    assert session["title"] == "Slow pages"
    assert session["tags"] == ["web", "db"]
    assert mia.think(sessionTitle="Another")["sessionId"] == answer["sessionId"]
    assert mia.session_get()["session"]["title"] == "Slow pages"
    mia.box.close()


def test_a_session_that_nobody_named_is_named_after_its_time(tom: Client):
    tom.think(nextThoughtNeeded=False)
    tom.think()

    assert tom.session_get()["session"]["title"].startswith("Reasoning session 2025-")


def test_thoughts_begin_no_session_where_that_is_switched_off():
    box = Box(THOUGHTBOX_STAGES="guide", THOUGHTBOX_AUTO_CREATE_SESSION="false")
    mia = Client(box)

    with pytest.raises(InvalidPayload, match="start_new"):
        mia.think()

    mia.start_new()
    assert mia.think()["thoughtNumber"] == 1
    box.close()


def test_a_refused_thought_is_no_hindrance_to_those_sent_behind_it():
    box = Box(THOUGHTBOX_STAGES="guide")
    mia = Client(box)
    waiting = [mia.submit("thought", thought="x", revisesThought=None if n % 2 else 99) for n in range(20)]
    refused = [type(sent.exception()) for sent in waiting[::2]]

    assert refused == [ThoughtNotFound] * 10
    assert [sent.result()["thoughtNumber"] for sent in waiting[1::2]] == list(range(1, 11))
    assert mia.list_sessions()["count"] == 1
    box.close()


def test_a_refused_thought_leaves_neither_a_session_nor_a_trace_in_the_connection():
    box = Box(THOUGHTBOX_STAGES="guide")
    mia = Client(box)

    with pytest.raises(ThoughtboxError):
        mia.think(revisesThought=4, sessionTitle="Never begun")

    assert mia.records() == 0
    assert mia.standing.session_id is None
    assert mia.list_sessions()["count"] == 0
    box.close()
