"""What Node prints of an error that nobody has caught, told apart from what the cell has printed itself. Pure logic."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_END: Final = re.compile(r"Node\.js v\d+\.\d+\.\d+")
_PLACE: Final = re.compile(r"(?:file://)?(?P<path>/\S.*:\d+)|node:\S+:\d+")
_CARETS: Final = re.compile(r"\s*\^+")
_NODES_OWN: Final = re.compile(r"\s+at .*node:[\w/]+(?::\d+:\d+\)?)(?P<more> \{)?")
"""A line of the trace that lies in Node itself, perhaps with what else the error has behind it."""
_HINT: Final = "(Use `node --trace-uncaught"
_NAME: Final = re.compile(r"\[?(?P<name>[A-Za-z_$][\w$]*)(?: \[\w+\])?(?:: |\]|$)")
_SHOWN_OF_SOURCE: Final = 12
"""Lines in which Node shows where it was."""


class Uncaught(NamedTuple):
    """An error, and what was printed before it."""

    printed: str
    name: str
    said: str
    """Its sentence, and the way to it through the notebook's own files."""


def uncaught(text: str) -> Uncaught | None:
    """The error at the end of what a program has printed as errors; None when it did not end so."""
    lines = text.rstrip("\n").split("\n")
    if not _END.fullmatch(lines.pop()):
        return None
    found = _place_in(lines)
    if found is None:
        return None
    place, carets = found
    rest = "\n".join(lines[carets + 1 :])
    is_error = _HINT not in rest
    said = _without_nodes_own((rest if is_error else rest.partition(_HINT)[0]).strip("\n").split("\n"))
    named = _NAME.match(said[0]) if is_error else None
    if not is_error:
        said[0] = f"Uncaught: {said[0]}"
    path = _PLACE.fullmatch(lines[place])
    if path is not None and path["path"] and not any(line.lstrip().startswith("at ") for line in said):
        said += [path["path"], *lines[place + 1 : carets + 1]]
    # Behind an empty line Node says what was thrown that is no error.
    before = lines[:place] if is_error else lines[: place - 1]
    printed = "\n".join(before) + "\n" if before else ""
    name = "Uncaught" if not is_error else named["name"] if named is not None else "Error"
    return Uncaught(printed, name, "\n".join(said))


def _place_in(lines: list[str]) -> tuple[int, int] | None:
    """The lines that say where it was, and point at it: the last such."""
    for place in range(len(lines) - 1, -1, -1):
        if _PLACE.fullmatch(lines[place]):
            for carets in range(place + 1, min(len(lines) - 1, place + _SHOWN_OF_SOURCE)):
                if _CARETS.fullmatch(lines[carets]):
                    return place, carets
    return None


def _without_nodes_own(trace: list[str]) -> list[str]:
    kept = trace[:1]
    for line in trace[1:]:
        own = _NODES_OWN.fullmatch(line)
        if own is None:
            kept.append(line)
        elif own["more"] and kept:
            kept[-1] += " {"
    return kept
