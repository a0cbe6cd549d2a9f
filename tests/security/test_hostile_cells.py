"""Cells that mean harm, run in notebooks of a server: each is held, and neither the server nor the machine notices."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.hostile_cells import FILENAMES, HARMLESS, Attacked, Cell, attacked, corpus

LANGUAGES = tuple(FILENAMES)
FEWEST = 40


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Attacked]:
    with attacked(tmp_path_factory.mktemp("attacked")) as server:
        yield server


@pytest.fixture(scope="module")
def notebooks() -> dict[str, str]:
    """The notebook of each language that cells are run in, one after the other."""
    return {}


@pytest.mark.sampled(10)
@pytest.mark.parametrize(
    ("language", "cell"),
    [pytest.param(name, cell, id=f"{name}: {cell.name}") for name in LANGUAGES for cell in corpus(name)],
)
def test_a_hostile_cell_is_held_and_the_next_one_answers(
    server: Attacked, notebooks: dict[str, str], language: str, cell: Cell
):
    notebook = notebooks.pop(language, None) or server.notebook(language)

    answer = server.run(notebook, language, server.put_in(cell.source))

    server.judge(cell, answer)
    server.must_be_untouched()
    if language != "python" or cell.ends_kernel:
        server.await_end(notebook)
    if cell.fresh:
        server.box.call("notebook.delete", {"notebookId": notebook})
        notebook = server.notebook(language)
    else:
        notebooks[language] = notebook
    assert server.run(notebook, language, HARMLESS[language])["output"] == "42\n"


@pytest.mark.parametrize("language", LANGUAGES)
def test_there_are_at_least_forty_hostile_cells_in_each_language(language: str):
    assert len({cell.name for cell in corpus(language)}) == len(corpus(language)) >= FEWEST
