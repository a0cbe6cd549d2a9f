"""A session as text in cipher: written, and read back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.handmade import AT, SESSION, nasty, relation, texts, thought
from thoughtbox.domains.thoughts.files.cipher_reading import CipherText, read_cipher
from thoughtbox.domains.thoughts.files.cipher_writing import cipher_chunks
from thoughtbox.domains.thoughts.files.documents import Rereadable
from thoughtbox.domains.thoughts.model.session import LONGEST_TITLE, Session
from thoughtbox.domains.thoughts.model.settling import Settling
from thoughtbox.domains.thoughts.model.thought import Thought
from thoughtbox.errors import ImportRefused


def written(*thoughts: Thought, session: Session = SESSION, settlings: tuple[Settling, ...] = ()) -> list[str]:
    return "".join(cipher_chunks(session, thoughts, settlings)).splitlines()


def read(*lines: str) -> CipherText:
    return read_cipher("\n".join(lines))


def said(text: CipherText) -> list[str]:
    return [thought.text for thought in text.thoughts]


def named(text: CipherText) -> list[str]:
    return [f"{one.branch_id}:{one.number}" if one.branch_id else str(one.number) for one in text.thoughts]


# Writing


def test_thoughts_go_out_in_order_of_recording_and_prose_as_prose():
    forked = [
        thought(1, text="S1|O|Pages are slow", kind="observation"),
        thought(2, text="Perhaps the cache"),
        thought(3, number=2, branch_id="alt", prev=1, origin=1, branch_from=1, text="Or the pool"),
        thought(4, number=3, prev=2, text="Decision: look at both", kind="decision"),
        thought(5, number=3, branch_id="alt", prev=3, origin=1, text="It is full"),
    ]

    assert written(*forked) == [
        "# Slow pages",
        "# Tags: db, latency",
        "S1|O|Pages are slow",
        "Perhaps the cache",
        "# Branch alt from S1",
        "Or the pool",
        "# Main line",
        "Decision: look at both",
        "# Branch alt",
        "It is full",
    ]


def test_what_the_text_does_not_say_stands_before_it():
    revised = thought(
        2,
        text="Right after all",
        kind="revision",
        is_revision=True,
        revises=1,
        revises_number=1,
        relations=(relation("revises", 1),),
        action_id="deploy-7",
    )
    odd = thought(3, number=9, text="S7|H|S1|far off", kind="evidence", label=7, relations=(relation("supports", 2),))

    assert written(thought(1), revised, odd)[2:] == [
        "text 1",
        "# Revises S1",
        "# Action deploy-7",
        "Right after all",
        "# Thought 9",
        '# Reading {"kind":"evidence","relations":[{"type":"supports","to":"S2"}],"label":7}',
        "S7|H|S1|far off",
    ]


def test_what_became_of_a_branch_stands_where_it_was_said():
    branch = thought(2, branch_id="a", origin=1, prev=1, branch_from=1)
    settlings = (
        Settling(seq=3, branch="a", fate="rejected", why="Too\n\nslow", timestamp=AT, after="a:2"),
        Settling(seq=5, branch="a", fate="adopted", why=None, timestamp=AT, after="2"),
    )

    assert written(thought(1), branch, thought(4, number=2, prev=1), settlings=settlings)[2:] == [
        "text 1",
        "# Branch a from S1",
        "text 2",
        "# Branch a rejected: Too",
        "  ",
        "  slow",
        "# Main line",
        "text 4",
        "# Branch a adopted",
    ]


def test_the_thoughts_are_gone_through_once_however_many_branches_there_are():
    reads = 0

    def read() -> Iterator[Thought]:
        nonlocal reads
        reads += 1
        yield thought(1)
        for seq in range(2, 2_000):
            yield thought(seq, branch_id=f"b{seq % 500}", origin=1)

    assert "".join(cipher_chunks(SESSION, Rereadable(read))).count("text ") == 1_999
    assert reads == 1


# Reading


def test_a_line_of_prose_is_a_thought_and_takes_the_next_number():
    text = read("S1|O|Pages are slow", "Perhaps the cache", "S3|E|S2|Hits fell", "", "And so on")

    assert named(text) == ["1", "2", "3", "4"]
    assert said(text) == ["S1|O|Pages are slow", "Perhaps the cache", "S3|E|S2|Hits fell", "And so on"]


def test_what_is_indented_belongs_to_the_thought_above():
    text = read("Perhaps", "  the cache,", "", "  or", "\tthe pool", "S2|H|S1|One", "    of both")

    assert said(text) == ["Perhaps\nthe cache,\n\nor\nthe pool", "S2|H|S1|One\n  of both"]


def test_a_line_of_cipher_has_its_own_number_if_that_is_free_and_else_the_next():
    text = read("S5|O|a", "S6|H|S5|b", "S6|H|c", "prose", "S2|H|d", "S1000000000000|H|e")

    assert named(text) == ["5", "6", "7", "8", "2", "9"]


def test_branches_fork_go_on_and_leave_the_main_line_where_it_was():
    text = read(
        *("S1|O|a", "S2|H|b", "# Branch alt from S1", "S2|H|c", "prose", "# Main line", "more", "# Branch alt", "on"),
        *("# Branch deep from alt:S3", "d", "# Branch lost from nothing", "e"),
    )

    assert named(text) == ["1", "2", "alt:2", "alt:3", "3", "alt:4", "deep:4", "lost:1"]
    assert [(one.prev, one.origin) for one in text.thoughts] == [
        *((None, None), (0, None), (0, 0), (2, 0), (1, None), (3, 0), (3, 3), (None, None))
    ]


def test_title_and_tags_are_the_first_lines():
    text = read("# Slow pages", "# Tags: db, , latency", "S1|O|a", "# Tags: no")

    assert (text.title, text.tags) == ("Slow pages", ["db", "latency"])
    assert text.notices == ("Lines that begin with # and say nothing that is known were passed over: 4.",)


def test_what_is_too_long_for_a_session_is_cut_and_said():
    text = read("# " + "t" * 300, "# Tags: " + ", ".join([*(f"t{n}" for n in range(60)), "x" * 101]))

    assert (len(text.title or ""), len(text.tags)) == (LONGEST_TITLE, 50)
    assert len(text.notices) == 2


def test_a_text_with_other_line_ends_is_read_the_same():
    assert said(read_cipher("\ufeff# T\r\nS1|O|a\r\nprose\r\n  more\r\n")) == ["S1|O|a", "prose\nmore"]


WRONG = [
    (["# T", "# Branch alt from S1"], "line 2: there is no thought S1 before it"),
    (["a", "# Branch alt from alt:S1"], "line 2: there is no thought alt:S1 before it"),
    (["a", "# Branch alt from 1"], "line 2: '1' is no name of a thought"),
    (["a", "# Branch Alt from S1"], "line 2: '# Branch Alt from S1' is not understood"),
    (["a", "# Branch alt"], "line 2: branch alt has not begun"),
    (["a", "# Branch alt rejected: no"], "line 2: branch alt has not begun"),
    (["a", "# Branch alt from S1"], "line 2: branch alt has no thought"),
    (["a", "# Branch alt from S1", "# Main line"], "line 3: branch alt has no thought"),
    (["a", "# Branch b from S1", "b", "# Branch b from S1"], "line 4: branch b has begun before"),
    (["a", "# Thought 1", "b"], "line 3: there is a thought 1 on this line already"),
    (["a", "# Thought 0", "b"], "line 3: 0 is no number"),
    (["a", "# Thought 9999999999", "b"], "line 3: 9999999999 is no number"),
    (["a", "# Thought 2"], "line 2: what was said of the next thought is followed by none"),
    (["a", "# Revises S2", "b"], "line 2: there is no thought S2"),
    (["a", "# Reading {", "b"], "line 2: '# Reading {' is not understood"),
    (["a", "# Reading {x}", "b"], "line 2: `# Reading` is followed by what is not JSON"),
    (["a", '# Reading {"kind":"hub_event"}', "b"], "line 2: `# Reading`: 'kind'"),
    (["a", '# Reading {"kind":"claim","relations":[{"type":"x","to":"S1"}]}', "b"], "there is no such relation"),
    (["a", '# Reading {"kind":"claim","relations":[{"type":"supports","to":"S2"}]}', "b"], "no thought S2 before it"),
    (["a", '# Reading {"kind":"claim","adopts":["b"]}', "b"], "branch 'b' has not begun"),
    (["a", '# Reading {"kind":"revision"}', "b"], "`# Revises` is missing"),
    (["a\0b"], "it holds a NUL character"),
    (["x" * 1_000_001], "line 1: a thought has 1,000,000 characters at most"),
]


@pytest.mark.parametrize(("lines", "why"), WRONG, ids=[f"{n}: {why}" for n, (_, why) in enumerate(WRONG, 1)])
def test_a_text_that_does_not_fit_together_is_refused_with_its_line(lines: list[str], why: str):
    with pytest.raises(ImportRefused) as refused:
        read(*lines)

    assert why in refused.value.message
    assert refused.value.recovery


# There and back

anything = st.one_of(
    nasty, texts, st.sampled_from(["# Branch x from S1", "\\", "  a", "\ta", "S2|H|S1|so", "a\n\n  b\n", "\r", "{}"])
)


@st.composite
def lines_of_thought(draw: st.DrawFn) -> list[Thought]:
    """Thoughts on lines in any numbering, written as anything, revising and being read as anything."""
    thoughts: list[Thought] = []
    ends: dict[str | None, Thought] = {}
    for seq in range(1, draw(st.integers(1, 8)) + 1):
        branch = draw(st.sampled_from([None, "a", "b-2"])) if thoughts else None
        taken = {one.number for one in thoughts if one.branch_id == branch}
        end = ends.get(branch)
        fork = draw(st.none() | st.sampled_from(thoughts)) if branch is not None and end is None else None
        origin = fork.seq if fork else end.origin if end else None
        before = fork or end
        revised = draw(st.none() | st.sampled_from(thoughts)) if thoughts else None
        given: dict[str, Any] = {
            "number": draw(st.integers(1, 30).filter(lambda number, taken=taken: number not in taken)),
            "branch_id": branch,
            "text": draw(anything),
            "prev": before.seq if before else None,
            "origin": origin,
            "is_revision": revised is not None,
            "revises": revised.seq if revised else None,
            "revises_number": revised.number if revised else None,
            "kind": draw(st.sampled_from(["claim", "evidence", "decision", *(["revision"] if revised else [])])),
            "labels": draw(st.sampled_from([(), ("rejected",), ("hypothesis",)])),
            "action_id": draw(st.none() | st.just("deploy 7")),
        }
        if thoughts:
            kinds, targets = st.sampled_from(["supports", "answers"]), st.sampled_from([one.seq for one in thoughts])
            pairs = draw(st.lists(st.tuples(kinds, targets), max_size=2, unique=True))
            given["relations"] = tuple(relation(kind, target) for kind, target in pairs)
        ends[branch] = thought(seq, **given)
        thoughts.append(ends[branch])
    return thoughts


@settings(deadline=None)
@given(lines_of_thought(), st.none() | anything)
def test_any_session_is_read_back_from_its_cipher(thoughts: list[Thought], why: str | None):
    places = {one.seq: place for place, one in enumerate(thoughts)}
    branches = [one.branch_id for one in thoughts if one.branch_id]
    settlings = (
        [Settling(seq=99, branch=branches[0], fate="adopted", why=why, timestamp=AT)] if branches and why != "" else []
    )

    text = read_cipher("".join(cipher_chunks(SESSION, thoughts, settlings)))

    assert said(text) == [one.text for one in thoughts]
    assert [(one.branch_id, one.number, one.action_id) for one in text.thoughts] == [
        (one.branch_id, one.number, one.action_id) for one in thoughts
    ]
    assert [(one.prev, one.origin) for one in text.thoughts] == [
        (places.get(one.prev or 0), places.get(one.origin or 0)) for one in thoughts
    ]
    for found, one in zip(text.thoughts, thoughts, strict=True):
        if found.reading is not None:
            assert (found.reading.kind, found.reading.labels) == (one.kind, one.labels)
            assert [kind for kind, _ in found.reading.relations] == [each["type"] for each in one.relations]
            assert [thoughts[place].id for _, place in found.reading.relations] == [
                each["to"] for each in one.relations
            ]
    assert [(one.branch_id, one.fate, one.why, one.after) for one in text.settlings] == [
        (one.branch, one.fate, one.why, len(thoughts)) for one in settlings
    ]
    assert (text.title, text.tags, text.notices) == (SESSION.title, list(SESSION.tags), ())


@settings(deadline=None)
@given(anything)
def test_any_text_is_read_or_refused(text: str):
    with suppress(ImportRefused):
        places = [(thought.branch_id, thought.number) for thought in read_cipher(text).thoughts]
        assert len(set(places)) == len(places)
