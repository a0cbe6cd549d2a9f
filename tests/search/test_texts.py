"""Finding records by what they say, on every engine."""

from __future__ import annotations

import pytest

from tests.search.conftest import BOOK, NOTE, SECRET, Library
from thoughtbox.search import searchable, texts
from thoughtbox.search.indexes import MOST_MATCHES
from thoughtbox.search.words import IN_ORDER


def test_a_record_is_found_by_its_words_in_any_order_and_case(library: Library):
    [cache, _, both] = library.add("The Cache is cold", "The buffer is full", "a buffer in front of the CACHE")

    assert library.seqs("cache") == [cache, both]
    assert library.seqs("CACHE buffer") == [both]
    assert library.seqs("cache nothing") == []


def test_a_phrase_is_found_where_its_words_follow_each_other(library: Library):
    [right, _] = library.add("a read-through cache", "a cache to read through")

    assert library.seqs('"read through cache"') == [right]
    assert library.seqs("read-through") == library.seqs('"read through"')


def test_a_star_stands_for_the_rest_of_a_word(library: Library):
    [first, second, _] = library.add("caching pays", "the cache pays", "cat")

    assert library.seqs("cach*") == [first, second]
    assert library.seqs('"the ca"*') == [second]
    assert library.seqs("cach") == []


def test_a_minus_excludes_a_word_a_phrase_or_a_beginning(library: Library):
    [first, second, third] = library.add("cache cold start", "cache warm start", "cache cold end")

    assert library.seqs("cache -cold") == [second]
    assert library.seqs('cache -"cold start"') == [second, third]
    assert library.seqs("cache -st*") == [third]
    assert library.seqs("cache -cold -warm") == []
    assert library.seqs("cache -absent") == [first, second, third]


def test_or_joins_the_terms_beside_it(library: Library):
    [first, second, third, _] = library.add("red cache", "blue cache", "blue sky", "red sky at night")

    assert library.seqs("red OR blue cache") == [first, second]
    assert library.seqs('"blue sky" OR "red cache" OR nothing') == [first, third]


def test_accents_do_not_matter_and_composed_is_as_good_as_decomposed(library: Library):
    [first, second] = library.add("Übergrößenträger in Zürich", "Cafe\u0301 a\u0300 Zu\u0308rich")

    assert library.seqs("zurich") == library.seqs("ZÜRICH") == library.seqs("zu\u0308rich") == [first, second]
    assert library.seqs("ubergrossentrager") == [first]
    assert library.seqs("café") == [second]


def test_scripts_without_spaces_are_found_by_any_part(library: Library):
    [tower, _, thai] = library.add("東京タワーに行きました", "京都の東", "ภาษาไทยสวยงาม")

    assert library.seqs("東京") == [tower]
    assert library.seqs("タワー") == [tower]
    assert library.seqs("ไทย") == [thai]


def test_words_of_other_scripts_are_words(library: Library):
    [hindi, korean, arabic, russian] = library.add("हिन्दी भाषा", "한국어 문장", "اللغة العربية", "Русский ТЕКСТ")

    assert library.seqs("हिन्दी") == [hindi]
    assert library.seqs("한국*") == [korean]
    assert library.seqs("العربية") == [arabic]
    assert library.seqs("текст") == [russian]


def test_a_topic_says_by_which_text_it_is_found(library: Library):
    data = {"title": "On caches", "tags": ["speed", "memory"], "shelf": "hidden"}
    [book] = library.add("the record's own words", topic=BOOK, data=data)

    assert library.seqs("caches speed") == [book]
    assert library.seqs("own") == library.seqs("hidden") == []


def test_what_no_room_has_called_searchable_is_not_found(library: Library):
    library.add("the cache", topic=SECRET)

    assert library.seqs("cache") == []


def test_an_odd_record_is_not_found_and_keeps_nothing_back(library: Library):
    searchable(BOOK, lambda record: record.data["title"])
    library.add("no title", topic=BOOK)
    [after] = library.add("the cache")

    assert library.seqs("cache") == [after]


def test_a_search_stays_within_its_topics_session_and_workspace(library: Library):
    [here] = library.add("cache", session="a")
    [there] = library.add("cache", session="b")
    [book] = library.add("", topic=BOOK, session="b", data={"title": "cache"})
    [elsewhere] = library.add("cache", workspace="other")

    assert library.seqs("cache") == [here, there, book]
    assert library.seqs("cache", topics=[NOTE]) == [here, there]
    assert library.seqs("cache", topics=[NOTE, BOOK], session="b") == [there, book]
    assert library.seqs("cache", topics=[]) == []
    assert library.seqs("cache", workspace="other") == [elsewhere]
    assert library.seqs("cache", workspace="empty") == []


def test_a_search_as_of_an_earlier_record_does_not_see_later_ones(library: Library):
    [first, second, third] = library.add("cache one", "cache two", "cache three")

    assert library.seqs("cache", as_of=second) == [first, second]
    assert library.seqs("cache", as_of=0) == []
    assert [found.best.seq for found in library.sessions("cache", as_of=first).sessions] == [first]
    assert third == 3


def test_what_fits_better_comes_first_and_the_newer_of_equals(library: Library):
    filler = "and many other words about something else entirely " * 5
    library.add(*[f"nothing to see here, number {number}" for number in range(20)])
    [far, near, older, newer] = library.add(f"cache {filler}", "cache cache cache", "the cache here", "the cache here")

    found = [hit.seq for hit in library.find("cache").hits]

    assert found[0] == near
    assert found.index(newer) + 1 == found.index(older)
    assert found[-1] == far
    ranks = [hit.rank for hit in library.find("cache").hits]
    assert ranks == sorted(ranks, reverse=True)


