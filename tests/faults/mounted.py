"""What happens to a store on a file system of its own: `unshare -m python -m tests.faults.mounted VERB DIRECTORY`.

The mounts are this process's alone, and gone with it. It says a line of JSON at the end.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from tests.faults.store import Acknowledged, Store, missing
from thoughtbox.errors import StorageError, ThoughtboxError

PAGE = 4096


def full(directory: Path) -> dict[str, object]:
    """A disk that fills up under the server, and has room again later."""
    run("mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", directory)
    acknowledged: list[Acknowledged] = []
    refused: set[str] = set()
    with Store(directory / "store", durability="full") as store:
        think(store, acknowledged, "before")
        filler = directory / "filler"
        fill_up(filler)
        for number in range(200):
            try:
                think(store, acknowledged, f"no room {number} " + "x" * PAGE)
            except StorageError as error:
                refused.add(error.code)
                assert not [said for said in store.contents() if said.startswith(f"no room {number} ")]
        filler.unlink()
        think(store, acknowledged, "there is room again")
        store.assert_whole()
        lost = missing(store, acknowledged)
    with Store(directory / "store") as store:
        store.assert_whole()
        lost += missing(store, acknowledged)
    return {"refused": sorted(refused), "lost": len(lost), "acknowledged": len(acknowledged)}


def read_only(directory: Path) -> dict[str, object]:
    """A disk that the kernel makes read-only under the server, because it has found an error on it."""
    image, place = directory / "image", directory / "place"
    place.mkdir()
    with image.open("wb") as file:
        file.truncate(32 << 20)
    run("mkfs.ext4", "-q", "-F", image)
    run("mount", "-o", "loop,errors=remount-ro", image, place)
    acknowledged: list[Acknowledged] = []
    refused: list[str] = []
    with Store(place / "store", durability="full") as store:
        for number in range(20):
            think(store, acknowledged, f"before {number}")
        device = subprocess.run(
            ["findmnt", "-n", "-o", "SOURCE", str(place)], capture_output=True, text=True, encoding="utf-8", check=True
        ).stdout.strip()
        Path("/sys/fs/ext4", Path(device).name, "trigger_fs_error").write_text("1", encoding="ascii")
        for number in range(3):
            try:
                think(store, acknowledged, f"after {number}")
            except ThoughtboxError as error:
                refused.append(error.code)
        readable = len(store.contents())
    run("umount", place)
    with suppress(subprocess.CalledProcessError):  # it has mended something, and says so
        run("e2fsck", "-p", image)
    run("mount", "-o", "loop", image, place)
    with Store(place / "store", durability="full") as store:
        store.assert_whole()
        lost = missing(store, acknowledged)
        think(store, acknowledged, "writable again")
        store.assert_whole()
    run("umount", place)
    return {"refused": refused, "readable": readable, "lost": len(lost), "acknowledged": len(acknowledged)}


def think(store: Store, acknowledged: list[Acknowledged], content: str) -> None:
    acknowledged.append(Acknowledged(store.think(content), "s1", content))


def fill_up(filler: Path) -> None:
    descriptor = os.open(filler, os.O_WRONLY | os.O_CREAT)
    with suppress(OSError):
        while os.write(descriptor, bytes(PAGE)):
            pass
    os.close(descriptor)


def run(*command: str | Path) -> None:
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    verb, place = sys.argv[1:]
    print(json.dumps({"full": full, "read_only": read_only}[verb](Path(place))))
