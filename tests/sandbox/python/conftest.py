"""One Python sandbox for the stories of a file; those that end or overfill one have their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.sandbox.python.host import Host, Told
from thoughtbox.sandbox.python.sandbox import PythonSandbox


@pytest.fixture(scope="module")
def shared() -> Iterator[PythonSandbox]:
    sandbox = PythonSandbox()
    yield sandbox
    sandbox.close()


@pytest.fixture
def own() -> Iterator[PythonSandbox]:
    sandbox = PythonSandbox()
    yield sandbox
    sandbox.close()


@pytest.fixture
def host(shared: PythonSandbox) -> Host:
    return Host(shared)


@pytest.fixture
def run(host: Host) -> Callable[..., Told]:
    return host.run
