"""A session as a decision record in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tests.support.handmade import AT, CRITIQUE, FORKED, SESSION, nasty, relation, texts, thought
from thoughtbox.domains.thoughts.files import markdown as document
from thoughtbox.domains.thoughts.files.documents import Rereadable
from thoughtbox.domains.thoughts.files.markdown import markdown_chunks
from thoughtbox.domains.thoughts.model.critique import Critique
from thoughtbox.domains.thoughts.model.reasoning import Settled
from thoughtbox.domains.thoughts.model.session import Session
from thoughtbox.domains.thoughts.model.settling import Settling
from thoughtbox.domains.thoughts.model.thought import Thought

ACTIVE = [
    "<script>alert(1)</script>",
    "a <img src=x onerror=alert(1)> b",
    "<IMG SRC='http://tracker.example/x.png'>",
    "<!-- <b> -->",
    "<?php echo 1 ?>",
    "<![CDATA[x]]>",
    "</div>",
    "<svg/onload=alert(1)>",
    "<https://tracker.example>",
    "\\<script>",
    "&lt;script>",
    "&amp;lt;script>",
    "![](http://tracker.example/x.png)",
    "![alt][ref]\n\n[ref]: http://tracker.example/x.png",
    "![ref]\n\n[ref]: http://tracker.example/x.png",
    "[![](//tracker.example/x.png)](http://x)",
    "\\![](http://tracker.example/x.png)",
    "!\\[](http://tracker.example/x.png)",
    "\\\\![](http://tracker.example/x.png)",
    "!![](http://tracker.example/x.png)",
    "    ![](x)\n```\n![](x)\n<b>",
    "`<b>` and ``![](x)``",
]
"""Texts that a reader's program would run, or fetch something for."""


def markdown(thoughts: list[Thought], critiques: dict[int, Critique] | None = None, session: Session = SESSION) -> str:
    return "".join(markdown_chunks(session, thoughts, critiques or {}, with_metadata=True))


def section(shown: str, heading: str) -> list[str]:
    """The lines of a section; none when it is left out."""
    _, _, behind = shown.partition(f"## {heading}\n\n")
    return behind.partition("\n## ")[0].rstrip().splitlines()


def test_markdown_is_a_record_of_what_was_decided_and_then_the_thoughts():
    assert markdown(FORKED, {3: CRITIQUE}) == (
        "# Slow pages\n"
        "\n"
        "**Tags:** db, latency  \n"
        "**Created:** 2026-01-02T03:04:05.000Z  \n"
        "**Thoughts:** 5\n"
        "\n"
        "## Problem\n"
        "\n"
        "> text 1\n"
        "\n"
        "## Options\n"
        "\n"
        "- **alt**, open, from S1: text 5\n"
        "\n"
        "## Open points\n"
        "\n"
        "- Question **S3**: text 4\n"
        "\n"
        "## Thoughts\n"
        "\n"
        "### S1 · Observation\n"
        "\n"
        "> text 1\n"
        "\n"
        "### Branch alt (from S1)\n"
        "\n"
        "#### alt:S2 · Thought supports S2\n"
        "\n"
        "> text 3\n"
        "\n"
        "**Critique** by some-model, 2026-01-02T03:05:00.000Z\n"
        "\n"
        "> Says who?\n"
        "> # Nobody\n"
        "\n"
        "#### alt:S3 · Thought\n"
        "\n"
        "> text 5\n"
        "\n"
        "### S2 · Question on S1\n"
        "\n"
        "*Revised by S3.*\n"
        "\n"
        "> text 2\n"
        "\n"
        "### S3 · Revises S2\n"
        "\n"
        "> text 4\n"
        "\n"
    )


DECIDED = [
    thought(1, kind="observation", text="S1|O|Pages are slow"),
    thought(2, kind="claim", labels=("hypothesis",), text="S2|H|S1|No index", relations=(relation("derived_from", 1),)),
    thought(3, kind="evidence", text="S3|E|S2|Scans take 61 %", relations=(relation("supports", 2),)),
    thought(
        4,
        kind="decision",
        labels=("conclusion",),
        confidence=0.8,
        text="S4|C|S2,S3|∴ Add an index (p=0.8)",
        relations=(relation("derived_from", 2), relation("derived_from", 3)),
    ),
    thought(
        5,
        kind="revision",
        labels=("revision",),
        is_revision=True,
        revises=3,
        revises_number=3,
        text="S5|R|^S3|Without debugging they take 18 %",
        relations=(relation("revises", 3),),
    ),
    thought(6, kind="claim", labels=("assumption",), text="S6|A|The disk is fast"),
    thought(7, kind="claim", labels=("hypothesis",), text="S7|H|A larger cache"),
    thought(
        8,
        kind="revision",
        labels=("rejected",),
        is_revision=True,
        revises=7,
        revises_number=7,
        text="S8|X|S7|It is never hit",
        relations=(relation("contradicts", 7),),
    ),
]
"""A decision on evidence that was put right since, an assumption nobody tested, and something rejected."""


