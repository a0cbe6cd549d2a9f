"""How many tokens a text is to a model."""

from __future__ import annotations

from functools import cache
from typing import Any

import orjson
from rs_bpe.bpe import openai  # ty: ignore[import-not-found]  a compiled module


def tokens(text: str) -> int:
    """In the o200k vocabulary."""
    return len(_vocabulary().encode(text))


def tokens_of(value: Any) -> int:
    """Of a value as JSON without blanks."""
    return tokens(orjson.dumps(value).decode())


@cache
def _vocabulary() -> Any:
    return openai.o200k_base()
