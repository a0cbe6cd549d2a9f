"""What is foreign in a file and has no place in it when it is written again is kept aside, and put back when read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def kept_aside(extra: Mapping[str, Any], told: Mapping[str, Any]) -> dict[str, Any]:
    """What a file that tells so much does not tell of all that is foreign; of objects only what is missing in them."""
    aside: dict[str, Any] = {}
    for name, value in extra.items():
        if name not in told:
            aside[name] = value
        elif isinstance(value, dict) and isinstance(told[name], dict):
            if missing := kept_aside(value, told[name]):
                aside[name] = missing
        elif told[name] != value:
            aside[name] = value
    return aside


def put_back(told: Mapping[str, Any], aside: Any) -> dict[str, Any]:
    """All that is foreign again; an `aside` that is no object is not ours, and says nothing."""
    extra = dict(told)
    for name, value in aside.items() if isinstance(aside, dict) else ():
        both = isinstance(value, dict) and isinstance(extra.get(name), dict)
        extra[name] = put_back(extra[name], value) if both else value
    return extra
