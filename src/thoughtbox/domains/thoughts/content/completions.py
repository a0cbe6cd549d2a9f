"""Completions: the values that an argument may have, as far as it was typed."""

from __future__ import annotations

from collections.abc import Iterable

from thoughtbox.domains.thoughts.content.mental_models import models, tags
from thoughtbox.domains.thoughts.knowledge.view import Knowledge
from thoughtbox.domains.thoughts.room import room
from thoughtbox.domains.thoughts.view.thoughts import Thoughts
from thoughtbox.operations import Tx


def _beginning(typed: str, names: Iterable[str], limit: int) -> list[str]:
    return [name for name in names if name.startswith(typed)][:limit]


def _tags(tx: Tx, typed: str, limit: int) -> list[str]:
    """Of mental models, and of sessions."""
    return _beginning(typed, dict.fromkeys([*tags(), *tx.ask(Thoughts).tags(typed, limit)]), limit)


room.completion("sessionId", lambda tx, typed, limit: tx.ask(Thoughts).session_ids(typed, limit))
room.completion("tag", _tags)
room.completion("model", lambda tx, typed, limit: _beginning(typed, models(), limit))
room.completion("modelId", lambda tx, typed, limit: _beginning(typed, models(), limit))
room.completion("patternId", lambda tx, typed, limit: tx.ask(Knowledge).ids("pattern", typed, limit))
room.completion("noteId", lambda tx, typed, limit: tx.ask(Knowledge).ids("note", typed, limit))
