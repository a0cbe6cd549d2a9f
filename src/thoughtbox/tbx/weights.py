"""About how many tokens a value costs in JSON: what the encoder goes by when it has a choice.

Only its choices depend on these numbers. Whoever decodes needs to know nothing of them.
"""

from __future__ import annotations

import json
from typing import Any

KEY = 2
"""A short key in the place of a text."""
ENTRY = 3
"""A dictionary's entry, beside the text itself."""
MARKED = 1
"""null, true, false."""


def weight(value: Any) -> int:
    if isinstance(value, str):
        return 2 + len(value) // 4
    if value is None or isinstance(value, bool):
        return MARKED
    if isinstance(value, int):
        return 2 + value.bit_length() // 10
    return 1 + len(written(value)) // 3


written = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
"""A value as compact JSON. Values are the same where their JSON is: 1, 1.0 and true differ."""
