"""Files that others could have written. An `.ipynb` ends in `.json` here, so that no linter tries to mend it."""

from __future__ import annotations

from pathlib import Path

_FOLDER = Path(__file__).parent / "corpus"


def corpus(ending: str) -> list[str]:
    """The names of all files with an ending."""
    return sorted(path.name for path in _FOLDER.iterdir() if path.name.endswith(ending))


def text_of(name: str) -> str:
    return (_FOLDER / name).read_bytes().decode()
