"""Records by what they are marked with, those that stand no more, and those that say nearly the same."""

from __future__ import annotations

from hashlib import sha256

from tests.search.conftest import MARKED, Library
from tests.support.box import WORKSPACE
from thoughtbox.ledger.view import NOW
from thoughtbox.search.query import any_of
from thoughtbox.search.texts import Texts


def add(library: Library, text: str, *marks: str, name: str = "") -> int:
    [seq] = library.add(text, topic=MARKED, data={"name": name, "marks": ["all", *marks]})
    return seq


def best(library: Library, query: str, *marks: str, ended: bool = False, as_of: int = NOW) -> list[int]:
    library.catch_up()
    blocks = library.engine.read(
        lambda sql: list(Texts(sql, WORKSPACE, as_of).best(any_of(query), marks=marks or ["all"], ended=ended).blocks())
    ).result()
    return [seq for block in blocks for seq, _ in block]


def alike(library: Library, text: str, *marks: str) -> list[int]:
    library.catch_up()
    return library.engine.read(lambda sql: Texts(sql, WORKSPACE).alike(text, marks=marks or ["all"])).result()


def made_up(number: int) -> str:
    return sha256(b"%d" % number).hexdigest()[:8]


def test_only_records_with_all_marks_are_found_and_no_word_is_taken_for_one(library: Library):
    old = add(library, "a cold cache", "state: old", "kind Tools/x")
    new = add(library, "a warm cache", "state: new", "kind Tools/x")
    library.add("the cache, state: new, all of it")

    assert sorted(best(library, "cache")) == [old, new]
    assert best(library, "cache", "state: old") == [old]
    assert sorted(best(library, "cache", "kind Tools/x")) == [old, new]
    assert best(library, "cache", "kind Tools/x", "state: new") == [new]
    assert best(library, "cache", "state") == []
    assert library.seqs("state") == [3]


def test_what_something_else_took_the_place_of_is_found_when_asked_for(library: Library):
    first = add(library, "a cold cache", name="c")
    second = add(library, "a warm cache", name="c")

    assert best(library, "cache") == [second]
    assert sorted(best(library, "cache", ended=True)) == [first, second]
    assert best(library, "cache", as_of=first) == best(library, "cache", ended=True, as_of=first) == [first]


def test_the_best_come_first_and_blocks_go_on_where_the_last_one_ended(library: Library):
    seqs = [add(library, f"cache {made_up(number)}") for number in range(60)]
    both = add(library, "a long text of many words in which a cold cache comes up once")

    found = best(library, "cold cache")

    assert found[0] == both
    assert sorted(found) == [*seqs, both]


def test_of_words_that_nothing_has_and_words_that_very_many_have_the_latter_find_something(library: Library):
    seqs = [add(library, f"the cache {made_up(number)}") for number in range(320)]

    found = best(library, "quokka cache")

    assert found
    assert set(found) <= set(seqs)


def test_no_sign_of_a_query_means_anything_where_any_word_will_do():
    assert [str(term) for term in any_of('+cache -write "cold OR all: read-through * cache').wanted] == [
        *("cache", "write", "cold", "or", "all", '"read through"'),
    ]
    assert any_of(" \n*").wanted == ()
    assert any_of("word " * 3).note is None
    assert any_of(" ".join(made_up(number) for number in range(65))).is_cut


def test_what_says_nearly_the_same_is_found_among_very_many_others(library: Library):
    words = [made_up(number) for number in range(40)]
    old = add(library, " ".join(words), "kind a")
    other = add(library, " ".join(words), "kind b")
    for number in range(150):
        # All share the same few words, and each has one of the first text's.
        add(library, f"the cache was cold {words[number % 40]} {made_up(1000 + number)}", "kind a")

    nearly = " ".join([made_up(5000), *words[:10], made_up(5001), *words[12:]])

    assert alike(library, nearly, "kind a")[0] == old
    assert alike(library, nearly, "kind b") == [other]
    assert alike(library, f"{made_up(7000)} {made_up(7001)}") == []
