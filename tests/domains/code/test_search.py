"""`search`: the catalog by a snippet or by plain words; and what is declared for those who write snippets."""

from __future__ import annotations

from typing import Any

import pytest
from mcp_types import TextResourceContents

from tests.support.agent import Agent
from tests.support.box import Box
from tests.support.boxes import box, open_box
from thoughtbox import tbx
from thoughtbox.errors import InvalidPayload, LimitExceeded, SnippetFailed, SnippetInvalid

__all__ = ["box", "open_box"]

SNIPPETS = {
    "javascript": 'catalog.operations.filter(o => o.room === "trail" && !o.writes).map(o => o.name)',
    "typescript": (
        "type Op = {room: string; writes: boolean; name: string};\n"
        'catalog.operations.filter((o: Op) => o.room === "trail" && !o.writes).map((o: Op) => o.name)'
    ),
    "python": '[o["name"] for o in catalog["operations"] if o["room"] == "trail" and not o["writes"]]',
}


@pytest.mark.parametrize("language", SNIPPETS)
def test_a_snippet_searches_the_catalog_in_each_language(language: str):
    box = Box()
    answer = box.call("search", {"code": SNIPPETS[language], "language": language})

    assert answer["language"] == language
    assert "trail.thought_tree" in answer["result"]
    assert "trail.thought_plan" not in answer["result"]


def test_the_catalog_has_operations_kinds_relations_prompts_and_resources():
    box = Box()
    code = "({...Object.fromEntries(Object.entries(catalog).map(([name, list]) => [name, Object.keys(list[0])]))})"
    found = box.call("search", {"code": code, "language": "javascript"})["result"]

    assert set(found) == {"operations", "kinds", "relations", "prompts", "resources"}
    assert {"name", "room", "summary", "signature", "input", "output", "example", "errors"} <= set(found["operations"])


def test_plain_words_find_what_fits_best_with_how_it_is_called():
    box = Box()
    answer = box.call("search", {"query": "rename a session", "limit": 3})

    assert answer["result"][0]["name"] == "thoughts.session.rename"
    assert answer["result"][0]["signature"].startswith("tb.thoughts.session.rename(")
    assert len(answer["result"]) == 3


@pytest.mark.parametrize("arguments", [{}, {"query": "x", "code": "1"}])
def test_either_words_or_a_snippet_are_wanted(arguments: dict[str, Any]):
    box = Box()
    with pytest.raises(InvalidPayload) as refused:
        box.call("search", arguments)

    assert refused.value.details["fields"] == ["query", "code"]


def test_searching_leaves_nothing_behind(box: Box):
    box.call("search", {"code": "catalog.kinds.length", "language": "javascript"})
    with pytest.raises(SnippetFailed):
        box.call("search", {"code": "nothing.at.all", "language": "javascript"})

    assert box.ledger_status()["records"] == 0


@pytest.mark.parametrize(
    ("language", "code"),
    [("javascript", 'tb.claim("x")'), ("python", 'tb.claim("x")'), ("typescript", "tb.vars.list()")],
)
def test_a_snippet_that_searches_has_nothing_to_write_with(box: Box, language: str, code: str):
    with pytest.raises((SnippetFailed, SnippetInvalid)):
        box.call("search", {"code": code, "language": language})

    assert box.ledger_status()["records"] == 0


def test_a_search_that_never_ends_is_ended():
    box = Box()
    with pytest.raises(LimitExceeded) as refused:
        box.call("search", {"code": "while (true) {}", "language": "javascript"})

    assert refused.value.details["limit"] == "cpu"


def test_what_is_too_long_is_refused_by_its_length():
    box = Box()
    for operation, arguments in (
        ("execute", {"code": " " * 70_000}),
        ("search", {"code": " " * 70_000}),
        ("search", {"query": "x" * 501}),
    ):
        with pytest.raises(LimitExceeded) as refused:
            box.call(operation, arguments)
        assert refused.value.details["limit"] == "length"


def test_declarations_are_there_for_both_languages_whole_or_in_part():
    box = Box()
    whole = box.call("declarations", {"language": "python"})["text"]
    part = box.call("declarations", {"language": "typescript", "names": ["trail"]})["text"]

    assert "def claim(self, text" in whole
    assert "thought_tree" in part
    assert "graph_apply" not in part


def test_declarations_are_resources(agent: Agent):
    for file, holds in (("tb.d.ts", "declare const tb"), ("tb.pyi", "class Tb")):
        uri = f"thoughtbox://code/{file}"
        [found] = agent.run(lambda uri=uri: agent.client.read_resource(uri, meta=agent.meta)).contents
        assert isinstance(found, TextResourceContents)
        assert holds in found.text


def test_a_snippet_may_answer_in_the_compact_form_with_its_records_in_full(box: Box):
    code = 'const c = tb.claim("Reads dominate", {confidence: 0.5});\ntb.evidence("40 to 1", {supports: [c]});\n[1, 2]'
    given = {"code": code, "language": "javascript", "session": "s1", "format": "tbx"}

    message = box.call("execute", given)

    assert message["v"] == "tbx-c1"
    answer = tbx.decode(message)
    assert answer["result"] == [1, 2]
    assert [record["body"]["text"] for record in answer["records"]] == ["Reads dominate", "40 to 1"]
    assert answer["records"] == [box.ledger_record(id=f"th:{seq}")["record"] for seq in (2, 3)]
