"""Memories: on both engines, and, where no table matters, on a store in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from tests.support.box import WORKSPACE, Box
from tests.support.boxes import box, open_box
from thoughtbox.operations import Tx
from thoughtbox.operations.caller import Caller

__all__ = ["box", "open_box"]

T = TypeVar("T")


class Memory:
    """What tests do to memory, in a line each."""

    def __init__(self, box: Box) -> None:
        self.box = box

    def hears(self, summary: str, *, source: str = "agent", about: str = "release", **more: Any) -> int:
        """An episode's id."""
        keys = about.split()
        return self.box.record_episode(summary=summary, source=source, context_keys=keys, **more)["experience_id"]

    def run(self, threshold: int | None = 1, **more: Any) -> dict[str, Any]:
        return self.box.run_consolidation(**({} if threshold is None else {"threshold": threshold}), **more)

    def learns(self, *summaries: str, **more: Any) -> dict[str, Any]:
        for summary in summaries:
            self.hears(summary, **more)
        return self.run(**({"scope": more["scope"]} if "scope" in more else {}))

    def cells(self, **asked: Any) -> list[dict[str, Any]]:
        return self.box.list_cells(limit=100, **asked)["cells"]

    def cell(self, body: str) -> dict[str, Any]:
        (found,) = [cell for cell in (*self.cells(), *self.cells(state="archived")) if cell["body"] == body]
        return found

    def do(self, work: Callable[[Tx], T]) -> T:
        caller = Caller(agent="tester", transport="test")
        return self.box.app.dispatcher.do(WORKSPACE, caller, work, what="test").result()

    def ask(self, question: Callable[[Tx], T]) -> T:
        caller = Caller(agent="tester", transport="test")
        return self.box.app.dispatcher.ask(WORKSPACE, caller, question).result()


@pytest.fixture
def memory() -> Iterator[Memory]:
    """On a store in memory."""
    box = Box()
    yield Memory(box)
    box.close()


@pytest.fixture
def on_both(box: Box) -> Memory:
    """On both engines."""
    return Memory(box)


@pytest.fixture
def configured(tmp_path: Path) -> Iterator[Callable[[str], Memory]]:
    """A memory in a project with this configuration."""
    opened: list[Box] = []

    def memory_of(config: str) -> Memory:
        (tmp_path / ".claude").mkdir(exist_ok=True)
        (tmp_path / ".claude" / "config.json").write_text(config, encoding="utf-8")
        opened.append(Box(THOUGHTBOX_PROJECT_ROOT=str(tmp_path)))
        return Memory(opened[-1])

    yield memory_of
    for one in opened:
        one.close()
