"""Parts of an `.ipynb` that are read with care: what has another type than nbformat says is refused by its place."""

from __future__ import annotations

from typing import Any, Final

from thoughtbox.errors import InvalidPayload

_RECOVERY: Final = "Send the file as Jupyter writes it."


def wrong(what: str) -> InvalidPayload:
    return InvalidPayload(f"the .ipynb notebook cannot be read: {what}", recovery=_RECOVERY)


def an_object(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise wrong(f"{where} is no object")
    return value


def a_list(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise wrong(f"{where} is no list")
    return value


def a_text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise wrong(f"{where} is no text")
    return value


def a_joined_text(value: Any, where: str, between: str = "") -> str:
    """A text, or a list of its lines."""
    if isinstance(value, list):
        return between.join(a_text(line, f"line {number} of {where}") for number, line in enumerate(value, 1))
    return a_text(value, where)


def lines_of(text: str) -> list[str]:
    """A text as Jupyter writes it: in lines with their ends. A line ends with a line feed, and nothing else."""
    *lines, last = text.split("\n")
    return [f"{line}\n" for line in lines] + ([last] if last else [])
