"""Where transcripts lie: the folder a call names, or those of Codex and Claude Code."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from thoughtbox.domains.mind.notices import Notice
from thoughtbox.domains.mind.transcripts.refusals import invalid
from thoughtbox.errors import shown


def _as_it_is(text: str) -> str:
    return text


@dataclass(frozen=True)
class Surroundings:
    """What the server knows and a call does not say."""

    home: Path
    environment: Mapping[str, str]
    project_root: Path | None
    summary_markers: tuple[str, ...] = ()
    """Words that make a message a summary, besides the English ones."""
    redact: Callable[[str], str] = _as_it_is
    """Takes secrets out of a text before it is cut: half a secret is not recognised any more."""


@dataclass(frozen=True)
class Root:
    """A folder of transcripts, resolved."""

    path: Path
    by_project: bool = False
    """Whether its folders are named after projects, as Claude Code does."""


@dataclass(frozen=True)
class Roots:
    """The folders that a call reads, and the one that its paths are relative to unless they say otherwise."""

    shown: Path
    read: tuple[Root, ...]

    def prefix_of(self, root: Root) -> str | None:
        """What a reference has to name besides its path."""
        return None if root.path == self.shown else str(root.path)

    def warnings(self) -> list[Notice]:
        if self.read:
            return []
        return [
            Notice(
                "TRANSCRIPTS_ROOT_MISSING",
                f"There are no transcripts: neither {self.shown} nor the folder of Claude Code's projects exists.",
                "Send root_dir, the folder that the *.jsonl files of your sessions are in.",
            )
        ]


def roots_of(root_dir: str | None, surroundings: Surroundings) -> Roots:
    """The folder named, which must be there; without one both defaults, as far as they are there."""
    claude = _claude(surroundings)
    if root_dir is not None:
        path = _folder(root_dir, surroundings)
        return Roots(path, (Root(path, by_project=path == _resolved(claude)),))
    codex = _codex(surroundings)
    found = [
        Root(path, by_project=by_project)
        for path, by_project in ((_resolved(codex), False), (_resolved(claude), True))
        if path is not None
    ]
    apart = [root for root in found if not any(root.path.is_relative_to(o.path) for o in found if o is not root)]
    return Roots(_resolved(codex) or codex, tuple(apart or found[:1]))


def _codex(surroundings: Surroundings) -> Path:
    return _moved(surroundings, "CODEX_HOME", ".codex") / "sessions"


def _claude(surroundings: Surroundings) -> Path:
    return _moved(surroundings, "CLAUDE_CONFIG_DIR", ".claude") / "projects"


def _moved(surroundings: Surroundings, variable: str, usual: str) -> Path:
    told = surroundings.environment.get(variable)
    return _from_home(told, surroundings) if told else surroundings.home / usual


def _from_home(path: str, surroundings: Surroundings) -> Path:
    """A path in which ~ stands for the home that the server knows."""
    return surroundings.home / path[2:] if path.startswith("~/") else Path(path)


def _resolved(path: Path) -> Path | None:
    try:
        resolved = path.resolve(strict=True)
        return resolved if resolved.is_dir() else None
    except (OSError, ValueError, RuntimeError):
        return None


def _folder(root_dir: str, surroundings: Surroundings) -> Path:
    path = _from_home(root_dir, surroundings)
    if not path.is_absolute():
        raise invalid(
            f"`root_dir` must be an absolute path, not `{shown(root_dir)}`",
            recovery="Send it from / or ~/ on, or leave it out to read the sessions of Codex and Claude Code.",
            fields=["root_dir"],
        )
    found = _resolved(path)
    if found is None or not os.access(found, os.R_OK | os.X_OK):
        raise invalid(
            f"`root_dir` `{shown(root_dir)}` is not a folder that can be read",
            recovery="Send a folder that exists, or leave root_dir out to read the sessions of Codex and Claude Code.",
            fields=["root_dir"],
        )
    return found
