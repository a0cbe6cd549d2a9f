"""One sandbox for all stories of a test process; a fresh one for those that are about its processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest

from tests.sandbox.javascript.telling import Told
from tests.sandbox.javascript.telling import tell as tell_sandbox
from thoughtbox.sandbox.javascript import compiled
from thoughtbox.sandbox.javascript.sandbox import JavaScriptSandbox

Tell = Callable[..., Told]


@pytest.fixture(scope="session")
def sandbox() -> Iterator[JavaScriptSandbox]:
    assert compiled.prepare()
    sandbox = JavaScriptSandbox()
    yield sandbox
    workers = sandbox.processes
    sandbox.close()
    assert not [worker for worker in workers if is_running(worker)]


@pytest.fixture
def fresh_sandbox() -> Iterator[JavaScriptSandbox]:
    assert compiled.prepare()
    sandbox = JavaScriptSandbox(busy_seconds=0.3, idle_seconds=0.3)
    yield sandbox
    sandbox.close()


@pytest.fixture
def tell(sandbox: JavaScriptSandbox) -> Tell:
    return lambda code, language="javascript", **more: tell_sandbox(sandbox, code, language, **more)


def is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