def test_a_decision_stands_with_its_confidence_and_what_fell_below_it():
    shown = markdown(DECIDED)

    assert section(shown, "Decision") == ["- **S4** Add an index (confidence 0.8) — *rests on S3, revised by S5*"]
    assert "## Decisions" not in shown


def test_grounds_show_what_was_revised_struck_through_and_what_it_became():
    assert section(markdown(DECIDED), "Grounds") == [
        "- **S1** Observation: Pages are slow",
        "- **S2** Hypothesis from S1: No index",
        "- **S3** Evidence for S2: ~~Scans take 61 %~~ → **S5** Without debugging they take 18 %",
    ]


def test_a_ground_that_revises_shows_what_it_took_the_place_of_once():
    later = thought(9, kind="decision", text="S9|C|S5|∴ So be it", relations=(relation("derived_from", 5),))

    grounds = section(markdown([*DECIDED, later]), "Grounds")

    assert [line for line in grounds if "61 %" in line] == [
        "- **S5** Revises S3: ~~Scans take 61 %~~ → Without debugging they take 18 %"
    ]


def test_what_was_rejected_is_there_with_the_reason():
    assert section(markdown(DECIDED), "Rejected") == [
        "- **S7** ~~A larger cache~~, rejected by **S8**: It is never hit"
    ]


def test_open_points_are_questions_untested_assumptions_and_what_rests_on_what_fell():
    asked = thought(9, kind="question", text="S9|Q|What of writes?")

    assert section(markdown([*DECIDED, asked]), "Open points") == [
        "- Question **S9**: What of writes?",
        "- Untested assumption **S6**: The disk is fast",
        "- **S2** rests on S3, revised by S5: No index",
        "- **S4** rests on S3, revised by S5: Add an index",
    ]


def test_options_are_the_branches_with_their_fate_their_end_and_why():
    thoughts = [
        thought(1),
        thought(2, branch_id="a", origin=1, prev=1, branch_from=1),
        thought(3, branch_id="b", origin=1, prev=1, branch_from=1, text="S3|H|S1|Another way"),
        thought(4, branch_id="c", origin=3, prev=3, branch_from=3),
        thought(5, prev=1, kind="decision", text="Decision: as [b:S3]", adopts=("b",)),
    ]
    said = Settling(seq=6, branch="a", fate="rejected", why="Too\nslow", timestamp=AT, after="5")
    fates = {"a": Settled("rejected", 6), "b": Settled("adopted", 5)}

    shown = "".join(markdown_chunks(SESSION, thoughts, {}, fates, [said], with_metadata=True))

    assert section(shown, "Options") == [
        "- **a**, rejected, from S1: text 2  ",
        "  Why: Too slow",
        "- **b**, adopted by S5, from S1: Another way",
        "- **c**, open, from b:S3: text 4",
    ]
    assert "### Branch a (from S1, rejected)\n" in shown


def test_sections_that_have_nothing_to_say_are_left_out():
    shown = markdown([thought(1)])

    assert re.findall("^#+ .*", shown, re.MULTILINE) == [
        "# Slow pages",
        "## Problem",
        "## Thoughts",
        "### S1 · Thought",
    ]


