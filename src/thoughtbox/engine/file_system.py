"""On which file system a path is, and whether SQLite can be trusted with it."""

from __future__ import annotations

import re
from pathlib import Path

from thoughtbox.errors import StorageError

# SQLite's shared memory and locks hold within one machine only.
_NETWORK = re.compile(
    r"nfs\d?|cifs|smb\w*|afs|ncpfs|ceph|glusterfs|lustre|gpfs|beegfs|ocfs2"
    r"|fuse\.(?:sshfs|ceph\w*|glusterfs|s3fs|rclone|gcsfuse|goofys|davfs\w*|cifs|smb\w*|nfs\w*)|davfs\w*|vboxsf|vmhgfs\w*"
)
DOUBTFUL = "9p"
"""In some sandboxes a disk of the machine below, where locks hold; in others a share of Windows, where they do not."""

LOCAL_OR_POSTGRES = "Set THOUGHTBOX_DATA_DIR to a local disk, or use PostgreSQL (THOUGHTBOX_DATABASE_URL)."
MOUNTS = Path("/proc/self/mountinfo")

_OCTAL = re.compile(r"\\([0-7]{3})")


def mounted_as(path: Path, mounts: str) -> str | None:
    """The type of the file system that a path is on, from the text of /proc/self/mountinfo; the mount on top counts."""
    best: tuple[int, str] | None = None
    for line in mounts.splitlines():
        # Optional fields of any number stand between the mount's own and those of its file system.
        mount, _, behind = line.partition(" - ")
        words, kind = mount.split(" "), behind.partition(" ")[0]
        if len(words) < 5 or not kind:
            continue
        point = Path(_OCTAL.sub(lambda found: chr(int(found[1], 8)), words[4]))
        depth = len(point.parts)
        if path.is_relative_to(point) and (best is None or depth >= best[0]):
            best = depth, kind
    return best[1] if best else None


def is_network(kind: str) -> bool:
    return _NETWORK.fullmatch(kind) is not None


def file_system_of(path: Path) -> str | None:
    """The type of the file system that a path is on, or will be when it is made; None where that is not known."""
    existing = next((place for place in (path, *path.parents) if place.exists()), Path("/"))
    try:
        mounts = MOUNTS.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return None
    return mounted_as(existing.resolve(), mounts)


def refuse_network(directory: Path) -> None:
    """Refuse to keep a database where other machines may open it as well."""
    kind = file_system_of(directory)
    if kind is not None and is_network(kind):
        raise StorageError(
            f"{directory} is on a network file system ({kind}), where SQLite's locks do not hold",
            recovery=LOCAL_OR_POSTGRES,
            details={"fileSystem": kind},
        )
