"""What an installation keeps beside the store: notes and trusted keys that several processes write at once."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
from pathlib import Path

from tests.support.box import WORKSPACE
from tests.support.forks import PATIENCE
from thoughtbox.ledger.checkpoints import origin
from thoughtbox.ledger.keyring import Keyring
from thoughtbox.ledger.signing import Checkpoint, SigningKey
from thoughtbox.ledger.trust import TrustedKeys
from thoughtbox.world import World

KEY = SigningKey.generate("thoughtbox", b"k" * 32)
PROCESSES = 4

REMEMBER = """
import sys
from pathlib import Path
from thoughtbox.ledger.checkpoints import origin
from thoughtbox.ledger.keyring import Keyring
from thoughtbox.ledger.signing import Checkpoint, SigningKey
from thoughtbox.world import World

key = SigningKey.generate("thoughtbox", b"k" * 32)
keyring = Keyring(Path(sys.argv[1]), World())
for line in sys.stdin:
    keyring.remember(sys.argv[2], key.sign(Checkpoint(origin(sys.argv[2]), int(line), bytes(32))))
    print(flush=True)
"""

TRUST = """
import sys
from pathlib import Path
from thoughtbox.ledger.signing import SigningKey
from thoughtbox.ledger.trust import TrustedKeys

for number in range(25):
    seed = bytes([int(sys.argv[2]), number]) * 16
    TrustedKeys(Path(sys.argv[1])).add(SigningKey.generate("k", seed).verifier_key)
"""


def size_kept(directory: Path) -> int:
    return max((Checkpoint.parse(note).size for note in Keyring(directory, World()).recall(WORKSPACE)), default=0)


def test_of_notes_remembered_at_once_by_several_processes_the_newest_is_kept(tmp_path: Path):
    """Each round all of them remember, each another note: whoever is last must not put an older one in its place."""
    chance = random.Random(20_260_728)
    command = [sys.executable, "-c", REMEMBER, str(tmp_path), WORKSPACE]
    processes = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")
        for _ in range(PROCESSES)
    ]
    alarm = threading.Timer(PATIENCE, lambda: [process.kill() for process in processes])
    alarm.start()
    try:
        for first in range(1, 1 + 100 * PROCESSES, PROCESSES):
            sizes = chance.sample(range(first, first + PROCESSES), PROCESSES)
            for process, size in zip(processes, sizes, strict=True):
                assert process.stdin
                process.stdin.write(f"{size}\n")
                process.stdin.flush()
            for process in processes:
                assert process.stdout
                assert process.stdout.readline() == "\n"
            assert size_kept(tmp_path) == first + PROCESSES - 1
    finally:
        alarm.cancel()
        for process in processes:
            process.communicate()


def test_a_note_that_cannot_be_read_gives_way(tmp_path: Path):
    keyring = Keyring(tmp_path, World())
    keyring.remember(WORKSPACE, KEY.sign(Checkpoint(origin(WORKSPACE), 7, bytes(32))))
    [path] = tmp_path.rglob("*.note")
    path.write_text("torn", encoding="utf-8")

    keyring.remember(WORKSPACE, KEY.sign(Checkpoint(origin(WORKSPACE), 3, bytes(32))))

    assert size_kept(tmp_path) == 3


def test_keys_trusted_at_once_by_several_processes_are_all_trusted(tmp_path: Path):
    processes = [
        subprocess.Popen([sys.executable, "-c", TRUST, str(tmp_path), str(number)]) for number in range(PROCESSES)
    ]
    assert [process.wait(PATIENCE) for process in processes] == [0] * PROCESSES

    assert len(TrustedKeys(tmp_path).all()) == 25 * PROCESSES
