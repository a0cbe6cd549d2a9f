"""What of the machine is seen in every box: programs and libraries, and nothing that belongs to anybody."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from thoughtbox.confinement.nurseries import kernel_packages
from thoughtbox.confinement.plan import ENVIRONMENT, FILES, HOME, TEMPORARY, Bind, Limits, Plan

_SYSTEM: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_FILES: Final = (
    "/etc/ld.so.cache",
    "/etc/alternatives",
    "/etc/localtime",
    "/etc/timezone",
    "/etc/mime.types",
    "/etc/fonts",
)
_FOR_NETWORK: Final = (
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/ssl",
    "/etc/ca-certificates",
    "/etc/pki",
    "/etc/services",
)
NODE: Final = "/cell/node"
PATH: Final = f"{ENVIRONMENT}/bin:{NODE}/bin:/usr/local/bin:/usr/bin:/bin"
SITE_PACKAGES: Final = f"lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"
NODE_SETS_ASIDE_MB: Final = 1024
"""At its start it has 600 MB, of which it uses 40."""
KERNEL_SETS_ASIDE_MB: Final = 128
"""For the stacks of a dozen threads, most of them empty."""
NOBODY: Final = 1_231_072
"""Who programs of a box are outside of it where the server is root: a user that nothing else on the machine is."""


def plan(
    folder: Path,
    *,
    limits: Limits,
    node: Path | None = None,
    environment: dict[str, str] | None = None,
    hidden: Iterable[Path] = (),
    may_install: bool = False,
    has_network: bool = False,
    sees_all: bool = False,
) -> Plan:
    """A box around a folder, which is made if it is not there.

    `hidden` is what must not be in sight, even where it stands among what is. `may_install` lets the packages be
    written to.
    """
    own = _own_folders(folder.resolve())
    system, links = ([], {}) if sees_all else _system()
    seen = [*system, *_python(), *_node(node), *(_named(_FOR_NETWORK) if has_network and not sees_all else ())]
    return Plan(
        binds=[
            *seen,
            *(
                Bind(str(own[name]), target, is_writable)
                for name, target, is_writable in (
                    ("files", FILES, True),
                    ("home", HOME, True),
                    ("tmp", TEMPORARY, True),
                    ("env", ENVIRONMENT, may_install),
                )
            ),
        ],
        # Where this server is itself installed below /tmp, that must be seen there, and programs go by TMPDIR.
        links=links if any(bind.target.startswith("/tmp/") for bind in seen) else {**links, "/tmp": TEMPORARY},
        hidden=[
            place for path in hidden for place in ([str(path.resolve())] if sees_all else _places(path.resolve(), seen))
        ],
        environment={"PATH": PATH, "HOME": HOME, "TMPDIR": TEMPORARY, "LANG": "C.UTF-8", **(environment or {})},
        limits=limits,
        has_network=has_network,
        sees_all=sees_all,
        set_aside_mb=NODE_SETS_ASIDE_MB if node is not None else KERNEL_SETS_ASIDE_MB,
        user=NOBODY if os.geteuid() == 0 else None,
    )


def _own_folders(folder: Path) -> dict[str, Path]:
    """The parts of a box's folder, which belong to its user.

    What is below them was made by programs of a box: nothing there is made, changed or followed from outside. So the
    place for packages, which a kernel looks for when it starts, is made together with the folder that it is in.
    """
    own = {name: folder / name for name in ("files", "home", "tmp", "env")}
    for name, path in own.items():
        if not path.is_dir():
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            below = list(reversed((path / SITE_PACKAGES).relative_to(path).parents))[1:] if name == "env" else []
            for each in (*(path / part for part in below), *([path / SITE_PACKAGES] if below else ())):
                each.mkdir(mode=0o700)
                _give_away(each)
            _give_away(path)
    return own


def _give_away(path: Path) -> None:
    if os.geteuid() == 0:
        os.chown(path, NOBODY, NOBODY, follow_symlinks=False)


def _system() -> tuple[list[Bind], dict[str, str]]:
    """The system's own programs; where folders are links, as on most machines today, the links."""
    links = {path: os.readlink(path) for path in _SYSTEM if Path(path).is_symlink()}
    return [*_named(path for path in _SYSTEM if path not in links), *_named(_FILES)], links


def _named(paths: Iterable[str]) -> list[Bind]:
    """Those that there are; a link is seen as what it leads to."""
    return [Bind(str(Path(path).resolve()), path) for path in paths if Path(path).exists()]


def _python() -> list[Bind]:
    """The interpreter of this server and the packages of its kernel, where they stand."""
    wanted = [sys.base_prefix, kernel_packages()]
    return [Bind(os.path.realpath(path), path) for path in wanted if path is not None and not _is_in_system(path)]


def _is_in_system(path: str) -> bool:
    return Path(path).is_relative_to("/usr")


def _node(node: Path | None) -> list[Bind]:
    if node is None:
        return []
    program = node.resolve()
    npm = program.parents[1] / "lib" / "node_modules" / "npm"
    found = [Bind(str(program), f"{NODE}/bin/node")]
    return [*found, Bind(str(npm.resolve()), f"{NODE}/lib/node_modules/npm")] if npm.is_dir() else found


def _places(path: Path, seen: Sequence[Bind]) -> list[str]:
    """Where a folder would be in sight in a box."""
    among = [bind for bind in seen if path.is_relative_to(bind.source)]
    return list(dict.fromkeys(str(Path(bind.target) / path.relative_to(bind.source)) for bind in among))
