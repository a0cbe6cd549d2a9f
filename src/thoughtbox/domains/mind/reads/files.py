"""Files that a tool writes: in the project folder or the data directory, wherever symbolic links lead, and whole."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from contextlib import suppress
from fnmatch import fnmatch
from pathlib import Path

from thoughtbox import installation
from thoughtbox.domains.mind.refusals import invalid
from thoughtbox.errors import InvalidInput

FIELD = "out_file"


def file_within(named: str, project: Path | None, data_dir: Path | None) -> Path:
    """Where the file named is to be written; refuses what is outside, a folder, and the server's own files."""
    roots = [folder.resolve() for folder in (project, data_dir) if folder is not None]
    if not roots:
        raise invalid(
            "there is no project folder and no data directory to write to",
            recovery="Start the server in a project, or set THOUGHTBOX_PROJECT_ROOT to its folder.",
            field=FIELD,
        )
    try:
        found = (roots[0] / Path(named).expanduser()).resolve()
        is_folder = found.is_dir()
    except (OSError, RuntimeError, ValueError) as error:
        raise _refused(named, f"is no path: {error}", roots) from None
    _must_be_inside(named, found, roots)
    if data_dir is not None and _is_the_servers(found, data_dir.resolve()):
        raise _refused(named, "is a file that the server keeps", roots)
    if is_folder:
        raise _refused(named, "is a folder", roots)
    return found


def _must_be_inside(named: str, found: Path, roots: Sequence[Path]) -> None:
    if not any(found.is_relative_to(root) and found != root for root in roots):
        raise _refused(named, "is outside the project folder and the data directory", roots)


def _is_the_servers(found: Path, data_dir: Path) -> bool:
    if not found.is_relative_to(data_dir):
        return False
    first, *_ = found.relative_to(data_dir).parts
    return any(fnmatch(first, pattern.partition("/")[0]) for pattern in installation.PRIVATE)


def _refused(named: str, why: str, roots: Sequence[Path]) -> InvalidInput:
    return invalid(
        f"`{FIELD}` {why}: {named[:200]}",
        recovery=f"Name a file below {' or '.join(str(root) for root in roots)}, such as .context/context_pack.json.",
        field=FIELD,
    )


def write_whole(path: Path, content: bytes, named: str, project: Path | None, data_dir: Path | None) -> None:
    """Put the content there, all of it or nothing: whoever reads the file finds the old one or the new one."""
    roots = [folder.resolve() for folder in (project, data_dir) if folder is not None]
    fresh = path.with_name(f".{path.name[:100]}.{secrets.token_hex(6)}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # A folder on the way may have been put there in the meantime, and lead elsewhere.
        _must_be_inside(named, path.resolve(), roots)
        with fresh.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except OSError as error:
        raise _refused(named, f"cannot be written ({error.strerror})", roots) from error
    finally:
        with suppress(OSError):
            fresh.unlink()
