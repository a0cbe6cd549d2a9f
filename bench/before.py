"""The product as it was before its own protocol core and its shorter way of a write, from the history."""

from __future__ import annotations

import subprocess
from pathlib import Path

from bench.run import Run

COMMIT = "d09b15c6cce037e0947a871ac155a5ac58cac96f"
"""The last one before."""

HERE = Path(__file__).resolve().parent.parent


def source(run: Run) -> Path | None:
    """Its source, to be put on a Python path; None, and a note, where there is no such history."""
    archived = subprocess.run(["git", "archive", COMMIT, "src"], cwd=HERE, capture_output=True, check=False)
    if archived.returncode:
        run.notes.append(f"Not measured here: commit {COMMIT[:10]}, the state before, is not in the history.")
        return None
    directory = run.new_directory()
    directory.mkdir(parents=True, exist_ok=True)
    subprocess.run(["tar", "-xf", "-", "-C", directory], input=archived.stdout, check=True)
    return directory / "src"
