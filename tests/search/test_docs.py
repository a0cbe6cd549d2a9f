"""The examples of docs/search.md are true."""

from __future__ import annotations

import re
from pathlib import Path

from tests.search.conftest import Library
from thoughtbox.search import candidates, indexes, query, texts, words

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "search.md").read_text(encoding="utf-8")


def test_every_query_on_the_page_finds_what_the_page_says(library: Library):
    records = re.findall(r"^\| th:(\d+) \| (.+) \|$", PAGE, re.MULTILINE)
    asked = re.findall(r"^\| `(.+)` \| (th:.+|nothing) \|$", PAGE, re.MULTILINE)

    assert [f"{seq}" for seq in library.add(*[text for _, text in records])] == [number for number, _ in records]
    assert len(asked) >= 10
    for said, found in asked:
        assert library.seqs(said) == [int(number) for number in re.findall(r"th:(\d+)", found)], said


def test_the_limits_on_the_page_are_those_of_the_code():
    for limit in (
        f"the first {query.MOST_WORDS}, in the first {query.LONGEST_QUERY:,} characters",
        f"| records on a page | {texts.LARGEST_PAGE} |",
        f"| texts that are compared | {indexes.MOST_MATCHES:,}: if more match",
        f"| texts that are listed | the best {candidates.MOST_RANKED} |",
        f"the first {words.IN_ORDER:,} |",
        f"about {words.MOST_BYTES // 1000} KB of them",
        f"the first {words.LONGEST_WORD} count",
    ):
        assert limit in PAGE
