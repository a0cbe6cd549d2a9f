"""What this room can be told."""

from __future__ import annotations

from thoughtbox.settings import Setting


def _phrases(text: str) -> tuple[str, ...]:
    return tuple(part.strip().lower() for part in text.split(",") if part.strip())


SETTINGS: tuple[Setting, ...] = (
    Setting(
        "summary_markers",
        "THOUGHTBOX_SUMMARY_MARKERS",
        "",
        _phrases,
        "More phrases that mark a summary in transcripts, separated by commas.",
    ),
)
