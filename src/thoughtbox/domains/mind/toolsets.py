"""Which tools are shown, and how a suggestion leads to one that is not.

A toolset decides what is shown, never what may be called. Some clients call nothing that they were not shown: for them
a call on a hidden tool comes behind one that shows it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from thoughtbox.operations import TABLE

CORE, DAILY, FULL = "mind-core", "mind-daily", "mind-full"

IN_CORE = (CORE, DAILY, FULL)
IN_DAILY = (DAILY, FULL)
IN_FULL = (FULL,)


@cache
def shown_in(toolset: str | None) -> frozenset[str] | None:
    """The names of the tools that are shown; None where all can be reached, as by the gateway."""
    if toolset is None:
        return None
    tools = TABLE.shown_in(toolset)
    return None if any(tool.gateway is not None for tool in tools.values()) else frozenset(tools)


@cache
def disclosing(tool: str) -> str | None:
    """The smallest of this room's toolsets that shows a tool."""
    return next((toolset for toolset in IN_CORE if tool in TABLE.shown_in(toolset)), None)


def disclosure(toolset: str) -> dict[str, Any]:
    """The call that shows the tools of a toolset."""
    return {"action": "call_method", "method": "tools/list", "params": {"toolset": toolset}}


def disclosed(suggestions: Sequence[Mapping[str, Any]], toolset: str | None) -> list[dict[str, Any]]:
    """Suggestions for a caller who is shown one toolset: a call on a hidden tool comes behind its disclosure."""
    shown = shown_in(toolset)
    told: list[dict[str, Any]] = []
    known = set[str]()
    for one in suggestions:
        tool = one.get("target")
        wider = disclosing(tool) if shown is not None and isinstance(tool, str) and tool not in shown else None
        if wider is not None and wider not in known:
            known.add(wider)
            told.append({**disclosure(wider), "reason": f"{tool} is shown in {wider}", "priority": one["priority"]})
        told.append(dict(one))
    return told
