"""Experiences as a file, or as text: JSON that can be imported again, Markdown to read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from fnmatch import fnmatch
from pathlib import Path

from thoughtbox import installation
from thoughtbox.domains.memory.folder import confined, project_of
from thoughtbox.domains.memory.knowledge.experience import Experience
from thoughtbox.domains.memory.knowledge.models import ExperiencesExported, ExportExperiences, ExportFilter
from thoughtbox.domains.memory.knowledge.shown import columns, shown
from thoughtbox.domains.memory.project import write_text
from thoughtbox.domains.memory.quoting import one_line
from thoughtbox.domains.memory.view.experiences import Experiences
from thoughtbox.errors import PathRefused, ValidationFailed
from thoughtbox.operations import Tx
from thoughtbox.world import iso

LONGEST_LINE = 2_000


def exported(tx: Tx, call: ExportExperiences) -> ExperiencesExported:
    found = [
        experience
        for experience in tx.ask(Experiences).all(type=call.filter.type, domain=call.filter.domain)
        if has_tags(experience.tags, call.filter)
    ]
    if call.output_path is None:
        return ExperiencesExported(
            exported=True,
            count=len(found),
            format=call.format,
            output=list(map(shown, found)) if call.format == "json" else _markdown(found, tx.now_ms),
            message=f"{_counted(len(found))} exported as {call.format}.",
        )
    text = _json(found) if call.format == "json" else _markdown(found, tx.now_ms)
    path = _written(tx, call.output_path, text, overwrite=call.overwrite)
    return ExperiencesExported(
        exported=True,
        count=len(found),
        format=call.format,
        output_path=str(path),
        message=f"{_counted(len(found))} exported to {call.output_path}.",
    )


def has_tags(tags: Sequence[str], wanted: ExportFilter) -> bool:
    return set(wanted.tags) <= set(tags)


def _counted(number: int) -> str:
    return "1 experience is" if number == 1 else f"{number} experiences are"


def _written(tx: Tx, given: str, text: str, *, overwrite: bool) -> Path:
    """Where the text stands now, all of it."""
    try:
        path = _writable(tx, given, overwrite=overwrite)
        if overwrite:
            write_text(path, text)
            return path
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise _there_already(given) from None
    except OSError as error:
        raise PathRefused(
            f"`{given[:200]}` cannot be written: {error.strerror}",
            recovery="Name another file inside the project.",
            details={"path": given[:200]},
        ) from None
    return path


def _writable(tx: Tx, given: str, *, overwrite: bool) -> Path:
    """Where to write; refuses what the server or the host keeps for itself, and what is there unless told otherwise."""
    path = confined(tx, given)
    root = project_of(tx).root.resolve()
    inside = path.relative_to(root).parts if path.is_relative_to(root) else ()
    is_private = tx.data_dir is not None and _is_private(path, tx.data_dir.resolve())
    if is_private or inside[:1] == (".git",) or path.is_dir() or (inside[:1] == (".claude",) and path.exists()):
        raise PathRefused(
            f"`{given[:200]}` is not a place for an export",
            recovery="Name a file of its own inside the project, such as experiences.json.",
            details={"path": given[:200]},
        )
    if path.exists() and not overwrite:
        raise _there_already(given)
    return path


def _is_private(path: Path, data_dir: Path) -> bool:
    if not path.is_relative_to(data_dir) or path == data_dir:
        return False
    first = path.relative_to(data_dir).parts[0]
    return any(fnmatch(first, pattern.partition("/")[0]) for pattern in installation.PRIVATE)


def _there_already(given: str) -> ValidationFailed:
    return ValidationFailed(
        f"`{given[:200]}` is there already; nothing was written",
        recovery="Name another file, or send overwrite: true to replace it.",
        details={"fields": ["output_path", "overwrite"]},
    )


def _json(found: Iterable[Experience]) -> str:
    return json.dumps([columns(experience) for experience in found], indent=2, ensure_ascii=False) + "\n"


def _markdown(found: Sequence[Experience], now_ms: int) -> str:
    head = f"# Experiences\n\nExported {iso(now_ms)}\n\nTotal: {len(found)}\n"
    return "\n".join([head, *map(_section, found)])


def _section(experience: Experience) -> str:
    known = [f"- Type: {experience.type}", f"- Domain: {experience.domain}", f"- Scope: {experience.scope}"]
    if experience.confidence is not None:
        known.append(f"- Confidence: {experience.confidence:g}")
    if experience.tags:
        known.append(f"- Tags: {one_line(', '.join(experience.tags), LONGEST_LINE)}")
    known += [f"- Source: {experience.source}, trust {experience.trust}", f"- Created: {iso(experience.created_at)}"]
    if experience.revision_of is not None:
        known.append(f"- Revises: {experience.revision_of}")
    parts = zip(("Situation", "Approach", "Outcome", "Reasoning"), experience.texts, strict=True)
    texts = "\n".join(f"### {name}\n\n{_quoted(text)}\n" for name, text in parts)
    return f"## {experience.id}: {experience.domain}\n\n" + "\n".join(known) + f"\n\n{texts}"


def _quoted(text: str) -> str:
    """As a quotation: nothing in it can be taken for a part of the page."""
    return "\n".join(f"> {line}".rstrip() for line in text.strip().splitlines())
