"""Which messages look like a summary: by their words alone, so that the same message always does."""

from __future__ import annotations

import re
from collections.abc import Iterable

MARKERS = ("summary", "tl;dr", "in short", "what was done", "next steps", "result")

_WORDS = "(?:" + "|".join(map(re.escape, MARKERS)) + r")s?(?![\w-])"
_SIGNS = r"[ \t#>*_`•-]*"
_SUMMARY = re.compile(
    rf"\A{_SIGNS}(?:in )?{_WORDS}"  # the message begins with it
    rf"|^{_SIGNS}(?:in )?{_WORDS}[*_`]*[ \t]*(?:[:,.—–-]|\r?$)"  # a line of its own, or the opening of one
    rf"|^[ \t]*(?:#{{1,6}}|\*\*)[^\r\n]{{0,80}}?(?<!\w){_WORDS}"  # a heading
    rf"|(?<!\w){_WORDS}[*_`]*[ \t]*:"  # announced anywhere
    r"|(?<!\w)tl;dr(?!\w)",
    re.MULTILINE,
)


def looks_like_summary(text: str, more_markers: Iterable[str] = ()) -> bool:
    """Whether a message begins with a marker, has one as a heading, or announces one with a colon.

    Markers of one's own count wherever they stand.
    """
    lowered = text.strip().lower()
    if any(marker.lower() in lowered for marker in more_markers if marker.strip()):
        return True
    return any(marker in lowered for marker in MARKERS) and _SUMMARY.search(lowered) is not None
