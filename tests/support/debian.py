"""Debian's packages, where this user may install them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence

_PATIENCE = ("-o", "Acquire::Retries=1", "-o", "Acquire::http::Timeout=30", "-o", "Acquire::https::Timeout=30")


def install(packages: Sequence[str]) -> bool:
    """Have packages installed; whether they are."""
    apt = shutil.which("apt-get")
    if apt is None or os.geteuid() != 0:
        return False
    update, bring = ["-qq", "update"], ["-qq", "-y", "--no-install-recommends", "install", *packages]
    return all(_does([apt, *_PATIENCE, *words]) for words in (update, bring))


def _does(words: list[str]) -> bool:
    quietly = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(
        words, env=quietly, stdin=subprocess.DEVNULL, stdout=sys.stderr, stderr=sys.stderr, check=False
    )
    return done.returncode == 0
