"""A program in a terminal of its own: what a person would type, and what they would see."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.support.forks import PATIENCE

_CONTROL = re.compile(r"\x1b(?:\[[0-9;?<>=]*[A-Za-z]|\][^\x07]*\x07|[()][A-Z0-9])")
ROWS, COLUMNS = 50, 200


class Terminal:
    """Ends its program, and all that the program has started, with the test."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], directory: Path) -> None:
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self._process = subprocess.Popen(
            command,
            env={**environment, "TERM": "xterm-256color"},
            cwd=directory,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        self._shown = b""
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()

    @property
    def shown(self) -> str:
        """All that was ever shown, without what moves and colours it."""
        return _CONTROL.sub(" ", self._shown.decode(errors="replace"))

    def type(self, text: str) -> None:
        os.write(self._ours, text.encode())

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *error: object) -> None:
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(PATIENCE)
        self._reading.join(PATIENCE)
        os.close(self._ours)

    def _read(self) -> None:
        try:
            while data := os.read(self._ours, 1 << 16):
                self._shown += data
        except OSError:
            pass  # the program has ended
