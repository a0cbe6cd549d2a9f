"""Where the program begins. A hook is one that somebody waits for at every step: it loads no more than it needs."""

from __future__ import annotations

import sys
from collections.abc import Sequence

WRONG, BLOCKS = 1, 2
"""What hosts make of an exit code: an error that hinders nobody, and a refusal."""


def main(argv: Sequence[str] | None = None) -> int:
    words = sys.argv[1:] if argv is None else argv
    is_hook = list(words[:1]) == ["hook"]
    if is_hook:
        from thoughtbox.doors.hooks.main import hook

        code = hook(words[1:])
        if code is not None:
            return code
    from thoughtbox.doors.cli.running import run

    code = run(words)
    return WRONG if is_hook and code == BLOCKS else code
