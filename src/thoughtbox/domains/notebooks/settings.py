"""What this room can be told."""

from __future__ import annotations

from pathlib import Path

from thoughtbox.settings import Setting, number, optional_text


def _folders(text: str) -> tuple[Path, ...]:
    return tuple(Path(part.strip()).expanduser().absolute() for part in text.split(",") if part.strip())


def _names(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


SETTINGS: tuple[Setting, ...] = (
    Setting(
        "notebook_wall_seconds",
        "THOUGHTBOX_NOTEBOOK_WALL_SECONDS",
        "30",
        number(1, 86_400),
        "Seconds from the start of a cell to its end.",
    ),
    Setting(
        "notebook_cpu_seconds",
        "THOUGHTBOX_NOTEBOOK_CPU_SECONDS",
        "30",
        number(1, 86_400),
        "Seconds that a cell may compute, with all that it starts.",
    ),
    Setting(
        "notebook_memory_mb",
        "THOUGHTBOX_NOTEBOOK_MEMORY_MB",
        "1024",
        number(128, 1_048_576),
        "Megabytes of memory that a notebook's processes may take up together.",
    ),
    Setting(
        "notebook_file_mb",
        "THOUGHTBOX_NOTEBOOK_FILE_MB",
        "100",
        number(1, 1_048_576),
        "Megabytes that one file of a cell may have; all files of a notebook together ten times that.",
    ),
    Setting(
        "notebook_processes",
        "THOUGHTBOX_NOTEBOOK_PROCESSES",
        "128",
        number(32, 100_000),
        "Processes and threads that a notebook may have at once.",
    ),
    Setting(
        "notebook_output_kb",
        "THOUGHTBOX_NOTEBOOK_OUTPUT_KB",
        "4096",
        number(1, 32_768),
        "Kilobytes of a run's output that are kept.",
    ),
    Setting(
        "notebook_folders",
        "THOUGHTBOX_NOTEBOOK_FOLDERS",
        "",
        _folders,
        "Folders, with commas between them, that notebook.load may read from; none when empty.",
    ),
    Setting(
        "notebook_environment",
        "THOUGHTBOX_NOTEBOOK_ENVIRONMENT",
        "",
        _names,
        "Names of environment variables, with commas between them, that cells may see; none when empty.",
    ),
    Setting(
        "node",
        "THOUGHTBOX_NODE",
        "",
        optional_text,
        "The node program that runs JavaScript and TypeScript cells; without it the newest on the path.",
    ),
)
