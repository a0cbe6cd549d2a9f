"""Texts that people edit: guides and prompts. No code here beyond finding them."""

from functools import cache
from importlib.resources import files


@cache
def text(path: str) -> str:
    """The text of a file below this folder."""
    return files(__name__).joinpath(path).read_text(encoding="utf-8")


@cache
def names(folder: str) -> tuple[str, ...]:
    """The names of the Markdown files in a folder, without their ending, in order."""
    found = files(__name__).joinpath(folder).iterdir()
    return tuple(sorted(file.name.removesuffix(".md") for file in found if file.name.endswith(".md")))
