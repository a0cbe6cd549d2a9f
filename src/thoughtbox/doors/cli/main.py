"""Where the program begins. A hook is one that somebody waits for at every step: it loads no more than it needs."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    words = sys.argv[1:] if argv is None else argv
    if words[:1] == ["hook"]:
        from thoughtbox.doors.hooks.main import hook

        code = hook(words[1:])
        if code is not None:
            return code
    from thoughtbox.doors.cli.running import run

    return run(words)
