"""The query language: small, forgiving, and never an error."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thoughtbox.search.match import Match, Sought, for_postgres, for_sqlite
from thoughtbox.search.query import LONGEST_QUERY, MOST_WORDS, Query, Term, parse

TERM = r'(?:said : )?"[^"\s]+(?: [^"\s]+)*"(?: \*)?'
FTS5 = re.compile(rf"\(*{TERM}\)*(?:(?: AND | OR | NOT )\(*{TERM}\)*)*")
LEXEME = r"'[^'\s\\]+'(?::\*)?"
TSQUERY = re.compile(rf"[(!]*{LEXEME}\)*(?:(?: & | \| | <-> )[(!]*{LEXEME}\)*)*")

QUERIES = st.one_of(
    st.text(),
    st.text("aB é東京 -\"*OR'\\&|!:()<>^{}+,.?\n\t\0"),
    st.lists(st.sampled_from(["all:", "a", "bé", "OR", "-", "+", '"', "*", " ", "-x", "y*", '"p q"', "'"])).map(
        "".join
    ),
    st.lists(st.sampled_from(["all:", "x", "b", "OR", "-c", "+the", "d*", '"e f"', "AND"])).map(" ".join),
)


def term(*words: str, prefix: bool = False) -> Term:
    return Term(words, prefix)


def demand(*words: str, prefix: bool = False) -> tuple[Term, ...]:
    return (term(*words, prefix=prefix),)


@pytest.mark.parametrize(
    ("text", "wanted", "demanded", "excluded"),
    [
        ("cold cache", [term("cold"), term("cache")], [], []),
        ("cold cold", [term("cold")], [], []),
        ("cold +cache", [term("cold")], [demand("cache")], []),
        ('"cold cache" write', [term("write")], [demand("cold", "cache")], []),
        ('cach* "cold ca"*', [], [demand("cach", prefix=True), demand("cold", "ca", prefix=True)], []),
        ('"cold ca*"', [], [demand("cold", "ca")], []),
        ('cold -cache -"one two" -e*', [term("cold")], [], [term("cache"), term("one", "two"), term("e", prefix=True)]),
        ("all: cold cache", [], [demand("cold"), demand("cache")], []),
        ("ALL:cold cache -warm", [], [demand("cold"), demand("cache")], [term("warm")]),
        ("all: the cold cache", [], [demand("cold"), demand("cache")], []),
        ("install: cold", [term("install"), term("cold")], [], []),
        ("cold OR cache", [term("cold"), term("cache")], [], []),
        ("cold OR OR cache", [term("cold"), term("cache")], [], []),
        ('"cold cache" OR +write buffer', [term("buffer")], [(term("cold", "cache"), term("write"))], []),
        ("cold OR cach*", [], [(term("cold"), term("cach", prefix=True))], []),
        ("all: cold OR warm cache", [], [(term("cold"), term("warm")), demand("cache")], []),
        ("cold OR -cache", [term("cold")], [], [term("cache")]),
        ("OR cold OR", [term("cold")], [], []),
        ("-OR", [], [], [term("or")]),
        ("why was the cache so cold?", [term("cache"), term("cold")], [], []),
        ("what is it", [term("what"), term("is"), term("it")], [], []),
        ("what is +it", [], [demand("it")], []),
        ('"what is it"', [], [demand("what", "is", "it")], []),
        ("cold -why", [term("cold")], [], [term("why")]),
        ("ledger.py read-ahead", [term("ledger"), term("py"), term("read"), term("ahead")], [], []),
        ("+ledger.py -read-ahead", [], [demand("ledger", "py")], [term("read", "ahead")]),
        ("src/* *cold", [term("src"), term("cold")], [], []),
        ('--cold - -- + ++ ""', [], [], [term("cold")]),
        ('cold "warm cache', [term("cold"), term("warm"), term("cache")], [], []),
        ("東", [term("東")], [], []),
        ("東京都x", [term("東", "京"), term("京", "都"), term("x")], [], []),
        ("+東京都 東京*", [], [demand("東", "京", "都"), demand("東", "京", prefix=True)], []),
        ("", [], [], []),
    ],
)
def test_each_sign_means_what_the_language_says_and_all_else_stands_for_itself(
    text: str, wanted: list[Term], demanded: list[tuple[Term, ...]], excluded: list[Term]
):
    assert parse(text) == Query(tuple(wanted), tuple(demanded), tuple(excluded))


@given(QUERIES)
def test_no_text_is_an_error_and_none_brings_syntax_of_its_own(text: str):
    query = parse(text)

    assert query.terms or query.note
    for others in ((), ("cach", "東")):
        excluded = tuple(Sought.of(term, others) for term in query.excluded)
        demands = tuple(tuple(Sought.of(term, others) for term in group) for group in query.demanded)
        wanted = [(Sought.of(term),) for term in query.wanted]
        for groups in ([demands] if demands else []) + [(one, *demands) for one in wanted]:
            assert FTS5.fullmatch(for_sqlite(Match(groups, excluded)))
            assert TSQUERY.fullmatch(for_postgres(Match(groups, excluded)))


@given(QUERIES)
def test_every_term_has_words_and_a_query_is_bounded(text: str):
    query = parse(text)

    assert all(term.words for term in (*query.terms, *query.excluded))
    assert sum(len(term.words) for term in (*query.terms, *query.excluded)) <= 2 * MOST_WORDS


@pytest.mark.parametrize("text", ["x " * (MOST_WORDS + 1), '"' + "x " * 200 + '"', "x" + " " * LONGEST_QUERY + "y"])
def test_what_is_too_long_is_cut_and_says_so(text: str):
    query = parse(text)

    assert query.terms
    assert query.note == f"Only the first {MOST_WORDS} words of the query were looked for."


def test_a_query_of_exclusions_alone_says_what_it_lacks():
    assert "excluded" in (parse("-a -b").note or "")
    assert "a word to look for" in (parse("!?").note or "")
