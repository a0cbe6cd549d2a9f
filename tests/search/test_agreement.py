"""Every engine finds what the language says, and so all of them find the same."""

from __future__ import annotations

from itertools import count

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.search.conftest import Library
from thoughtbox.search.english import stem
from thoughtbox.search.query import Term, parse
from thoughtbox.search.words import words

WORKSPACES = count(1)

WORDS = [
    *("a", "ab", "abc", "b", "Bé", "be", "OR", "the", "東", "東京", "京", "x-1", "1", "ẞ", "ss"),
    *("caches", "cached", "decision", "decided", "write", "wrote"),
]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join), min_size=1, max_size=6)
BEGINNINGS = ["a", "ab", "東", "caching", "cach", "decisi", "deci", "wr", "wro", "x"]
TERMS = st.one_of(
    st.sampled_from(WORDS),
    st.sampled_from(BEGINNINGS).map(lambda word: f"{word}*"),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(lambda words: f'"{" ".join(words)}"'),
)
SIGNED = st.one_of(TERMS, TERMS, TERMS.map(lambda term: f"-{term}"), TERMS.map(lambda term: f"+{term}"), st.just("OR"))
QUERIES = st.tuples(st.sampled_from(["", "", "all: "]), st.lists(SIGNED, max_size=6).map(" ".join)).map("".join)


def holds(text: list[str], term: Term, known: set[str]) -> bool:
    """Whether the words of a text have those of the term in a row somewhere, in whichever form."""
    *others, last = term.words
    for start in range(len(text) - len(others)):
        end = start + len(others)
        if _ends(text[end], last, known if term.prefix else None) and [stem(word) for word in text[start:end]] == [
            stem(word) for word in others
        ]:
            return True
    return False


def _ends(word: str, last: str, known: set[str] | None) -> bool:
    """Whether it is the last word in another form; of a beginning, whether a word of the same stem begins so."""
    if known is None:
        return stem(word) == stem(last)
    return stem(word).startswith(last) or any(
        form.startswith(last) and stem(form) == stem(word) for form in known if form[:2] == last[:2]
    )


def matches(text: str, query: str, known: set[str]) -> bool:
    said, asked = words(text), parse(query)
    return (
        bool(asked.terms)
        and (bool(asked.demanded) or any(holds(said, term, known) for term in asked.wanted))
        and all(any(holds(said, term, known) for term in group) for group in asked.demanded)
        and not any(holds(said, term, known) for term in asked.excluded)
    )


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=TEXTS, queries=st.lists(QUERIES, min_size=1, max_size=8))
def test_what_is_found_is_what_the_query_means(library: Library, texts: list[str], queries: list[str]):
    workspace = f"w{next(WORKSPACES)}"
    library.add(*texts, workspace=workspace)

    known = {word for text in texts for word in words(text)}
    for query in queries:
        meant = [seq for seq, text in enumerate(texts, start=1) if matches(text, query, known)]
        assert library.seqs(query, workspace=workspace) == meant, query
