"""Boxes with a project of their own, and work done inside a transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from tests.support.box import WORKSPACE, Box
from tests.support.boxes import OpenBox, open_box
from thoughtbox.domains.memory.project import ProjectFolder
from thoughtbox.operations import Tx
from thoughtbox.operations.caller import Caller
from thoughtbox.operations.dispatch import Call

__all__ = ["open_box"]

T = TypeVar("T")
Within = Callable[[Callable[[Tx], Any]], Any]


class Agent:
    """A caller of a box, under a name of its own."""

    def __init__(self, box: Box, name: str, transport: str = "test") -> None:
        self._box = box
        self._caller = Caller(agent=name, transport=transport)

    def __getattr__(self, operation: str) -> Any:
        return lambda **arguments: self._box.app.dispatcher.call(
            Call(operation=operation, workspace=WORKSPACE, arguments=arguments, caller=self._caller)
        )


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def folder(root: Path) -> ProjectFolder:
    return ProjectFolder(root)


@pytest.fixture
def quick(root: Path) -> Iterator[Box]:
    """On a store in memory."""
    box = Box(THOUGHTBOX_PROJECT_ROOT=str(root))
    yield box
    box.close()


@pytest.fixture
def both(open_box: OpenBox, root: Path) -> Box:
    """On both engines."""
    return open_box(THOUGHTBOX_PROJECT_ROOT=str(root))


def within(box: Box, work: Callable[[Tx], T]) -> T:
    """What comes of work in a transaction of its own."""
    return box.app.dispatcher.do(WORKSPACE, Caller(agent="tester"), work, what="test").result()


def agent(box: Box, name: str, transport: str = "test") -> Agent:
    return Agent(box, name, transport)


def rows(box: Box, statement: str) -> list[tuple[Any, ...]]:
    """What a table of the store holds."""
    return box.app.engine.read(lambda sql: [tuple(row) for row in sql.rows(statement)]).result()
