"""Texts that people edit: guides and prompts. No code here beyond finding them."""

from functools import cache
from importlib.resources import files


@cache
def text(path: str) -> str:
    """The text of a file below this folder."""
    return files(__name__).joinpath(path).read_text(encoding="utf-8")
