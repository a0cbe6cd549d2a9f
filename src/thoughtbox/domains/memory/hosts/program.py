"""How this program is started again, by a host: in whole paths, from wherever it runs now."""

from __future__ import annotations

import os
import sys
from pathlib import Path

NAME = "thoughtbox"


def program() -> list[str]:
    """The command beside the interpreter; where there is none, the interpreter itself."""
    command = Path(sys.executable).with_name(NAME)
    return [str(command)] if os.access(command, os.X_OK) else [sys.executable, "-m", NAME]
