"""Finding records by what they say, on every engine."""

from __future__ import annotations

import pytest

from tests.search.conftest import BOOK, NOTE, SECRET, Library
from thoughtbox.search.registry import searchable
from thoughtbox.search.words import IN_ORDER


def ranked(library: Library, query: str) -> list[int]:
    """Numbers of the records found, the best first."""
    return [hit.seq for hit in library.find(query, limit=100).hits]


def test_a_record_is_found_by_any_of_the_words_and_first_by_most_of_them(library: Library):
    [cache, _, both] = library.add("The Cache is cold", "The sky is blue", "a buffer in front of the CACHE")

    assert library.seqs("cache") == [cache, both]
    assert ranked(library, "CACHE buffer") == [both, cache]
    assert library.seqs("cache nothing") == [cache, both]
    assert ranked(library, "why is there a buffer in front of that cache?") == [both, cache]


def test_a_word_is_found_in_all_its_forms(library: Library):
    seqs = library.add("Caches are hard", "it was cached", "caching pays", "decisions", "We decided so")

    assert library.seqs("why do we cache?") == seqs[:3]
    assert library.seqs("what did we decide") == seqs[3:]
    assert library.seqs('"hard caches" "caching pay"') == []
    assert library.seqs('"caching pay"') == [seqs[2]]


def test_what_is_demanded_must_be_there(library: Library):
    [cold, warm, _] = library.add("a cold cache", "a warm cache", "cold water")

    assert library.seqs("cold +cache") == [cold, warm]
    assert ranked(library, "warm +cache") == [warm, cold]
    assert library.seqs("all: cold cache") == [cold]
    assert library.seqs("all: the cold cache of yesterday") == []
    assert library.seqs("+cold +cache") == [cold]
    assert library.seqs("+absent cache") == []


def test_words_that_questions_are_made_of_are_looked_for_when_there_is_nothing_else(library: Library):
    [to_be, _] = library.add("to be or not to be", "the cache")

    assert library.seqs("to be") == [to_be]
    assert library.seqs("what is to be") == [to_be]
    assert library.seqs("is the cache to be trusted") == [2]
    assert library.seqs('"or not to be" -cache') == [to_be]
    assert library.seqs("+to") == [to_be]


def test_a_phrase_is_found_where_its_words_follow_each_other(library: Library):
    [right, _] = library.add("a read-through cache", "a cache through which we read")

    assert library.seqs('"read through cache"') == [right]
    assert library.seqs("+read-through") == library.seqs('"read through"') == [right]
    assert ranked(library, "read-through") == [right, 2]


def test_a_star_stands_for_the_rest_of_a_word(library: Library):
    [first, second, _, decided] = library.add("caching pays", "the cache pays", "cat", "a decision")

    assert library.seqs("cach*") == library.seqs("caching*") == [first, second]
    assert library.seqs('"the ca"*') == [second]
    assert library.seqs("ache*") == []
    assert library.seqs("decisi*") == library.seqs('"a decisio"*') == [decided]


def test_a_minus_excludes_a_word_a_phrase_or_a_beginning(library: Library):
    [first, second, third] = library.add("cache cold start", "cache warm start", "cache cold end")

    assert library.seqs("cache -cold") == [second]
    assert library.seqs('cache -"cold start"') == [second, third]
    assert library.seqs("cache -st*") == [third]
    assert library.seqs("cache -cold -warm") == []
    assert library.seqs("cache -absent") == [first, second, third]


def test_or_joins_what_is_demanded_and_means_nothing_elsewhere(library: Library):
    [first, second, third, fourth] = library.add("red cache", "blue cache", "blue sky", "red sky at night")

    assert library.seqs("red OR blue") == library.seqs("red blue") == [first, second, third, fourth]
    assert library.seqs("all: red OR blue cache") == [first, second]
    assert library.seqs('"blue sky" OR "red cache" OR nothing') == [first, third]


