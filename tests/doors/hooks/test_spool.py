"""What hooks take down: nothing is lost, nothing comes twice, and the order is that of the lines."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.doors.hooks.conftest import Host
from thoughtbox.doors.hooks import spool as spools
from thoughtbox.doors.hooks.keeping import Store
from thoughtbox.doors.hooks.spool import Full, Spool


@pytest.fixture
def spool(host: Host) -> Spool:
    return Spool(host.told("Stop").place)


def files(host: Host) -> list[Path]:
    return sorted((host.data / "hooks").iterdir())


def killed(spool: Spool, does: Callable[[dict[str, Any]], Any]) -> list[Any]:
    """Do something with each line that waits, and die before that is said."""
    done: list[Any] = []
    with suppress(KeyboardInterrupt), spool.taken(waits=True) as lines:
        done += map(does, lines)
        raise KeyboardInterrupt
    return done


def test_lines_come_out_in_the_order_they_went_in_and_once(spool: Spool):
    for number in range(3):
        spool.append({"number": number, "text": "with blanks\nand lines"})
    assert spool.waiting == 3

    with spool.taken(waits=True) as lines:
        assert [line["number"] for line in lines] == [0, 1, 2]
        spool.append({"number": 3})
    with spool.taken(waits=True) as lines:
        assert [line["number"] for line in lines] == [3]

    assert spool.waiting == 0


def test_lines_that_somebody_took_and_did_not_finish_come_first_with_the_keys_they_had(spool: Spool):
    spool.append({"number": 0})
    keys = killed(spool, lambda line: line["key"])
    spool.append({"number": 1})

    with spool.taken(waits=True) as lines:
        assert [line["key"] for line in lines] == keys
    with spool.taken(waits=True) as lines:
        assert [line["number"] for line in lines] == [1]


def test_one_takes_at_a_time_and_others_need_not_wait(spool: Spool):
    spool.append({"number": 0})
    with spool.taken(waits=True) as lines:
        assert len(lines) == 1
        seen: list[int] = []

        def other() -> None:
            with spool.taken(waits=False) as theirs:
                seen.append(len(theirs))

        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert seen == [0]


def test_half_a_line_that_a_power_cut_left_is_passed_over(host: Host, spool: Spool):
    spool.append({"number": 0})
    (lines,) = [path for path in files(host) if path.suffix == ".jsonl"]
    with lines.open("ab") as file:
        file.write(b'{"key": "hook-1", "num')
    spool.append({"number": 1})

    with spool.taken(waits=True) as taken:
        assert [line["number"] for line in taken] == [0, 1]


def test_what_waits_is_nobody_elses_business_and_has_an_end(host: Host, spool: Spool, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(spools, "LARGEST", 300)
    spool.append({"text": "x" * 100})

    assert {path.stat().st_mode & 0o077 for path in (*files(host), host.data / "hooks", host.data)} == {0}
    with pytest.raises(Full):
        spool.append({"text": "x" * 200})
    assert spool.waiting == 1


def test_lines_of_another_project_or_workspace_wait_by_themselves(host: Host, spool: Spool, tmp_path: Path):
    spool.append({"number": 0})
    place = host.told("Stop").place

    assert Spool(place._replace(root=tmp_path)).waiting == 0
    assert Spool(place._replace(workspace="other")).waiting == 0
    assert Spool(place).waiting == 1


def test_a_line_that_is_brought_in_twice_is_one_record_and_one_that_no_store_takes_hinders_none(
    host: Host, spool: Spool
):
    prompt = {"kind": "prompt", "client": "codex", "host_session": "s", "ts": "2026-11-16T08:00:00.000Z"}
    spool.append({**prompt, "kind": "nonsense"})
    spool.append({**prompt, "text": "x" * 5_000})
    spool.append({**prompt, "text": "Move the cache."})
    box = host.box()
    store = Store(box.app, host.told("Stop").place, "codex", "s")

    killed(spool, store._write)
    store.bring_in(waits=True)

    assert spool.waiting == 0
    assert box.session_pack()["pack"].count('"Move the cache." (prompt') == 1
    box.close()
