"""What leaves the index, and what comes back."""

from __future__ import annotations

from tests.search.conftest import BACK, GONE, NAMED, Library


def test_a_named_part_is_found_until_something_else_has_its_name(library: Library):
    [first] = library.add("", topic=NAMED, data={"title": "quagga", "tags": ["dodo"]})
    [second] = library.add("", topic=NAMED, data={"title": "zebra"})
    [third] = library.add("", topic=NAMED, data={"tags": []})

    assert library.seqs("quagga") == library.seqs("dodo") == []
    assert library.seqs("zebra") == [second]
    assert library.seqs("quagga zebra dodo", as_of=first) == [first]
    assert library.seqs("quagga zebra dodo", as_of=second) == [first, second]
    assert [hit.snippet for hit in library.find("dodo", as_of=second).hits] == ["«dodo»"]
    assert library.seqs("quagga zebra dodo", as_of=third) == [second]


def test_names_are_those_of_a_session(library: Library):
    [one] = library.add("", topic=NAMED, session="one", data={"title": "zebra"})
    [two] = library.add("", topic=NAMED, session="two", data={"title": "zebra too"})

    assert library.seqs("zebra") == [one, two]


def test_a_session_that_is_gone_is_found_by_nothing_until_it_is_back(library: Library):
    [thought] = library.add("a zebra", session="s")
    [title] = library.add("", topic=NAMED, session="s", data={"title": "zebras"})
    [other] = library.add("a zebra", session="t")
    [gone] = library.add("", topic=GONE, session="s")
    library.add("", topic=GONE, session="s")
    [later] = library.add("a zebra at last", session="s")

    assert library.seqs("zebra") == [other]
    assert library.sessions("zebra").sessions[0].session == "t"
    assert library.seqs("zebra", as_of=gone - 1) == [thought, title, other]

    [renamed] = library.add("", topic=NAMED, session="s", data={"title": "horses"})
    [back] = library.add("", topic=BACK, session="s")

    assert library.seqs("zebra") == [thought, other, later]
    assert library.seqs("horse") == [renamed]
    assert library.seqs("zebra", as_of=back - 1) == [other]


def test_what_has_left_does_not_count_and_is_not_proposed(library: Library):
    library.add("zebra", "zebra", session="s")
    library.add("a horse", session="t")
    frequencies = "SELECT word, entries FROM text_words ORDER BY word"
    totals = "SELECT entries, length FROM text_totals"
    library.catch_up()
    before = library.engine.read(lambda sql: (sql.rows(frequencies), sql.rows(totals))).result()

    library.add("", topic=GONE, session="s")

    assert library.find("zebar").note == "Nothing was found. Not known here: zebar."
    assert library.engine.read(lambda sql: sql.rows(frequencies)).result() == [("a", 1), ("hors", 1), ("zebra", 0)]
    assert library.engine.read(lambda sql: sql.rows(totals)).result() == [(1, 2)]

    library.add("", topic=BACK, session="s")

    assert library.find("zebar").note == "Nothing was found. Not known here: zebar (near: zebra)."
    assert library.engine.read(lambda sql: (sql.rows(frequencies), sql.rows(totals))).result() == before
