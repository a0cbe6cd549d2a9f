"""Makes the golden store of this version: `python -m tests.faults.make_golden`.

Run it once when the ledger's schema or record format changes, into a new folder, and
commit what it made; the folders of earlier versions stay as they are. Everything comes
from the ticking clock and a fixed key, so that the file says nothing about the machine.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from tests.faults.store import Store, fill

GOLDEN = Path(__file__).with_name("golden")
VERSION = "v3"
KEPT = ("thoughtbox.db", "signing.key", "checkpoints")


def make(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        with Store(directory, workspace="golden") as store:
            fill(store, 60, sign_at=(20, 45))
            store.think("Ünïcode, \u2028 and \U0001f9e0: kept as they are", "früh", actionId="deploy/9")
            store.assert_whole()
            export = store.export()
        folder.mkdir(parents=True)
        for kept in KEPT:
            source = directory / kept
            if source.is_dir():
                shutil.copytree(source, folder / kept, ignore=shutil.ignore_patterns(".lock"))
            else:
                shutil.copyfile(source, folder / kept)
    (folder / "export.jsonl").write_bytes(b"".join(line + b"\n" for line in export))


if __name__ == "__main__":
    make(GOLDEN / VERSION)