def test_pages_hold_everything_once_and_say_when_there_is_more(library: Library):
    seqs = library.add(*[f"cache number {number}" for number in range(25)])

    pages = [library.find("cache", limit=10, offset=offset) for offset in (0, 10, 20, 30)]

    assert [len(page.hits) for page in pages] == [10, 10, 5, 0]
    assert [page.has_more for page in pages] == [True, True, False, False]
    assert sorted(hit.seq for page in pages for hit in page.hits) == seqs


def test_a_page_is_bounded_whatever_is_asked_for(library: Library):
    library.add(*["cache"] * 120)

    assert len(library.find("cache", limit=10**9).hits) == 100
    assert len(library.find("cache", limit=-1, offset=-1).hits) == 1
    assert library.find("cache", offset=10**30).hits == []


def test_of_very_many_matches_the_newest_are_ranked_and_that_is_said(library: Library, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("thoughtbox.search.indexes.MOST_MATCHES", 5)
    monkeypatch.setattr("thoughtbox.search.texts.MOST_MATCHES", 5)
    [*_, a, b, c, d, e] = library.add("cache cache cache", *["cache and other words"] * 8)

    found = library.find("cache")

    assert sorted(hit.seq for hit in found.hits) == [a, b, c, d, e]
    assert found.note == texts.TOO_MANY
    assert f"{MOST_MATCHES:,}" in texts.TOO_MANY


def test_sessions_come_in_the_order_of_their_best_hit_with_how_many_there_are(library: Library):
    library.add(*[f"nothing {number}" for number in range(20)])
    library.add("cache and several other words behind it", "cache with some more words behind it", session="many")
    [best] = library.add("cache cache", session="best")
    library.add("buffer", session="none")

    found = library.sessions("cache")

    assert [(hit.session, hit.hits) for hit in found.sessions] == [("best", 1), ("many", 2)]
    assert found.sessions[0].best.seq == best
    assert found.sessions[0].best.snippet == "«cache» «cache»"
    assert library.sessions("cache", limit=1).has_more
    assert [hit.session for hit in library.sessions("cache", limit=1, offset=1).sessions] == ["many"]


@pytest.mark.parametrize("query", ["", "  ", "-cache", '-"cold cache" -x', '"" * - !?', "…", '"'])
def test_a_query_without_a_wanted_word_finds_nothing_and_says_why(library: Library, query: str):
    library.add("cache")

    found = library.find(query)

    assert found.hits == []
    assert found.note is not None
    assert "needs" in found.note
    assert library.sessions(query).note == found.note


@pytest.mark.parametrize(
    "query",
    [
        'cache" OR said:"secret',
        "cache') OR 1=1 --",
        "'; DROP TABLE texts; --",
        "said : cache",
        "NEAR(cache cold, 2)",
        "cache AND NOT cold",
        "^cache {said rest} : cache",
        "cache:* & !cold | (secret <-> x)",
        "cache:A <2> cold",
        "(((((((((",
        "* ** cache***",
        "\\ ' \" ` $1 ? %s :name",
        "cache\x00cold",
        "\ud800 cache",
        "-" * 5_000,
        '"' * 5_001,
        "(cache " * 2_000,
        "w" * 100_000,
    ],
)
def test_no_query_is_an_error_and_none_reaches_beyond_its_words(library: Library, query: str):
    library.add("cache cold", "an unrelated text")
    library.add("secret cache", topic=SECRET)

    found = library.find(query)

    assert all(hit.topic == NOTE for hit in found.hits)
    assert library.seqs("unrelated") == [2]


def test_a_very_long_query_is_looked_for_as_far_as_it_goes(library: Library):
    library.add("cache")

    found = library.find(" ".join(["cache"] * 1_000))

    assert [hit.seq for hit in found.hits] == [1]
    assert found.note == "Only the first 64 words of the query were looked for."


def test_a_long_text_is_found_by_its_last_word_and_by_its_first_phrases(library: Library):
    text = f"first words {'lorem ipsum dolor ' * 55_000}then needles in haystacks"[-1_000_000:]
    text = f"first words {text}"[:1_000_030]
    [long] = library.add(text)

    assert library.seqs("needles haystacks") == [long]
    assert library.seqs('"first words"') == [long]
    assert library.seqs('"needles in haystacks"') == []  # beyond the words whose order is known
    assert library.find("haystacks").hits[0].snippet.endswith("then needles in «haystacks»")


def test_a_text_of_half_a_million_different_words_is_taken_in_as_far_as_it_fits(library: Library):
    text = " ".join(f"{number:x}q" for number in range(500_000))
    [long, after] = library.add(text, "0q")

    assert library.seqs("0q") == [long, after]
    assert library.seqs(f"{IN_ORDER + 1:x}q") == [long]
    assert library.seqs(f"{499_999:x}q") == []


def test_words_longer_than_any_are_the_same_as_what_begins_like_them(library: Library):
    [plain, wide] = library.add("x" * 300_000, " ".join("ж" * 90 + f"{n}" for n in range(5_000)))

    assert library.seqs("x" * 100) == library.seqs("x" * 500) == library.seqs("xx*") == [plain]
    assert library.seqs("ж*") == [wide]


def test_frequent_words_do_not_get_in_the_way(library: Library):
    [long] = library.add("the " * 3_000 + "end of the story")

    assert library.seqs("story the") == [long]
    assert library.seqs('"end of"') == [long]
