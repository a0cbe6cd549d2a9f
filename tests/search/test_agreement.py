"""Every engine finds what the language says, and so all of them find the same."""

from __future__ import annotations

from itertools import count

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.search.conftest import Library
from thoughtbox.search.query import Term, parse
from thoughtbox.search.words import words

WORKSPACES = count(1)

WORDS = ["a", "ab", "abc", "b", "Bé", "be", "OR", "the", "東", "東京", "京", "x-1", "1", "ẞ", "ss"]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join), min_size=1, max_size=6)
TERMS = st.one_of(
    st.sampled_from(WORDS),
    st.sampled_from(WORDS).map(lambda word: f"{word}*"),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(lambda words: f'"{" ".join(words)}"'),
)
QUERIES = st.lists(st.one_of(TERMS, TERMS, TERMS.map(lambda term: f"-{term}"), st.just("OR")), max_size=6).map(" ".join)


def holds(text: list[str], term: Term) -> bool:
    """Whether the words of a text have those of the term in a row somewhere."""
    *others, last = term.words
    for start in range(len(text) - len(others)):
        end = start + len(others)
        ends_well = text[end].startswith(last) if term.prefix else text[end] == last
        if ends_well and text[start:end] == others:
            return True
    return False


def matches(text: str, query: str) -> bool:
    said, asked = words(text), parse(query)
    return (
        bool(asked.wanted)
        and all(any(holds(said, term) for term in group) for group in asked.wanted)
        and not any(holds(said, term) for term in asked.excluded)
    )


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=TEXTS, queries=st.lists(QUERIES, min_size=1, max_size=8))
def test_what_is_found_is_what_the_query_means(library: Library, texts: list[str], queries: list[str]):
    workspace = f"w{next(WORKSPACES)}"
    library.add(*texts, workspace=workspace)

    for query in queries:
        meant = [seq for seq, text in enumerate(texts, start=1) if matches(text, query)]
        assert library.seqs(query, workspace=workspace) == meant, query
