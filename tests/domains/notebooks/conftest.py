"""Notebooks in a box of this process, on both engines, with the Node that comes with the tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.boxes import OpenBox, open_box
from tests.support.notebooks import NODE, Notebook
from tests.support.thinker import Client

__all__ = ["open_box"]

OpenClient = Callable[..., Client]


@pytest.fixture
def open_client(open_box: OpenBox) -> OpenClient:
    """A client of whom nothing is remembered; the same name is the same store, and a new process of it."""

    def open_client(name: str = "store", **variables: str) -> Client:
        return Client(open_box(name, **{"THOUGHTBOX_NODE": NODE, **variables}), stateless=True)

    return open_client


@pytest.fixture
def mia(open_client: OpenClient) -> Client:
    return open_client()


@pytest.fixture
def notebook(mia: Client) -> Notebook:
    """An empty notebook, and the shortest way to fill it."""
    return Notebook(mia)


@pytest.fixture
def made(mia: Client) -> Callable[..., Notebook]:
    return lambda **given: Notebook(mia, **given)


Answer = dict[str, Any]
