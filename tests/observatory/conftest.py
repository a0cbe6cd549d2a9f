"""Fixtures: the page in a real browser, before a server that shows a story."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.conftest import SEED
from tests.observatory import notebook_story
from tests.observatory.notebook_story import NotebookStory
from tests.observatory.story import Story, tell
from tests.support.browser import OpenPage, browser, open_page
from tests.support.notebooks import NODE
from tests.support.observatory import Engine, Observatory, Store, new_store, start_observatory

__all__ = ["browser", "open_page", "start_observatory"]


@dataclass(frozen=True, slots=True)
class Shown:
    """A store with the story in it, and the server that shows it."""

    server: Observatory
    store: Store
    story: Story


Show = Callable[[Engine], Shown]
ShowNotebook = Callable[[Engine], "Noted"]


@pytest.fixture(scope="session")
def show(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Show]:
    """The story on an engine; one server of it per test process. Nobody writes to it after it was told."""
    shown: dict[Engine, Shown] = {}
    with ExitStack() as kept:

        def show(engine: Engine) -> Shown:
            if engine not in shown:
                folder = tmp_path_factory.mktemp(engine)
                store = kept.enter_context(new_store(engine, folder / "store", request.config))
                with store.opened() as box:
                    story = tell(box)
                store.run("checkpoint")
                server = Observatory(store.told, folder / "observatory.txt")
                kept.callback(server.stop)
                shown[engine] = Shown(server, store, story._replace(last=story.last + 1))
            return shown[engine]

        yield show


@pytest.fixture(scope="session")
def engine() -> Engine:
    """Chosen by chance, as doors are, for all pages of a run: to make what is shown takes longer than to look at it."""
    engines: list[Engine] = ["sqlite", "postgres"]
    return random.Random(os.environ[SEED]).choice(engines)


@pytest.fixture
def shown(show: Show, engine: Engine) -> Shown:
    """The story, on the engine of this run."""
    return show(engine)


@dataclass(frozen=True, slots=True)
class Noted:
    """A store with a notebook in it, and the server that shows it."""

    server: Observatory
    story: NotebookStory


@pytest.fixture(scope="session")
def show_notebook(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ShowNotebook]:
    """The notebook on an engine, as `show` shows the story."""
    noted: dict[Engine, Noted] = {}
    with ExitStack() as kept:

        def show_notebook(engine: Engine) -> Noted:
            if engine not in noted:
                folder = tmp_path_factory.mktemp(f"notebook-{engine}")
                store = kept.enter_context(new_store(engine, folder / "store", request.config))
                store.variables["THOUGHTBOX_NODE"] = NODE
                with store.opened() as box:
                    story = notebook_story.tell(box)
                server = Observatory(store.told, folder / "observatory.txt")
                kept.callback(server.stop)
                noted[engine] = Noted(server, story)
            return noted[engine]

        yield show_notebook


@pytest.fixture
def noted(show_notebook: ShowNotebook, engine: Engine) -> Noted:
    """The notebook, on the engine of this run."""
    return show_notebook(engine)


@pytest.fixture
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """A store of the test's own, empty and on the embedded engine."""
    with new_store("sqlite", tmp_path / "store", request.config) as store:
        yield store


@pytest.fixture
def page(shown: Shown, open_page: OpenPage) -> Page:
    """The page at its first look, wide."""
    return open_page(shown.server.url)
