"""The verbs of cards."""

from __future__ import annotations

from importlib import import_module

for name in ("writing", "reading", "changing", "publishing", "merging", "subgoals"):
    import_module(f"thoughtbox.domains.mind.cards.verbs.{name}")
