"""What this room can be told."""

from __future__ import annotations

from pathlib import Path

from thoughtbox.settings import Setting

MARKS_OF_A_PROJECT = (".git", ".hg", "pyproject.toml", "package.json", "Cargo.toml", "go.mod")


def _project_root(text: str) -> Path | None:
    """The folder named, or the project around the folder that the server was started in."""
    if text:
        return Path(text).expanduser().absolute()
    here = Path.cwd()
    around = [folder for folder in (here, *here.parents) if folder not in (Path.home(), Path(folder.anchor))]
    marked = (folder for folder in around if any((folder / mark).exists() for mark in MARKS_OF_A_PROJECT))
    return next(marked, None)


def _phrases(text: str) -> tuple[str, ...]:
    return tuple(part.strip().lower() for part in text.split(",") if part.strip())


SETTINGS: tuple[Setting, ...] = (
    Setting(
        "project_root",
        "THOUGHTBOX_PROJECT_ROOT",
        "",
        _project_root,
        "Directory of the project, for exports and transcripts; when empty, the one around where the server starts.",
    ),
    Setting(
        "summary_markers",
        "THOUGHTBOX_SUMMARY_MARKERS",
        "",
        _phrases,
        "More phrases that mark a summary in transcripts, separated by commas.",
    ),
)
