"""A process of a user without rights, whoever runs the tests; if wanted, one that may not make namespaces itself."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from thoughtbox.confinement import system_calls as system
from thoughtbox.confinement.removal import remove

USER = 12_345
ROOT = Path(__file__).resolve().parents[2]
NEEDED = (Path(sys.base_prefix).resolve(), Path(sys.prefix).resolve(), ROOT)
"""What a Python of these tests reads."""
UNSHARE = {"x86_64": 272, "aarch64": 97}


@contextmanager
def folder_of_user() -> Generator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="thoughtbox-user-"))
    if os.geteuid() == 0:
        os.chown(folder, USER, USER)
    try:
        yield folder
    finally:
        remove(folder)


def run_as_user(source: str, folder: Path, *, may_unshare: bool = True) -> subprocess.CompletedProcess[str]:
    node = shutil.which("node", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    assert node is not None
    return subprocess.run(
        [sys.executable, "-B", "-c", source],
        preexec_fn=lambda: _become_user(may_unshare=may_unshare),
        cwd=ROOT,
        env={"PATH": f"{Path(node).parent}:/usr/local/bin:/usr/bin:/bin", "HOME": str(folder), "TMPDIR": str(folder)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def _become_user(*, may_unshare: bool) -> None:
    if os.geteuid() == 0:
        _open_the_way()
        os.setgroups([])
        os.setresgid(USER, USER, USER)
        os.setresuid(USER, USER, USER)
    system.prctl(system.PR_SET_NO_NEW_PRIVS, 1)
    if not may_unshare:
        system.seccomp(_without_mounts_of_its_own())


def _open_the_way() -> None:
    """Where a folder on the way to Python is closed to others, have one in its place that holds nothing else."""
    system.unshare(system.CLONE_NEWNS)
    system.mount("none", "/", flags=system.MS_REC | system.MS_PRIVATE)
    closed = [next((up for up in reversed(path.parents) if not up.stat().st_mode & 0o001), None) for path in NEEDED]
    trees = [(system.open_tree(str(path)), path) for path, up in zip(NEEDED, closed, strict=True) if up is not None]
    for folder in {up for up in closed if up is not None}:
        system.mount("tmpfs", str(folder), "tmpfs", 0, "mode=755")
    for tree, path in trees:
        path.mkdir(parents=True, exist_ok=True)
        system.mount_tree(tree, str(path))


def _without_mounts_of_its_own() -> bytes:
    """A filter as a machine may have it: no program makes mounts of its own unless it is let through by another way."""
    load, equal, any_bit, give = 0x20, 0x15, 0x45, 0x06
    steps = [
        (load, 0, 0, 0),
        (equal, 0, 3, UNSHARE[os.uname().machine]),
        (load, 0, 0, 16),
        (any_bit, 0, 1, system.CLONE_NEWNS),
        (give, 0, 0, 0x00050001),
        (give, 0, 0, 0x7FFF0000),
    ]
    return b"".join(struct.pack("=HBBI", *step) for step in steps)
