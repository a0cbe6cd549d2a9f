"""The filter before the kernel: which calls it lets through, on both machines."""

from __future__ import annotations

import platform
from pathlib import Path

import pytest

from tests.support.bpf import verdict
from thoughtbox.confinement import seccomp
from thoughtbox.confinement.seccomp import ABSENT, ALLOW, CALLS, KILL, LOOKED_INTO, MISSING, NO_SUCH_FAMILY, REFUSE

MACHINES = list(seccomp.ARCHITECTURES)
NEW_USER, NEW_NETWORK, THREAD = 0x10000000, 0x40000000, 0x3D0F00

each_machine = pytest.mark.parametrize("machine", MACHINES)


def of(machine: str, name: str, *arguments: int) -> int:
    """What becomes of a call by name."""
    numbers = {**CALLS, **MISSING, **LOOKED_INTO}[name]
    number = numbers[MACHINES.index(machine)]
    assert number is not None
    return verdict(seccomp.program(machine), seccomp.ARCHITECTURES[machine], number, *arguments)


@each_machine
def test_every_call_that_leads_out_is_refused(machine: str):
    place = MACHINES.index(machine)
    assert {of(machine, name) for name, numbers in CALLS.items() if numbers[place] is not None} == {REFUSE}


@each_machine
def test_what_cannot_be_limited_is_said_not_to_be_there(machine: str):
    assert {of(machine, name) for name in MISSING} == {ABSENT}


@each_machine
def test_everything_else_passes(machine: str):
    place = MACHINES.index(machine)
    named = {numbers[place] for numbers in {**CALLS, **MISSING, **LOOKED_INTO}.values()}
    program, architecture = seccomp.program(machine), seccomp.ARCHITECTURES[machine]
    others = [number for number in range(500) if number not in named]
    assert {verdict(program, architecture, number, 1, 1, 1) for number in others} == {ALLOW}


@each_machine
def test_a_call_of_another_machine_ends_the_process(machine: str):
    other = next(value for name, value in seccomp.ARCHITECTURES.items() if name != machine)
    assert verdict(seccomp.program(machine), other, 0) == KILL


def test_the_second_set_of_numbers_is_not_there():
    program, architecture = seccomp.program("x86_64"), seccomp.ARCHITECTURES["x86_64"]
    assert verdict(program, architecture, seccomp.OTHER_INTERFACE | 101) == ABSENT
    assert verdict(program, architecture, 2**32 - 1) == ABSENT


@each_machine
def test_processes_and_threads_are_made_and_namespaces_are_not(machine: str):
    assert of(machine, "clone", 17) == ALLOW
    assert of(machine, "clone", THREAD) == ALLOW
    for bit in range(32):
        if seccomp.NEW_NAMESPACES >> bit & 1:
            assert of(machine, "clone", 17 | 1 << bit) == REFUSE
    assert of(machine, "clone", NEW_USER | NEW_NETWORK) == REFUSE


@each_machine
@pytest.mark.parametrize("name", ["socket", "socketpair"])
def test_only_sockets_of_the_boxs_own_network_are_made(machine: str, name: str):
    made = {family for family in range(64) if of(machine, name, family) == ALLOW}
    assert made == set(seccomp.FAMILIES)
    assert of(machine, name, 40) == NO_SUCH_FAMILY


@each_machine
def test_limits_of_other_processes_are_not_touched(machine: str):
    assert of(machine, "prlimit64", 0) == ALLOW
    assert of(machine, "prlimit64", 1) == of(machine, "prlimit64", 7) == REFUSE


@each_machine
def test_no_process_hides_from_the_one_that_watches(machine: str):
    assert of(machine, "prctl", seccomp.SET_DUMPABLE, 0) == REFUSE
    assert of(machine, "prctl", 15) == ALLOW


@each_machine
@pytest.mark.parametrize("name", ["sched_setparam", "sched_setscheduler", "sched_setattr", "sched_setaffinity"])
def test_the_one_that_watches_is_not_made_to_wait(machine: str, name: str):
    assert of(machine, name, seccomp.WARDEN) == REFUSE
    assert of(machine, name, 0) == of(machine, name, 2) == ALLOW


@each_machine
@pytest.mark.parametrize(("name", "one_process"), [("setpriority", 0), ("ioprio_set", 1)])
def test_priorities_are_changed_for_one_process_at_a_time(machine: str, name: str, one_process: int):
    assert of(machine, name, one_process, 0) == of(machine, name, one_process, 5) == ALLOW
    assert of(machine, name, one_process, seccomp.WARDEN) == REFUSE
    assert of(machine, name, one_process + 1, 5) == of(machine, name, one_process + 2, 5) == REFUSE


def test_numbers_are_those_of_this_machines_headers():
    headers = Path(f"/usr/include/{platform.machine()}-linux-gnu/asm/unistd_64.h")
    if platform.machine() != "x86_64" or not headers.exists():
        pytest.skip("the headers are not installed")
    lines = [
        line.split() for line in headers.read_text(encoding="utf-8").splitlines() if line.startswith("#define __NR_")
    ]
    known = {line[1].removeprefix("__NR_"): int(line[2]) for line in lines}
    ours = {name: numbers[0] for name, numbers in {**CALLS, **MISSING, **LOOKED_INTO}.items()}
    assert {name: number for name, number in ours.items() if known.get(name, number) != number} == {}


def test_a_machine_that_nobody_has_thought_of_has_no_filter(monkeypatch: pytest.MonkeyPatch):
    class Unknown:
        machine = "riscv64"

    monkeypatch.setattr("os.uname", Unknown)
    with pytest.raises(OSError, match="riscv64"):
        seccomp.of_this_machine()
