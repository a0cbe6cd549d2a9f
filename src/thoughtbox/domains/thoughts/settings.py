"""What this room can be told."""

from __future__ import annotations

from thoughtbox.settings import Setting, one_of, optional_text, switched_on

SETTINGS: tuple[Setting, ...] = (
    Setting(
        "stages",
        "THOUGHTBOX_STAGES",
        "enforce",
        one_of("enforce", "guide"),
        "enforce: an operation before its stage is refused. guide: it runs, with a hint.",
    ),
    Setting(
        "auto_create_session",
        "THOUGHTBOX_AUTO_CREATE_SESSION",
        "true",
        switched_on,
        "false: a thought never begins a session by itself.",
    ),
    Setting(
        "reasoning_session",
        "THOUGHTBOX_REASONING_SESSION",
        "",
        optional_text,
        "Session that every connection works on from the start.",
    ),
    Setting(
        "partition",
        "THOUGHTBOX_PARTITION",
        "monthly",
        one_of("monthly", "weekly", "daily", "none"),
        "How sessions that are exported as files are arranged by time.",
        kept="sessionPartitionGranularity",
    ),
)
