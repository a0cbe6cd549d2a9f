"""What the exit code of a command means."""

from __future__ import annotations

WRONG, USAGE, NO_STORE, INTERRUPTED = 1, 2, 3, 130

READER_GONE = 141
"""What a shell says of a process whose reader went away, as in `thoughtbox ops | head`."""

EXIT_CODES = {
    0: "all is well",
    1: "what was asked about is not right: a broken chain, a failed call, a refused import",
    2: "the command or a setting is wrong",
    3: "the store cannot be opened",
    4: "the ledger is valid, but signed by a key that is not trusted here",
    130: "interrupted",
}
