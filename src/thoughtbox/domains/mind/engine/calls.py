"""Suggested calls: each succeeds when it is sent exactly as it stands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from thoughtbox.domains.mind.engine.argument import Argument
from thoughtbox.domains.mind.engine.wording import Values, card_text
from thoughtbox.domains.mind.slice import Card, Place


@dataclass(frozen=True)
class Call:
    tool: str
    params: dict[str, Any]


def write_card(
    name: str, values: Values, place: Place, *, supports: Sequence[str] = (), blocks: Sequence[str] = ()
) -> Call:
    """Write the card of that name in the wording."""
    card = card_text(name, values)
    params: dict[str, Any] = {"workspace": place.workspace}
    if place.target is None:
        params |= {"branch": place.branch, "trace_doc": place.trace_doc, "graph_doc": place.graph_doc}
    else:
        params |= {"target": place.target, **({"step": place.step} if place.step else {})}
    if place.step_tag and "step" not in params:
        # A step goes with a target only; without one, its tag alone puts the card into the step's slice.
        card["tags"].append(place.step_tag)
    links = {"supports": list(supports), "blocks": list(blocks)}
    return Call("think_card", {**params, "card": card, **{rel: ids for rel, ids in links.items() if ids}})


def ask(name: str, values: Values, argument: Argument, place: Place) -> Call:
    """Write the question of that name, or open it where it is asked already."""
    call = write_card(name, values, place)
    asked = argument.standing("question", call.params["card"]["title"])
    return open_card(asked, place) if asked else call


def open_card(card: Card, place: Place) -> Call:
    return Call("open", {"workspace": place.workspace, "id": card.id})


def playbook(name: str, place: Place) -> Call:
    return Call("think_playbook", {"workspace": place.workspace, "name": name})


def publish(card: Card, place: Place) -> Call:
    if place.target is None:
        scope = {"ref": place.branch, "graph_doc": place.graph_doc, "trace_doc": place.trace_doc}
    else:
        scope = {"target": place.target}
    return Call("think_publish", {"workspace": place.workspace, **scope, "card_id": card.id, "pin": True})


def shown_calls(calls: Iterable[Call], place: Place) -> list[dict[str, Any]]:
    """As they are sent, each toolset that shows a hidden tool being listed before the first of its tools."""
    return list(_with_disclosures(calls, place))


def _with_disclosures(calls: Iterable[Call], place: Place) -> Iterator[dict[str, Any]]:
    disclosed: set[str] = set()
    for call in calls:
        toolset = _toolset_to_list(call, place)
        if toolset is not None and toolset not in disclosed:
            disclosed.add(toolset)
            yield {"action": "call_method", "method": "tools/list", "params": {"toolset": toolset}}
        yield {"action": "call_tool", "target": call.tool, "params": call.params}


def _toolset_to_list(call: Call, place: Place) -> str | None:
    if place.shown is None or call.tool in place.shown or place.disclosing is None:
        return None
    return place.disclosing(call.tool)
