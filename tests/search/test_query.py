"""The query language: small, forgiving, and never an error."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thoughtbox.search.match import for_postgres, for_sqlite
from thoughtbox.search.query import LONGEST_QUERY, MOST_WORDS, Query, Term, parse

TERM = r'(?:said : )?"[^"\s]+(?: [^"\s]+)*"(?: \*)?'
FTS5 = re.compile(rf"\(*{TERM}\)*(?:(?: AND | OR | NOT )\(*{TERM}\)*)*")
LEXEME = r"'[^'\s\\]+'(?::\*)?"
TSQUERY = re.compile(rf"[(!]*{LEXEME}\)*(?:(?: & | \| | <-> )[(!]*{LEXEME}\)*)*")

QUERIES = st.one_of(
    st.text(),
    st.text("aB é東 -\"*OR'\\&|!:()<>^{}+,.?\n\t\0"),
    st.lists(st.sampled_from(["a", "bé", "OR", "-", '"', "*", " ", "-x", "y*", '"p q"', "NOT", "NEAR(", "'"])).map(
        "".join
    ),
    st.lists(st.sampled_from(["a", "b", "OR", "-c", "d*", '"e f"', "AND"])).map(" ".join),
)


def word(*words: str, prefix: bool = False) -> tuple[Term, ...]:
    return (Term(words, prefix),)


@pytest.mark.parametrize(
    ("text", "wanted", "excluded"),
    [
        ("a b", [word("a"), word("b")], ()),
        ('"a b" c', [word("a", "b"), word("c")], ()),
        ('a* "b c"*', [word("a", prefix=True), word("b", "c", prefix=True)], ()),
        ('"b c*"', [word("b", "c")], ()),
        ('a -b -"c d" -e*', [word("a")], (Term(("b",)), Term(("c", "d")), Term(("e",), True))),
        ("a OR b c", [word("a") + word("b"), word("c")], ()),
        ("a OR b OR c", [word("a") + word("b") + word("c")], ()),
        ("a OR OR b", [word("a") + word("b")], ()),
        ("a or b", [word("a"), word("or"), word("b")], ()),
        ('a "OR" b', [word("a"), word("or"), word("b")], ()),
        ("OR a OR", [word("or"), word("a"), word("or")], ()),
        ("a OR -b", [word("a"), word("or")], (Term(("b",)),)),
        ("-OR", [], (Term(("or",)),)),
        ("a AND NOT b", [word("a"), word("and"), word("not"), word("b")], ()),
        ("ledger.py read-through", [word("ledger", "py"), word("read", "through")], ()),
        ("src/* *a", [word("src"), word("a")], ()),
        ('--a - -- ""', [], (Term(("a",)),)),
        ('a "b c', [word("a"), word("b"), word("c")], ()),
        ("東京*", [word("東", "京", prefix=True)], ()),
        ("", [], ()),
    ],
)
def test_each_sign_means_what_the_language_says_and_all_else_stands_for_itself(
    text: str, wanted: list[tuple[Term, ...]], excluded: tuple[Term, ...]
):
    assert parse(text) == Query(tuple(wanted), excluded)


@given(QUERIES)
def test_no_text_is_an_error_and_none_brings_syntax_of_its_own(text: str):
    query = parse(text)

    if query.wanted:
        assert FTS5.fullmatch(for_sqlite(query))
        assert TSQUERY.fullmatch(for_postgres(query))
    else:
        assert query.note


@given(QUERIES)
def test_every_term_has_words_and_a_query_is_bounded(text: str):
    query = parse(text)

    assert all(term.words for term in (*query.terms, *query.excluded))
    assert sum(len(term.words) for term in (*query.terms, *query.excluded)) <= MOST_WORDS


@pytest.mark.parametrize("text", ["a " * (MOST_WORDS + 1), '"' + "a " * 200 + '"', "a" + " " * LONGEST_QUERY + "b"])
def test_what_is_too_long_is_cut_and_says_so(text: str):
    query = parse(text)

    assert query.wanted
    assert query.note == f"Only the first {MOST_WORDS} words of the query were looked for."


def test_a_query_of_exclusions_alone_says_what_it_lacks():
    assert "excluded" in (parse("-a -b").note or "")
    assert "a word to look for" in (parse("!?").note or "")
