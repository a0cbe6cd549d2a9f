"""Which shape each generation of a view has: `python -m tests.ledger.generations` writes it down anew.

A shape that is written down is one that stores may have. It is never changed under its
generation: whoever changes a view raises its generation first.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from thoughtbox.app import all_views
from thoughtbox.engine.protocol import Dialect
from thoughtbox.ledger.view import View

PINNED = Path(__file__).with_name("generations.json")
DIALECTS: tuple[Dialect, ...] = ("sqlite", "postgres")


def pinned() -> dict[str, Any]:
    return json.loads(PINNED.read_text(encoding="utf-8"))


def present() -> dict[str, Any]:
    return {kind.name: described(kind) for kind in sorted(all_views().kinds, key=lambda kind: kind.name)}


def described(kind: type[View]) -> dict[str, Any]:
    return {"generation": kind.generation, **{dialect: kind.shape(dialect) for dialect in DIALECTS}}


def changed_without_a_new_generation(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    return [
        name
        for name, view in now.items()
        if name in before and view != before[name] and view["generation"] <= before[name]["generation"]
    ]


def main() -> None:
    now = present()
    before = pinned() if PINNED.exists() else {}
    if forgotten := changed_without_a_new_generation(before, now):
        raise SystemExit(f"Raise the generation of {', '.join(forgotten)} first: stores have it in its old shape.")
    if gone := before.keys() - now.keys():
        raise SystemExit(f"{', '.join(sorted(gone))} would be taken for a view of a newer release: see decision 0041.")
    PINNED.write_text(json.dumps(now, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
