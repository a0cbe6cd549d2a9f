"""The same snippet in three languages has the same result, prints the same, and writes the same records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.domains.code.checking import compiled
from tests.domains.code.three_languages import Entry, as_json, corpus, counted, line, told
from tests.support.box import Box
from thoughtbox.domains.code.declarations import typescript
from thoughtbox.domains.code.signatures import BUILDERS
from thoughtbox.ledger.record import RELATIONS
from thoughtbox.operations import Table
from thoughtbox.sandbox.languages import detected
from thoughtbox.sandbox.protocol import LANGUAGES, Language

FEWEST = 44
ROOMS = ("thoughts", "trail", "mind", "memory", "ledger", "calls", "code")


@pytest.fixture(scope="module")
def box() -> Iterator[Box]:
    box = Box()
    yield box
    box.close()


@pytest.mark.parametrize("entry", corpus(), ids=[entry.name for entry in corpus()])
def test_a_snippet_comes_to_the_same_in_each_language(box: Box, entry: Entry):
    runs = {language: told(box, entry, language) for language in LANGUAGES}

    for language, run in runs.items():
        assert (language, run.error) == (language, entry.expected.error), run.why
        assert (language, as_json(run.result)) == (language, as_json(entry.expected.result))
        assert (language, run.logs) == (language, entry.logs_in(language))
        if entry.expected.records is not None:
            assert (language, [line(record) for record in run.own]) == (language, entry.expected.records)
        if entry.expected.counts is not None:
            assert (language, counted(run.own)) == (language, entry.expected.counts)
    first = runs["javascript"]
    assert [(language, run.lasting()) for language, run in runs.items()] == [
        (language, first.lasting()) for language in runs
    ]


def test_the_typescript_of_the_corpus_is_held_against_its_declarations(table: Table, tmp_path: Path):
    snippets = {
        f"snippet_{number}": entry.sources["typescript"]
        for number, entry in enumerate(corpus())
        if entry.expected.error is None
    }
    names = {f"snippet_{number}": entry.name for number, entry in enumerate(corpus())}

    found = compiled(tmp_path, typescript(table), snippets)

    assert {names[name]: errors for name, errors in found.items()} == {}


def test_the_corpus_is_large_enough_and_no_two_snippets_have_one_name():
    names = Counter(entry.name for entry in corpus())

    assert len(names) >= FEWEST
    assert set(names.values()) == {1}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_builder_relation_and_room_is_used_in_each_language(language: Language):
    text = "\n".join(entry.sources[language] for entry in corpus())

    assert [kind for kind in BUILDERS if f"tb.{kind}(" not in text] == []
    assert [relation for relation in RELATIONS if relation not in text] == []
    assert [room for room in ROOMS if f"tb.{room}." not in text] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_language_of_every_snippet_can_be_told_by_its_looks(language: Language):
    """TypeScript without types is JavaScript."""
    meant = {language} if language != "typescript" else {"typescript", "javascript"}

    assert [entry.name for entry in corpus() if detected(entry.sources[language]) not in meant] == []


def test_languages_differ_in_how_they_print_their_own_values_and_in_nothing_else():
    assert [entry.name for entry in corpus() if entry.differs] == ["values as each language writes them"]
