"""Fixtures that every test may use: agents that come through real doors, and servers to put to the test."""

from __future__ import annotations

import gc
import os
import random
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.support.agent import DOORS, Agent, Door, Doors, choose
from tests.support.fork_server import SDK_DOOR
from tests.support.forks import fork_server
from tests.support.postgres import postgres_url
from tests.support.senders import sender
from tests.support.servers import children, command
from tests.support.tap import assert_all_was_right
from thoughtbox import domains

__all__ = ["postgres_url", "sender"]

SEED = "THOUGHTBOX_TEST_SEED"
ROOT = Path(__file__).resolve().parent.parent
FEW = 500
"""Tests up to which nothing is left out: whoever names them wants them all."""

TOGETHER = (
    ("tests/observatory/",),
    (
        "tests/domains/notebooks/",
        "tests/confinement/",
        "tests/scenarios/test_notebooks.py",
        "tests/test_notebooks_page.py",
    ),
    ("tests/doors/",),
    ("tests/faults/", "tests/ledger/", "tests/engine/", "tests/conformance/"),
)
"""What shares a browser, kernels, servers, or PostgreSQL: one test process each has it, and begins with it."""

StartAgent = Callable[..., Agent]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all-doors", action="store_true", help="Tell every story through every door.")
    parser.addoption("--times", type=int, default=1, help="How often each test is run.")
    parser.addoption("--shuffle", action="store_true", help="Run files, and the tests in each, in random order.")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    # What is collected is there until the end: nothing of it is garbage, and nobody is to look for some in it.
    gc.disable()
    _keep_catalog()
    # Set before the workers start: all processes choose alike.
    os.environ.setdefault(SEED, _drawn_seed() if config.option.markexpr == "torture" else _seed_of_commit())
    if config.option.hypothesis_seed is None:
        config.option.hypothesis_seed = os.environ[SEED]
    config.addinivalue_line(
        "markers",
        "doors(transport, era, engine, every): the doors a story may go through: one of them by chance, or every one",
    )
    config.addinivalue_line(
        "markers", "sampled(n): one of n in a row is run each time, which by chance; all of them as torture"
    )
    config.addinivalue_line(
        "markers", "one_engine: what is told has nothing to do with the engine: one is drawn; both as torture"
    )


def _drawn_seed() -> str:
    return str(random.SystemRandom().randrange(10**6))


def _seed_of_commit() -> str:
    """What the commit gives: the same commit is the same run, and the next one looks elsewhere."""
    found = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False)
    return str(int(found.stdout[:8], 16) % 10**6) if found.returncode == 0 else "0"


def _keep_catalog() -> None:
    """Have a catalog before anything else does: a test may start processes that declare more than there is."""
    sys.dont_write_bytecode, told = False, sys.dont_write_bytecode
    domains.known()
    sys.dont_write_bytecode = told


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Generator[None]:
    """Leave out what is not this time's sample, before anything else is chosen by marks; then put all in order."""
    _sample(config, items)
    yield
    if config.getoption("--shuffle"):
        _shuffle(items)
    elif len(items) > FEW:
        _deal_out(items, int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))


def _sample(config: pytest.Config, items: list[pytest.Item]) -> None:
    is_much = len(items) > FEW * config.getoption("--times")
    left_out = set[pytest.Item]()
    sampled: defaultdict[tuple[Path, int], list[pytest.Item]] = defaultdict(list)
    for item in items:
        marker = item.get_closest_marker("sampled")
        if (marker is None and not _is_of_one_engine(item)) or config.getoption("--all-doors"):
            continue
        if config.option.markexpr == "torture":
            item.add_marker(pytest.mark.torture)
        elif is_much and _is_of_one_engine(item):
            left_out |= {item} if _is_of_another_engine(item) else set()
        elif is_much and marker is not None:
            sampled[item.path, marker.args[0]].append(item)
    for (file, share), own in sampled.items():
        first = random.Random(f"{os.environ[SEED]} {file.name} {share}").randrange(share)
        left_out |= set(own) - set(own[first::share])
    if left_out:
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [item for item in items if item not in left_out]


def _is_of_one_engine(item: pytest.Item) -> bool:
    return item.get_closest_marker("one_engine") is not None


def _is_of_another_engine(item: pytest.Item) -> bool:
    """Whether it is told on an engine that was not drawn for it."""
    if not _is_of_one_engine(item) or not isinstance(item, pytest.Function) or not hasattr(item, "callspec"):
        return False
    drawn = random.Random(f"{os.environ[SEED]} {item.path.name} {item.originalname}").choice(["sqlite", "postgres"])
    return item.callspec.params.get("open_box", drawn) != drawn