LABELS = [
    ({"kind": "observation"}, "Observation"),
    ({"kind": "claim", "labels": ("hypothesis",), "relations": (relation("derived_from", 1),)}, "Hypothesis from S1"),
    ({"kind": "claim", "labels": ("assumption",)}, "Assumption"),
    ({"kind": "claim", "labels": ("conclusion",)}, "Conclusion"),
    ({"kind": "claim", "labels": ("rejected",)}, "Rejection"),
    ({"kind": "claim"}, "Thought"),
    ({"kind": "evidence", "relations": (relation("supports", 1),)}, "Evidence for S1"),
    ({"kind": "evidence", "relations": (relation("contradicts", 1),)}, "Evidence against S1"),
    ({"kind": "question", "relations": (relation("relates_to", 1),)}, "Question on S1"),
    ({"kind": "plan", "relations": (relation("derived_from", 1), relation("derived_from", 2))}, "Plan from S1, S2"),
    (
        {"kind": "decision", "relations": (relation("derived_from", 1), relation("answers", 2))},
        "Decision from S1; answers S2",
    ),
    (
        {
            "kind": "revision",
            "labels": ("rejected",),
            "relations": (relation("contradicts", 1), relation("derived_from", 2)),
        },
        "Rejects S1; from S2",
    ),
    ({"kind": "revision", "relations": (relation("revises", 1),)}, "Revises S1"),
    ({"kind": "claim", "revises_number": 9}, "Thought revises S9"),
    ({"kind": "claim", "relations": (relation("supports", 99),)}, "Thought supports th:99"),
]


@pytest.mark.parametrize(("given", "label"), LABELS, ids=[label for _, label in LABELS])
def test_a_thought_has_its_label_in_words(given: dict[str, Any], label: str):
    assert f"\n### S3 · {label}\n" in markdown([thought(1), thought(2), thought(3, **given)])


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("S2|E|⊕[S1],S1|Scans | take 61 % (!)", "> Scans | take 61 %"),
        ("S2|C|S1|∴ Add an index", "> Add an index"),
        ("S2|H|S1|No index\nas the log says", "> No index\n> as the log says"),
        ("As said:\nS2|H|No index", "> As said:\n> No index"),
        ("S2|X|S1", None),
    ],
)
def test_no_notation_is_left_in_what_a_thought_says(text: str, shown: str | None):
    quote = markdown([thought(1), thought(2, text=text)]).partition("### S2 · Thought\n\n")[2].rstrip()

    assert quote == (shown or "")


def test_markdown_without_metadata_goes_from_the_title_to_the_problem():
    shown = "".join(markdown_chunks(SESSION, FORKED[:1], {}, with_metadata=False))

    assert shown.startswith("# Slow pages\n\n## Problem\n\n> text 1\n\n## Thoughts\n\n### S1 · Observation\n")


def test_the_description_is_part_of_the_problem_and_the_line_of_no_tags_is_left_out():
    given = Session(id="s", title="t", created_at=AT, updated_at=AT, last_accessed_at=AT, description="one\ntwo")

    shown = markdown([thought(1)], session=given)

    assert "**Tags:**" not in shown
    assert section(shown, "Problem") == ["> one", "> two", "", "> text 1"]


@settings(deadline=None)
@given(st.lists(st.one_of(nasty, texts), min_size=1, max_size=4), st.one_of(nasty, texts))
def test_no_text_can_break_the_structure_of_markdown(said: list[str], title: str):
    thoughts = [thought(seq, text=text) for seq, text in enumerate(said, 1)]
    thoughts.append(
        thought(
            9,
            kind="revision",
            labels=("rejected",),
            text=title,
            relations=tuple(relation("contradicts", one.seq) for one in thoughts),
        )
    )
    session = Session(id="s", title="T " + title, created_at=AT, updated_at=AT, last_accessed_at=AT, tags=(title,))

    tokens = MarkdownIt().parse(markdown(thoughts, {1: CRITIQUE}, session))

    outline = [token.tag for token in tokens if token.level == 0 and token.type == "heading_open"]
    assert outline == ["h1", "h2", "h2", "h2", *("h3" for _ in thoughts)]
    assert sum(token.type == "blockquote_open" and token.level == 0 for token in tokens) == len(thoughts) + 2
    assert sum(token.type == "list_item_open" and token.level == 1 for token in tokens) == len(said)


@settings(deadline=None)
@given(st.one_of(nasty, texts))
def test_struck_text_ends_where_it_should(text: str):
    """As a renderer of GitHub's Markdown sees it."""
    thoughts = [
        thought(1, text=text),
        thought(2, kind="revision", labels=("rejected",), text="S2|X|S1|why", relations=(relation("contradicts", 1),)),
    ]

    (line,) = section(markdown(thoughts), "Rejected")
    [paragraph] = [
        token for token in MarkdownIt("commonmark").enable("strikethrough").parse(line) if token.type == "inline"
    ]

    kinds = [token.type for token in paragraph.children or ()]
    assert (kinds.count("s_open"), kinds.count("s_close")) == (1, 1)
    behind = [token.content for token in (paragraph.children or ())[kinds.index("s_close") :]]
    assert "".join(behind) == ", rejected by S2: why"


