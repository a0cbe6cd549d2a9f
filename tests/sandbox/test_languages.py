"""Which language a snippet is in."""

from __future__ import annotations

import time
import tomllib
from pathlib import Path

import pytest

from thoughtbox.sandbox.languages import detected
from thoughtbox.sandbox.protocol import LANGUAGES

SNIPPETS = tomllib.loads(Path(__file__).with_name("languages.toml").read_text(encoding="utf-8"))
CASES = [
    pytest.param(language, code, id=f"{language}-{code.strip()[:40]!r}")
    for language in LANGUAGES
    for code in SNIPPETS[language]
]


@pytest.mark.parametrize(("language", "code"), CASES)
def test_a_snippet_is_taken_for_what_it_is(language: str, code: str):
    assert detected(code) == language


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_snippet_is_taken_for_what_it_is_with_other_line_ends_and_indented(language: str):
    for code in SNIPPETS[language]:
        assert detected(code.replace("\n", "\r\n")) == language, code
        assert detected(f"\n\n{code}\n\n") == language, code


def test_there_are_enough_snippets_to_tell():
    assert all(len(SNIPPETS[language]) >= 25 for language in LANGUAGES)


def test_nothing_at_all_is_javascript():
    assert detected("") == detected(" \n ") == "javascript"


@pytest.mark.parametrize(
    "piece", ["if(", "(a:A,", "class a ", "lambda ", "`", '"""', "if a ", "{a:", "import ", "/[", "'\\"]
)
def test_source_made_to_be_slow_is_judged_at_once(piece: str):
    began = time.thread_time()
    detected(piece * 50_000)
    assert time.thread_time() - began < 1