def test_accents_do_not_matter_and_composed_is_as_good_as_decomposed(library: Library):
    [first, second] = library.add("Übergrößenträger in Zürich", "Cafe\u0301 a\u0300 Zu\u0308rich")

    assert library.seqs("zurich") == library.seqs("ZÜRICH") == library.seqs("zu\u0308rich") == [first, second]
    assert library.seqs("ubergrossentrager") == [first]
    assert library.seqs("café") == [second]


def test_scripts_without_spaces_are_found_by_any_part(library: Library):
    [tower, _, thai] = library.add("東京タワーに行きました", "京都の東", "ภาษาไทยสวยงาม")

    assert library.seqs("東京") == [tower]
    assert ranked(library, "東京タワーはどこ") == [tower]
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

    assert library.seqs("all: caches speed") == [book]
    assert library.seqs("record") == library.seqs("hidden") == []


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


def test_of_too_many_matches_the_rarest_words_choose_and_all_of_them_rank(
    library: Library, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("thoughtbox.search.candidates.MOST_MATCHES", 5)
    [far, near] = library.add("a needle among other things", "the hay of the needle")
    library.add(*["hay and more hay"] * 9)

    found = library.find("needle hay")

    assert [hit.seq for hit in found.hits] == [near, far]
    assert found.note == "Very many records match: those with needle were chosen, and all words rank them."


def test_of_too_many_matches_of_one_word_the_shortest_are_ranked_however_old(
    library: Library, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("thoughtbox.search.candidates.MOST_MATCHES", 5)
    monkeypatch.setattr("thoughtbox.search.indexes.MOST_MATCHES", 5)
    [short] = library.add("cache")
    library.add(*["cache, and a good many other words that nobody has asked for"] * 8)

    for query in ("cache", "+cache"):
        found = library.find(query)
        assert found.hits[0].seq == short
        assert len(found.hits) == 5
        assert found.note == "5 records or more match: the shortest 5 of them were ranked."


def test_how_frequent_a_word_is_depends_on_the_workspace_alone(library: Library):
    [red, blue] = library.add("red sky", "blue sky")
    library.add(*["blue here"] * 3)
    library.add(*["red there"] * 50, workspace="other")
    library.catch_up("other")

    assert ranked(library, "red blue sky")[:2] == [red, blue]


def test_a_list_ends_somewhere(library: Library, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("thoughtbox.search.candidates.MOST_RANKED", 7)
    library.add(*["the cache"] * 20, "cache cache")

    pages = [library.find("cache", limit=5, offset=offset) for offset in (0, 5, 10)]

    assert [len(page.hits) for page in pages] == [5, 2, 0]
    assert [page.has_more for page in pages] == [True, False, False]


def test_sessions_are_ranked_by_all_that_was_found_in_them(library: Library):
    library.add(*[f"nothing {number}" for number in range(20)])
    library.add("the cache is cold here", "a cold start", "why is the cache cold", session="many")
    [best] = library.add("the cold cache", session="best")
    library.add("buffer", session="none")

    found = library.sessions("cold cache")

    assert library.find("cold cache").hits[0].seq == best
    assert [(hit.session, hit.hits) for hit in found.sessions] == [("many", 3), ("best", 1)]
    assert found.sessions[1].best.seq == best
    assert found.sessions[1].best.snippet == "the «cold» «cache»"
    assert library.sessions("cold cache", limit=1).has_more
    assert [hit.session for hit in library.sessions("cold cache", limit=1, offset=1).sessions] == ["best"]


def test_found_sessions_can_be_chosen_and_sorted_otherwise(library: Library):
    for session in "abc":
        library.add("cache", session=session)

    found = library.sessions("cache", arranged=lambda ranked: sorted(set(ranked) - {"b"}))

    assert [hit.session for hit in found.sessions] == ["a", "c"]
    assert found.has_more is False


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

    assert library.seqs("all: needles haystacks") == [long]
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
