"""The short form of a view: where one is, why it matters, what comes next."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from thoughtbox.domains.mind.slice import Place

VERSION = 1
MOST_SIGNALS = 3


def capsule(
    kind: str,
    place: Place,
    engine: dict[str, Any] | None,
    *,
    docs: Mapping[str, str],
    lane: str,
    step: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """The first signals of the engine, and its first action with a second to fall back on."""
    signals = engine["signals"] if engine else []
    primary, backup, *_ = [*(engine["actions"] if engine else []), None, None]
    return {
        "type": kind,
        "version": VERSION,
        "where": {
            "workspace": place.workspace,
            "branch": place.branch,
            "docs": dict(docs),
            "lane": {"kind": lane},
            "step": dict(step) if step is not None else None,
        },
        "why": {"signals": signals[:MOST_SIGNALS]},
        "next": {"primary": primary, "backup": backup},
    }
