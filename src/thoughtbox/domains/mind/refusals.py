"""How this room refuses: what was wrong, and the next call, which can be sent as it stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from thoughtbox.domains.mind.envelope import Suggestion
from thoughtbox.errors import InvalidInput, UnknownId


def invalid(
    message: str,
    *,
    recovery: str | None = None,
    field: str | None = None,
    hints: Sequence[Mapping[str, Any]] = (),
    suggestions: Sequence[Suggestion] = (),
) -> InvalidInput:
    """An argument that cannot be honoured."""
    details: dict[str, Any] = {"fields": [field]} if field is not None else {}
    if hints:
        details["hints"] = [dict(hint) for hint in hints]
    return InvalidInput(message, recovery=recovery, details=details | suggested(suggestions))


def choose_one(message: str, *fields: str) -> InvalidInput:
    """Of arguments that exclude each other."""
    options = [{"keep": kept, "drop": [name for name in fields if name != kept]} for kept in fields]
    return invalid(
        message,
        recovery=f"Send {' or '.join(fields)}, not both." if len(fields) == 2 else f"Send one of {', '.join(fields)}.",
        hints=[{"kind": "choose_one", "fields": list(fields), "options": options}],
    )


def unknown(what: str, id: str, *, recovery: str, suggestions: Sequence[Suggestion] = ()) -> UnknownId:
    """Something that is not there."""
    return UnknownId(f"there is no {what} `{id}`", recovery=recovery, details={"id": id} | suggested(suggestions))


def suggested(suggestions: Sequence[Suggestion]) -> dict[str, Any]:
    return {"suggestions": [suggestion.shown() for suggestion in suggestions]} if suggestions else {}