@settings(deadline=None)
@given(st.one_of(nasty, texts))
def test_a_text_can_be_recovered_from_markdown(text: str):
    shown = "".join(markdown_chunks(SESSION, [thought(1, text=text)], {}, with_metadata=False))

    quote = shown.partition("### S1 · Thought\n\n")[2].removesuffix("\n\n")
    unquoted = re.sub(r"(\A|\r\n|\r|\n)> ", r"\1", quote)
    unescaped = re.sub(r"!\\(\\*)\[", r"!\1[", unquoted)
    assert re.sub("&lt;|&amp;(?=(?:amp;)*lt;)", lambda found: "<" if found[0] == "&lt;" else "&", unescaped) == text


@settings(deadline=None)
@given(st.one_of(st.sampled_from(ACTIVE), nasty, texts))
def test_nothing_in_markdown_is_run_or_fetched(text: str):
    """As a renderer of CommonMark sees it."""
    session = replace(SESSION, title=text, description=text, tags=(text,))
    named = replace(thought(2, text="x"), branch_id=text, origin=1, relations=({"type": "supports", "to": text},))
    thoughts = [
        thought(1, text=text),
        named,
        thought(3, kind="decision", text=text, relations=(relation("derived_from", 1), relation("derived_from", 2))),
        thought(4, kind="question", text=text),
        thought(5, kind="revision", revises=1, revises_number=1, text=text, relations=(relation("revises", 1),)),
        thought(6, kind="revision", labels=("rejected",), text=text, relations=(relation("contradicts", 2),)),
    ]
    critiques = {named.seq: Critique(text=text, model=text, timestamp="2026-01-01T00:00:00.000Z")}
    said = Settling(seq=7, branch=text, fate="rejected", why=text, timestamp=AT)
    fates = {text: Settled("rejected", 7)}
    shown = "".join(markdown_chunks(session, thoughts, critiques, fates, [said], with_metadata=True))

    found = [
        token.type for block in MarkdownIt("commonmark").parse(shown) for token in (block, *(block.children or ()))
    ]

    assert not {"html_block", "html_inline", "image"} & set(found)


def test_branches_stand_behind_the_thoughts_they_fork_from(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(document, "_HELD_IN_MEMORY", 1000)
    wide = "wide é " * 50
    thoughts = [
        thought(1, text=wide),
        thought(2, text=wide),
        thought(3, branch_id="late", origin=2, number=3),
        thought(4, branch_id="a", origin=1, number=2),
        thought(5, branch_id="inner", origin=4, number=3),
        thought(6, branch_id="lost", number=2),
        thought(7, branch_id="a", origin=1, number=3),
        thought(8, branch_id="b", origin=1, number=2),
        thought(9, number=3),
    ]

    shown = markdown(thoughts)

    assert re.findall(r"^###+ (Branch \w+|\S+)", shown, re.MULTILINE) == [
        *("S1", "Branch a", "a:S2", "Branch inner", "inner:S3", "a:S3", "Branch b", "b:S2"),
        *("S2", "Branch late", "late:S3", "S3", "Branch lost", "lost:S2"),
    ]
    assert shown.rstrip().endswith("#### lost:S2 · Thought\n\n> text 6")
    assert shown.count("> " + wide) == 2


def test_the_thoughts_are_gone_through_twice_however_many_branches_there_are():
    reads = 0

    def read() -> Iterator[Thought]:
        nonlocal reads
        reads += 1
        yield thought(1)
        for seq in range(2, 2_000):
            yield thought(seq, branch_id=f"b{seq % 500}", origin=1)

    shown = "".join(markdown_chunks(SESSION, Rereadable(read), {}, with_metadata=True))

    assert shown.partition("## Thoughts")[2].count("> text ") == 1_999
    assert reads == 2


def test_an_iterator_is_refused_since_it_can_be_gone_through_only_once():
    with pytest.raises(TypeError, match="Rereadable"):
        next(markdown_chunks(SESSION, iter(FORKED), {}, with_metadata=True))
