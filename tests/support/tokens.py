"""How many tokens a value is for a model, as compact JSON: counted with the o200k vocabulary."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

import orjson


def tokens(value: Any) -> int:
    return _vocabulary().count(orjson.dumps(value).decode())


@cache
def _vocabulary() -> Any:
    return import_module("rs_bpe.bpe").openai.o200k_base()
