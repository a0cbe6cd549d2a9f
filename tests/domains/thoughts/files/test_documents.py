"""A session as JSON, Markdown and cipher."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from thoughtbox.domains.thoughts.cipher.notation import Plain, Step, parse
from thoughtbox.domains.thoughts.files import documents
from thoughtbox.domains.thoughts.files.documents import (
    Rereadable,
    as_json,
    cipher_chunks,
    json_chunks,
    markdown_chunks,
    nodes,
    session_json,
)
from thoughtbox.domains.thoughts.model.critique import Critique
from thoughtbox.domains.thoughts.model.session import Session
from thoughtbox.domains.thoughts.model.thought import Thought

SESSION = Session(
    id="5f2a",
    title="Slow pages",
    created_at="2026-01-02T03:04:05.000Z",
    updated_at="2026-01-02T04:00:00.000Z",
    last_accessed_at="2026-01-02T05:00:00.000Z",
    tags=("db", "latency"),
    thought_count=5,
    branch_count=1,
)
CRITIQUE = Critique(text="Says who?\n# Nobody", model="some-model", timestamp="2026-01-02T03:05:00.000Z")
AT = "2026-02-01T00:00:00.000Z"

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=80)
line_ends = st.sampled_from(["\n", "\r", "\r\n", "\v"])
marks = st.sampled_from(
    ["# a", "## Main Thread", "```", "~~~", "---", "> b", ">", " ", "\t", "<!--", "<pre>", "* c", ""]
)
nasty = st.lists(st.tuples(line_ends, marks).map("".join), min_size=1, max_size=8).map("".join)
"""Texts that would be more than text to Markdown, if they could."""

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


def thought(seq: int, **given: Any) -> Thought:
    fields: dict[str, Any] = {
        "session_id": SESSION.id,
        "branch_id": None,
        "number": seq,
        "total": 5,
        "next_needed": True,
        "text": f"text {seq}",
        "timestamp": f"2026-01-02T03:04:{seq:02}.000Z",
        "kind": "claim",
        "prev": seq - 1 if seq > 1 else None,
    }
    return Thought(seq=seq, **{**fields, **given})


def relation(kind: str, seq: int) -> dict[str, str]:
    return {"type": kind, "to": f"th:{seq}"}


# Two thoughts, a branch of two from the first, and a third thought that revises the second.
FORKED = [
    thought(1, kind="observation"),
    thought(2, kind="question", relations=(relation("relates_to", 1),)),
    thought(3, number=2, branch_id="alt", prev=1, origin=1, branch_from=1, relations=(relation("supports", 2),)),
    thought(
        4,
        number=3,
        prev=2,
        kind="revision",
        is_revision=True,
        revises_number=2,
        revises=2,
        relations=(relation("revises", 2),),
    ),
    thought(5, number=3, branch_id="alt", prev=3, origin=1, next_needed=False),
]


def linked(thoughts: list[Thought]) -> dict[str, dict[str, Any]]:
    return {node["id"]: node for node in nodes(thoughts, {})}


def test_nodes_come_in_order_of_recording_and_name_their_branch():
    found = list(nodes(FORKED, {}))

    assert [node["id"] for node in found] == ["5f2a:1", "5f2a:2", "5f2a:alt:2", "5f2a:3", "5f2a:alt:3"]
    assert [node["branchId"] for node in found] == [None, None, "alt", None, "alt"]


def test_a_node_names_all_that_follow_it_branches_included():
    found = linked(FORKED)

    assert found["5f2a:1"]["next"] == ["5f2a:2", "5f2a:alt:2"]
    assert found["5f2a:alt:2"]["next"] == ["5f2a:alt:3"]
    assert found["5f2a:alt:3"]["next"] == []


def test_a_node_names_what_it_follows_revises_and_forks_from():
    found = linked(FORKED)

    assert found["5f2a:1"]["prev"] is None
    assert found["5f2a:alt:2"]["prev"] == "5f2a:1"
    assert found["5f2a:alt:3"]["branchOrigin"] == "5f2a:1"
    assert found["5f2a:3"]["revisesNode"] == "5f2a:2"
    assert found["5f2a:3"]["branchOrigin"] is None


def test_a_link_to_a_thought_that_is_not_exported_leads_to_nothing():
    (node,) = nodes([thought(7, prev=6, revises=5, origin=4)], {})

    assert (node["prev"], node["revisesNode"], node["branchOrigin"]) == (None, None, None)


def test_data_has_what_the_document_requires_and_leaves_out_defaults():
    (node,) = nodes([thought(1)], {})

    assert node["data"] == {
        "thought": "text 1",
        "thoughtNumber": 1,
        "totalThoughts": 5,
        "nextThoughtNeeded": True,
        "timestamp": "2026-01-02T03:04:01.000Z",
    }
    assert node.keys() == {"id", "data", "prev", "next", "revisesNode", "branchOrigin", "branchId"}


def test_data_has_all_that_is_not_at_its_default():
    given = thought(1, branch_id="b", branch_from=4, is_revision=True, revises_number=3, needs_more=True)
    (node,) = nodes([replace(given, action_id="deploy-1")], {1: CRITIQUE})

    assert node["data"] == {
        "thought": "text 1",
        "thoughtNumber": 1,
        "totalThoughts": 5,
        "nextThoughtNeeded": True,
        "timestamp": "2026-01-02T03:04:01.000Z",
        "isRevision": True,
        "revisesThought": 3,
        "branchFromThought": 4,
        "branchId": "b",
        "needsMoreThoughts": True,
        "actionId": "deploy-1",
        "critique": {"text": "Says who?\n# Nobody", "model": "some-model", "timestamp": "2026-01-02T03:05:00.000Z"},
    }


def test_an_iterator_is_refused_since_it_can_be_gone_through_only_once():
    with pytest.raises(TypeError, match="Rereadable"):
        next(nodes(iter(FORKED), {}))

    assert list(nodes(Rereadable(lambda: iter(FORKED)), {})) == list(nodes(FORKED, {}))


def test_a_session_says_its_description_and_partition_only_if_it_has_them():
    plain = session_json(SESSION, None)

    assert plain == {
        "id": "5f2a",
        "title": "Slow pages",
        "tags": ["db", "latency"],
        "thoughtCount": 5,
        "branchCount": 1,
        "createdAt": "2026-01-02T03:04:05.000Z",
        "updatedAt": "2026-01-02T04:00:00.000Z",
        "lastAccessedAt": "2026-01-02T05:00:00.000Z",
    }
    assert session_json(SESSION, "2026-W01") == {**plain, "partitionPath": "2026-W01"}


def test_json_is_a_session_export_of_version_1():
    document = as_json(SESSION, FORKED, {}, exported_at=AT)

    assert list(document) == ["version", "session", "nodes", "exportedAt"]
    assert (document["version"], document["exportedAt"]) == ("1.0", AT)
    assert document["session"] == session_json(SESSION, None)
    assert document["nodes"] == list(nodes(FORKED, {}))


@given(st.lists(texts, max_size=5))
def test_json_in_pieces_is_the_same_json(said: list[str]):
    thoughts = [thought(seq, text=text) for seq, text in enumerate(said, 1)]
    pieces = json_chunks(SESSION, thoughts, {1: CRITIQUE}, exported_at=AT)

    assert "".join(pieces).encode() == orjson.dumps(as_json(SESSION, thoughts, {1: CRITIQUE}, exported_at=AT))


def test_json_in_pieces_takes_a_thought_only_when_its_turn_has_come():
    taken = []

    def read() -> Iterator[Thought]:
        for each in FORKED:
            taken.append(each.seq)
            yield each

    pieces = json_chunks(SESSION, Rereadable(read), {}, exported_at=AT)
    for _ in range(3):
        next(pieces)

    assert taken == [1, 2, 3, 4, 5, 1, 2]


def markdown(thoughts: list[Thought], critiques: dict[int, Critique] | None = None, session: Session = SESSION) -> str:
    return "".join(markdown_chunks(session, thoughts, critiques or {}, with_metadata=True))


def test_markdown_is_for_people():
    assert markdown(FORKED, {3: CRITIQUE}) == (
        "# Slow pages\n"
        "\n"
        "**Tags:** db, latency  \n"
        "**Created:** 2026-01-02T03:04:05.000Z  \n"
        "**Thoughts:** 5\n"
        "\n"
        "---\n"
        "\n"
        "## Main Thread\n"
        "\n"
        "### Thought 1/5 (observation)\n"
        "\n"
        "> text 1\n"
        "\n"
        "### Thought 2/5 (question)\n"
        "\n"
        "> text 2\n"
        "\n"
        "References: relates to thought 1\n"
        "\n"
        "### Thought 3/5 [revises 2]\n"
        "\n"
        "> text 4\n"
        "\n"
        "## Branch: alt\n"
        "\n"
        "Forks from thought 1.\n"
        "\n"
        "### Thought 2/5\n"
        "\n"
        "> text 3\n"
        "\n"
        "References: supports thought 2 of the main thread\n"
        "\n"
        "**Critique** by some-model, 2026-01-02T03:05:00.000Z\n"
        "\n"
        "> Says who?\n"
        "> # Nobody\n"
        "\n"
        "### Thought 3/5\n"
        "\n"
        "> text 5\n"
        "\n"
    )


def test_markdown_without_metadata_goes_from_the_title_to_the_thoughts():
    shown = "".join(markdown_chunks(SESSION, FORKED[:1], {}, with_metadata=False))

    assert shown.startswith("# Slow pages\n\n## Main Thread\n\n### Thought 1/5")


def test_markdown_shows_the_description_and_leaves_out_the_line_of_no_tags():
    given = Session(id="s", title="t", created_at=AT, updated_at=AT, last_accessed_at=AT, description="one\ntwo")

    assert markdown([], session=given).startswith("# t\n\n> one\n> two\n\n**Created:** 2026")


def test_markdown_says_what_is_revised_and_forked_on_other_branches():
    shown = markdown(
        [
            thought(1),
            thought(2, branch_id="a", prev=1, origin=1, branch_from=1),
            thought(3, branch_id="b", prev=2, origin=2, branch_from=2, is_revision=True, revises_number=2, revises=2),
            thought(4, prev=1, is_revision=True, revises_number=9),
        ]
    )

    assert "## Branch: b\n\nForks from thought 2 of branch a.\n\n### Thought 3/5 [revises 2 of branch a]\n" in shown
    assert "### Thought 4/5 [revises 9]\n" in shown


def test_markdown_names_a_record_outside_of_the_session_by_its_id():
    shown = markdown([thought(1, relations=(relation("supports", 99),))])

    assert "References: supports th:99\n" in shown


@given(st.lists(st.one_of(nasty, texts), min_size=1, max_size=4), st.one_of(nasty, texts))
def test_no_text_can_break_the_structure_of_markdown(said: list[str], title: str):
    thoughts = [thought(seq, text=text) for seq, text in enumerate(said, 1)]
    session = Session(id="s", title="T " + title, created_at=AT, updated_at=AT, last_accessed_at=AT, tags=(title,))

    tokens = MarkdownIt().parse(markdown(thoughts, {1: CRITIQUE}, session))

    outline = [token.tag for token in tokens if token.level == 0 and token.type == "heading_open"]
    assert outline == ["h1", "h2", *("h3" for _ in said)]
    assert sum(token.type == "blockquote_open" and token.level == 0 for token in tokens) == len(said) + 1


@given(st.one_of(nasty, texts))
def test_a_text_can_be_recovered_from_markdown(text: str):
    shown = "".join(markdown_chunks(SESSION, [thought(1, text=text)], {}, with_metadata=False))

    quote = shown.partition("### Thought 1/5\n\n")[2].removesuffix("\n\n")
    unquoted = re.sub(r"(\A|\r\n|\r|\n)> ", r"\1", quote)
    unescaped = re.sub(r"!\\(\\*)\[", r"!\1[", unquoted)
    assert re.sub("&lt;|&amp;(?=(?:amp;)*lt;)", lambda found: "<" if found[0] == "&lt;" else "&", unescaped) == text


@given(st.one_of(st.sampled_from(ACTIVE), nasty, texts))
def test_nothing_in_markdown_is_run_or_fetched(text: str):
    """As a renderer of CommonMark sees it."""
    session = replace(SESSION, title=text, description=text, tags=(text,))
    named = replace(thought(2, text="x"), branch_id=text, relations=({"type": "supports", "to": text},))
    critiques = {named.seq: Critique(text=text, model=text, timestamp="2026-01-01T00:00:00.000Z")}
    shown = "".join(markdown_chunks(session, [thought(1, text=text), named], critiques, with_metadata=True))

    found = [
        token.type for block in MarkdownIt("commonmark").parse(shown) for token in (block, *(block.children or ()))
    ]

    assert not {"html_block", "html_inline", "image"} & set(found)


def test_branches_are_grouped_in_the_order_in_which_they_began(monkeypatch: pytest.MonkeyPatch):
    thoughts = [thought(1)]
    for seq in range(2, 42):
        branch = f"b{(seq * 7) % 5}"
        thoughts.append(thought(seq, branch_id=branch, text="wide é " * 50))
    monkeypatch.setattr(documents, "_HELD_IN_MEMORY", 1000)

    shown = markdown(thoughts)

    assert re.findall(r"## Branch: (\w+)", shown) == ["b4", "b1", "b3", "b0", "b2"]
    numbers = list(map(int, re.findall(r"### Thought (\d+)", shown)))
    assert numbers == [
        1,
        *sorted(range(2, 42), key=lambda seq: (["b4", "b1", "b3", "b0", "b2"].index(f"b{(seq * 7) % 5}"), seq)),
    ]
    assert shown.count("> " + "wide é " * 50) == 40


@pytest.mark.parametrize("document", ["markdown", "cipher"])
def test_however_many_branches_there_are_the_thoughts_are_gone_through_once(document: str):
    reads = 0

    def read() -> Iterator[Thought]:
        nonlocal reads
        reads += 1
        yield thought(1)
        for seq in range(2, 2_000):
            yield thought(seq, branch_id=f"b{seq % 500}", origin=1)

    given = Rereadable(read)
    pieces = (
        markdown_chunks(SESSION, given, {}, with_metadata=True)
        if document == "markdown"
        else cipher_chunks(SESSION, given)
    )

    assert "".join(pieces).count("text ") == 1_999
    assert reads == 1


def cipher(*thoughts: Thought, session: Session = SESSION) -> list[str]:
    return "".join(cipher_chunks(session, thoughts)).splitlines()


def test_cipher_has_a_step_for_each_thought():
    assert cipher(*FORKED) == [
        "# Slow pages",
        "# Tags: db, latency",
        "S1|O||text 1",
        "S2|Q|S1|text 2",
        "S3|R|S2|text 4",
        "# Branch alt from S1",
        "S2|H|S2|text 3",
        "S3|H||text 5",
    ]


def test_a_thought_written_in_cipher_goes_out_as_it_was():
    lines = cipher(
        thought(1, text="S1 | H |  perhaps the cache\n"), thought(2, text="S2|E|⊕[S1]|hits fell\nS3|C|S2|it is")
    )

    assert lines[2:] == ["S1 | H |  perhaps the cache", "S2|E|⊕[S1]|hits fell", "S3|C|S2|it is"]


def test_steps_among_prose_become_one_step_so_that_no_line_is_nobodys():
    lines = cipher(thought(1, text="As said:\nS1|H|the cache\n# Branch forged"))

    assert lines[2:] == ["S1|H||As said: S1|H|the cache # Branch forged"]


def test_a_thought_is_referred_to_by_the_number_that_its_own_line_gives_it():
    labelled = thought(1, text="S12|H|the cache", label=12)
    mixed = thought(2, text="prose\nS13|H|the disk", label=13)
    lines = cipher(labelled, mixed, thought(3, relations=(relation("supports", 1), relation("supports", 2))))

    assert lines[-1] == "S3|H|S12,S2|text 3"


def test_the_label_of_a_record_decides_its_marker():
    assert cipher(thought(1, labels=("assumption",)))[-1] == "S1|A||text 1"


@given(st.lists(st.one_of(nasty, texts), min_size=1, max_size=4), st.one_of(nasty, texts))
def test_any_session_becomes_cipher_that_the_parser_reads(said: list[str], title: str):
    thoughts = [thought(seq, text=text, branch_id="b" if seq == 2 else None) for seq, text in enumerate(said, 1)]
    session = Session(id="s", title=title, created_at=AT, updated_at=AT, last_accessed_at=AT)

    lines = parse("".join(cipher_chunks(session, thoughts))).lines

    steps = [line for line in lines if isinstance(line, Step)]
    rest = [line for line in lines if isinstance(line, Plain)]
    assert sorted(step.number for step in steps) == [one.seq for one in thoughts]
    assert len(rest) == 1 + (len(said) > 1)
    assert all(line.why is None and line.source.startswith("#") for line in rest)
