"""Boxes for tests, and what runs in them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.forks import PATIENCE
from thoughtbox.confinement import machine
from thoughtbox.confinement.box import Box
from thoughtbox.confinement.boxes import Boxes
from thoughtbox.confinement.frames import Message
from thoughtbox.confinement.plan import Limits, Plan

LIMITS = Limits(wall_seconds=60, cpu_seconds=60, memory_mb=512, file_mb=5, processes=40, output_kb=256)
PYTHON = [getattr(sys, "_base_executable", sys.executable), "-I", "-S", "-c"]


class Ran(NamedTuple):
    """What a program has come to."""

    printed: str
    code: int
    breach: str | None
    is_cut: bool


def planned(folder: Path, limits: Limits = LIMITS, **more: Any) -> Plan:
    return machine.plan(folder, limits=limits, **more)


def ran(boxes: Boxes, plan: Plan, source: str) -> Ran:
    """A program in Python, run to its end in a box of its own."""
    box = boxes.started(plan, [*PYTHON, source])
    try:
        return finished(box, {"files": {}})
    finally:
        box.end()


def finished(box: Box, request: Message) -> Ran:
    box.send(request)
    printed = ""
    while "ended" not in (message := box.receive(PATIENCE)):
        printed += message.get("text", "") + message.get("value", "")
    return Ran(printed, message["ended"], message["breach"], message["cut"])
