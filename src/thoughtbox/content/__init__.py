"""Texts that people edit: guides and prompts. No code here beyond finding them."""

from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent


@cache
def text(path: str) -> str:
    """The text of a file below this folder."""
    return (_FOLDER / path).read_text(encoding="utf-8")


@cache
def names(folder: str) -> tuple[str, ...]:
    """The names of the Markdown files in a folder, without their ending, in order."""
    found = (_FOLDER / folder).iterdir()
    return tuple(sorted(file.name.removesuffix(".md") for file in found if file.name.endswith(".md")))
