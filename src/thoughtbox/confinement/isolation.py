"""Which isolation this machine has for programs of a box, found by really opening one."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Final, Literal, NamedTuple

from thoughtbox.confinement import machine
from thoughtbox.confinement.nurseries import Nursery, Unavailable, ready
from thoughtbox.confinement.plan import Limits, Plan
from thoughtbox.confinement.removal import remove

BUBBLEWRAP: Final = "bwrap"
_TRIED: Final = Limits(wall_seconds=10, cpu_seconds=10, memory_mb=256, file_mb=1, processes=32, output_kb=1)


class Isolation(NamedTuple):
    """How boxes are made here, or why there are none."""

    way: Literal["namespaces", "bubblewrap"] | None
    bubblewrap: str | None = None
    """The program, where it is the way."""
    why: str | None = None
    """What the machine has said, where it does not let this server make namespaces itself."""


@cache
def isolation() -> Isolation:
    """Namespaces that this server makes; bubblewrap where only that may; or none, and untrusted code is not run."""
    why = _refusal(None)
    if why is None:
        return Isolation("namespaces")
    program = shutil.which(BUBBLEWRAP)
    # Root may make namespaces or has been kept from it on purpose. For a user, bubblewrap may be let through by name.
    if sys.platform != "linux" or os.geteuid() == 0 or program is None:
        return Isolation(None, why=why)
    also = _refusal(program)
    if also is None:
        return Isolation("bubblewrap", program, why)
    return Isolation(None, why=f"{why}; {program}: {also}")


def _refusal(bubblewrap: str | None) -> str | None:
    """Why no box can be made; None when one was."""
    if sys.platform != "linux":
        return f"{sys.platform} has no namespaces"
    folder = Path(tempfile.mkdtemp(prefix="thoughtbox-"))
    try:
        plan = machine.plan(folder, limits=_TRIED)._replace(bubblewrap=bubblewrap)
        return _said_of(plan)
    except OSError as error:  # such as root that may not give a folder to another user, and then write to it
        return str(error)
    finally:
        remove(folder)


def _said_of(plan: Plan) -> str | None:
    nursery = Nursery("program")
    try:
        box = nursery.open(plan, ["/bin/sh"])
        ready(box)
        box.end()
    except Unavailable as why:
        return str(why) or "no box could be made"
    finally:
        nursery.close()
    return None
