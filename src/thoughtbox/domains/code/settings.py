"""What this room can be told."""

from __future__ import annotations

from thoughtbox.settings import Setting, number

SETTINGS: tuple[Setting, ...] = (
    Setting(
        "code_cpu_ms",
        "THOUGHTBOX_CODE_CPU_MS",
        "50",
        number(1, 60_000),
        "Milliseconds that a snippet may compute; waiting for operations is not counted.",
    ),
    Setting(
        "code_wall_ms",
        "THOUGHTBOX_CODE_WALL_MS",
        "10000",
        number(100, 600_000),
        "Milliseconds from a snippet's start to its end, where its client does not wait for it as a task.",
    ),
    Setting(
        "code_memory_mb",
        "THOUGHTBOX_CODE_MEMORY_MB",
        "32",
        number(8, 1_024),
        "Megabytes that the values of a snippet may take up.",
    ),
)
