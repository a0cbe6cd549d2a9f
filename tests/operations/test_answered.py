"""What callers were answered lately."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.forks import PATIENCE
from thoughtbox.operations import answered
from thoughtbox.operations.answered import Answered
from thoughtbox.operations.shared_log import SIZE, SharedLog


def test_the_last_answer_to_a_caller_is_kept_until_it_is_counted_or_forgotten():
    kept = Answered()
    kept.note("w", "ann", "search", None)
    assert kept.last("w", "ann", "search") == (None, None)
    assert kept.last("w", "ben", "search") is kept.last("v", "ann", "search") is None
    kept.count("w", "ann", "search", "s1")
    assert kept.last("w", "ann", "search") == (None, "s1")
    kept.note("w", "ann", "search", 7)
    assert kept.last("w", "ann", "search") == (7, None)
    kept.note("v", "ann", "search", None)
    kept.forget("w")
    assert kept.last("w", "ann", "search") is None
    assert kept.last("v", "ann", "search") == (None, None)


def test_of_many_answers_those_of_longest_ago_are_forgotten():
    kept = Answered()
    for number in range(answered.MOST):
        kept.note("w", "ann", f"o{number}", None)
    kept.note("w", "ann", "o0", None)
    kept.note("w", "ann", "more", None)
    assert kept.last("w", "ann", "o0") is not None
    assert kept.last("w", "ann", "o1") is None


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[list[Answered]]:
    """What three processes of one server know, as if they were three."""
    logs = [SharedLog(tmp_path / "log") for _ in range(3)]
    found = [Answered() for _ in logs]
    for one, log in zip(found, logs, strict=True):
        one.share(log)
    yield found
    for log in logs:
        log.close()


def test_what_one_process_has_answered_all_know_at_once_and_in_the_same_order(shared: list[Answered]):
    here, there, elsewhere = shared
    here.note("w", "ann", "search", None)
    assert there.last("w", "ann", "search") == (None, None)
    there.count("w", "ann", "search", "s1")
    assert here.last("w", "ann", "search") == (None, "s1")
    here.note("w", "ann", "search", None)
    there.note("w", "ann", "search", 7)
    elsewhere.note("w", "ben", "search", None)
    assert [one.last("w", "ann", "search") for one in shared] == [(7, None)] * 3
    elsewhere.forget("w")
    assert [one.last("w", "ben", "search") for one in shared] == [None] * 3


def test_a_process_that_comes_late_knows_what_is_told_again(shared: list[Answered], tmp_path: Path):
    here, there, _ = shared
    here.note("w", "ann", "search", None)
    here.count("w", "ann", "search", "s1")
    for number in range(2 * SIZE // 60):
        here.note("w", "ann", "write", number)  # until the first of it is written over
        if number % 1000 == 0:
            there.catch_up()
    late = Answered()
    late.share(log := SharedLog(tmp_path / "log"))
    assert late.last("w", "ann", "search") is None

    here.retell()

    assert late.last("w", "ann", "search") == there.last("w", "ann", "search") == (None, "s1")
    log.close()


def test_many_processes_write_at_once_and_all_read_the_same(shared: list[Answered], tmp_path: Path):
    script = (
        "import sys\nfrom pathlib import Path\nfrom thoughtbox.operations.answered import Answered\n"
        "from thoughtbox.operations.shared_log import SharedLog\n"
        "mine, log = sys.argv[1], SharedLog(Path(sys.argv[2]))\nkept = Answered()\nkept.share(log)\n"
        "for n in range(2000):\n    kept.note('w', mine, f'o{n % 50}', n)\n"
    )
    writers = [
        subprocess.Popen([sys.executable, "-P", "-c", script, name, str(tmp_path / "log")])
        for name in ("ann", "ben", "cid")
    ]

    assert [writer.wait(PATIENCE) for writer in writers] == [0, 0, 0]

    for one in shared:
        for name in ("ann", "ben", "cid"):
            assert [one.last("w", name, f"o{n}") for n in range(50)] == [(1950 + n, None) for n in range(50)]
