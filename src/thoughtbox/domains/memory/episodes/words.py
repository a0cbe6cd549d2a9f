"""The words by which sentences are read."""

from __future__ import annotations

import tomllib
from functools import cache
from typing import Any

from thoughtbox import content


def words(part: str, name: str) -> frozenset[str]:
    return frozenset(_lists()[part][name].split())


@cache
def _lists() -> dict[str, Any]:
    return tomllib.loads(content.text("memory/words.toml"))