def _shuffle(items: list[pytest.Item]) -> None:
    """Files in random order, and the tests in each: what a file shares is set up once for all of it."""
    chance = random.Random(os.environ[SEED])
    places = {path: chance.random() for path in sorted({item.path for item in items})}
    chance.shuffle(items)
    items.sort(key=lambda item: places[item.path])


def _deal_out(items: list[pytest.Item], processes: int) -> None:
    """Put at the beginning of each process's share what it is to share; who is done early takes from the ends."""
    shares: list[list[pytest.Item]] = [[] for _ in range(processes)]
    rest: list[pytest.Item] = []
    for item in items:
        place = next((place for place, names in enumerate(TOGETHER) if item.nodeid.startswith(names)), None)
        (rest if place is None else shares[place % processes]).append(item)
    rest.sort(key=lambda item: item.path, reverse=True)  # rooms last: their tests are short
    left, items[:] = len(items), []
    for number, share in enumerate(shares):
        size = left // (processes - number)
        more, rest[:] = rest[: max(0, size - len(share))], rest[max(0, size - len(share)) :]
        items += [*share, *more]
        left -= len(share) + len(more)
    items += rest


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Tell of a failure at once where there is more than an hour until the end."""
    if report.failed and "torture" in report.keywords and "PYTEST_XDIST_WORKER" not in os.environ:
        print(f"\n{report.nodeid} ({report.when})\n{report.longreprtext}", file=sys.__stderr__, flush=True)


def pytest_report_header(config: pytest.Config) -> str:
    return f"doors: chosen by {SEED}={os.environ[SEED]}; --all-doors takes them all"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if (times := metafunc.config.getoption("--times")) > 1:
        metafunc.fixturenames.append("_time")
        metafunc.parametrize("_time", range(times), ids=lambda time: f"#{time}")
    for fixture in ("agent", "start_agent"):
        if fixture in metafunc.fixturenames:
            metafunc.parametrize(fixture, _doors_of(metafunc), indirect=True, ids=str)


def _doors_of(metafunc: pytest.Metafunc) -> list[Any]:
    marker = metafunc.definition.get_closest_marker("doors")
    wanted = dict(marker.kwargs) if marker else {}
    every = wanted.pop("every", False)
    doors = [door for door in DOORS if all(getattr(door, part) == value for part, value in wanted.items())]
    if metafunc.config.option.markexpr == "torture":
        return [pytest.param(door, marks=pytest.mark.torture) for door in doors]
    if every or metafunc.config.getoption("--all-doors"):
        return list(doors)
    return [choose(os.environ[SEED], metafunc.definition.nodeid, doors)]


@pytest.fixture
def _time() -> None:
    """Which time it is that a test is run: nothing of it may depend on that."""


@pytest.fixture(autouse=True)
def _no_server_says_what_its_protocol_does_not_know() -> Iterator[None]:
    """Set up before all others, and so seen to when the servers of a test have ended."""
    yield
    assert_all_was_right()


@pytest.fixture(scope="session", autouse=True)
def _no_server_outlives_the_tests() -> Iterator[None]:
    yield
    commands = map(command, children(os.getpid()))
    ours = ("-m thoughtbox serve", "support/serve.py", SDK_DOOR)
    left = [said for said in commands if any(words in said for words in ours)]
    if fork_server.cache_info().currsize:
        left += [f"fork {pid}" for pid in children(fork_server().pid)]
        fork_server().close()
    assert not left, "these servers are still there"


@pytest.fixture(scope="session")
def doors(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doors]:
    """The servers of this test process; none of them outlives it."""
    doors = Doors(request.config, tmp_path_factory.mktemp("doors"))
    yield doors
    doors.close()


@pytest.fixture
def agent(request: pytest.FixtureRequest, doors: Doors) -> Iterator[Agent]:
    """A client of a shared server, in a workspace of its own."""
    door: Door = request.param
    with doors.agent(door) as agent:
        yield agent


@pytest.fixture
def start_agent(request: pytest.FixtureRequest, doors: Doors, tmp_path: Path) -> Iterator[StartAgent]:
    """Starts a client with a server and a store of its own: `start_agent(prelude=…, THOUGHTBOX_TOOLSET="all")`.

    `client` is what the client can do beyond calling: `start_agent(client={"sampling_callback": …})`.
    """
    door: Door = request.param
    with ExitStack() as kept:
        yield lambda prelude="", client=None, **settings: kept.enter_context(
            doors.fresh_agent(door, tmp_path, prelude=prelude, settings=settings, client=client)
        )


@pytest.fixture
def fresh_agent(start_agent: StartAgent) -> Agent:
    """A client with a server and a store of its own."""
    return start_agent()
