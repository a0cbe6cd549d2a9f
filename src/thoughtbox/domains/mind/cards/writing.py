"""Writing a card once: into a trace and a graph together, and never twice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from thoughtbox.domains.mind import records
from thoughtbox.domains.mind.cards.card import CardRefused, ParsedCard
from thoughtbox.domains.mind.cards.parsing import read_card
from thoughtbox.domains.mind.cards.stamping import stamped
from thoughtbox.domains.mind.envelope import Suggestion
from thoughtbox.domains.mind.names import LONGEST_TYPE, bad_name
from thoughtbox.domains.mind.refusals import invalid
from thoughtbox.domains.mind.scope import Scope
from thoughtbox.domains.mind.steps import FOCUS, StepRef, resolve_step, step_tag
from thoughtbox.domains.mind.view.cards import Cards
from thoughtbox.domains.mind.view.documents import Documents
from thoughtbox.domains.mind.view.graph import Graph, edge_state, node_state
from thoughtbox.ledger.canonical import canonical
from thoughtbox.ledger.record import Record
from thoughtbox.ledger.view import astray
from thoughtbox.operations import LONGEST_TEXT, Tx

Links = Mapping[str, list[str]]
"""By relation: the nodes that a card leads to."""


@dataclass(frozen=True, slots=True)
class Written:
    """A card that stands, and whether this call wrote it."""

    card_id: str
    inserted: bool
    seq: int
    trace_doc: str
    graph_doc: str
    edges: int

    @property
    def trace_ref(self) -> str:
        return f"{self.trace_doc}@{self.seq}"

    @property
    def graph_ref(self) -> str:
        return f"{self.graph_doc}@{self.seq}"


class AboutStep:
    """The step that cards are about, if any: found out when it is first needed."""

    def __init__(self, tx: Tx, scope: Scope, given: str | None = None, *, overridden: bool = False) -> None:
        self._tx, self._scope, self._given, self._overridden = tx, scope, given, overridden

    @cached_property
    def _found(self) -> StepRef | None:
        return resolve_step(self._tx, self._scope, self._given, overridden=self._overridden)

    def stamp(self, card: ParsedCard) -> ParsedCard:
        """The card with the step's tag, and with the step in its meta."""
        if self._given is None or self._found is None:
            return card
        return _about(card, self._found.tag, self._found.meta())

    def stamp_again(self, card: ParsedCard, before: Mapping[str, Any]) -> ParsedCard:
        """The same, for a card that was written before: the step in focus then is the one that was meant."""
        step = before["meta"].get("step")
        if (
            self._overridden
            or self._given != FOCUS
            or not isinstance(step, dict)
            or not isinstance(step.get("step_id"), str)
        ):
            return self.stamp(card)
        return _about(card, step_tag(step["step_id"]), step)


def _about(card: ParsedCard, tag: str, step: Mapping[str, Any]) -> ParsedCard:
    return replace(card, tags=(*card.tags, tag), meta={**card.meta, "step": dict(step)})


def read(value: object, *, type: str | None = None, status: str | None = None, field: str = "card") -> ParsedCard:
    """The card that was sent; refuses what is none. A type or status given here counts, whatever the card says."""
    try:
        card = read_card(value, type=type)
    except CardRefused as refused:
        named = field if refused.field == "card" else f"{field}.{refused.field}"
        raise invalid(refused.message, recovery=refused.recovery, field=named) from None
    card = replace(card, status=status) if status is not None else card
    for name, text in (("title", card.title), ("text", card.text)):
        if text is not None and len(text) > LONGEST_TEXT:
            raise invalid(
                f"`{field}.{name}` is too long: {LONGEST_TEXT} at most",
                recovery="Send less, or in several cards.",
                field=f"{field}.{name}",
                hints=[{"kind": "length", "subject": f"{field}.{name}", "max_chars": LONGEST_TEXT}],
            )
    if (wrong := bad_name(card.status, LONGEST_TYPE)) is not None:
        raise invalid(
            f"the card's status {wrong}", recovery="Send a word or two, such as open.", field=f"{field}.status"
        )
    return card


def links(card: ParsedCard, **wanted: str | list[str] | None) -> Links:
    """What the card leads to by each relation, each once; refuses a card that leads to itself."""
    found = {rel: list(dict.fromkeys([ids] if isinstance(ids, str) else ids or ())) for rel, ids in wanted.items()}
    for rel, ids in found.items():
        if card.id is not None and card.id in ids:
            raise invalid(
                f"the card `{card.id}` is named in its own `{rel}`",
                recovery="Name other cards there.",
                field=rel,
            )
    return {rel: ids for rel, ids in found.items() if ids}


def write(
    tx: Tx,
    scope: Scope,
    card: ParsedCard,
    links: Links | None = None,
    *,
    step: AboutStep | None = None,
    agent: str | None = None,
) -> Written:
    """Write a card unless it stands already. The same id with something else in it is refused."""
    links = links or {}
    about = step or AboutStep(tx, scope)
    if card.id is not None and tx.ask(Cards).is_known(card.id):
        if (before := written_before(tx, scope, card.id)) is not None:
            _must_be_the_same(tx, scope, before, about.stamp_again(card, before.data["card"]), links)
            return as_written(before)
        _must_not_replace(tx, scope, about.stamp(card))
    named = replace(card, id=card.id or next_id(tx))
    return write_anew(tx, scope, about.stamp(named), links, agent=agent)


def write_anew(
    tx: Tx, scope: Scope, card: ParsedCard, links: Links | None = None, *, agent: str | None = None
) -> Written:
    """Write a card as it is, and then its edges, each with a number of its own."""
    links = links or {}
    branch, state = scope.branch, state_of(card)
    record = records.write_card(
        tx,
        branch.id,
        branch.name,
        trace_doc=scope.trace,
        graph_doc=scope.graph,
        card=state,
        links=links,
        relations=_relations(tx, scope, links),
        agent=agent,
    )
    for rel, ids in links.items():
        for id in ids:
            edge = edge_state(state["id"], rel, id)
            records.write_edge(tx, branch.id, branch.name, scope.graph, edge, why="think_card")
    return replace(as_written(record), inserted=True)


def state_of(card: ParsedCard) -> dict[str, Any]:
    """The node that a card is written as."""
    assert card.id is not None
    return node_state(
        id=card.id,
        type=card.type,
        title=card.title,
        text=card.text,
        status=card.status,
        tags=stamped(card.tags, card.type),
        meta=card.meta,
    )


def written_before(tx: Tx, scope: Scope, id: str) -> Record | None:
    """The record that wrote the card of this id, as the branch shows it."""
    seq = tx.ask(Cards).newest(tx.ask(Documents).segments(scope.branch), scope.graph, [id]).get(id)
    if seq is None:
        return None
    record = tx.ledger.record(seq)
    if record is None or record.topic != records.CARD or record.data["card"]["id"] != id:
        raise astray(Cards, seq, f"card {id}")
    return record


def as_written(record: Record) -> Written:
    """What a record of a card comes to for whoever sends the same again."""
    data = record.data
    edges = sum(map(len, data.get("links", {}).values()))
    return Written(data["card"]["id"], False, record.seq, data["traceDoc"], data["graphDoc"], edges)


def next_id(tx: Tx) -> str:
    """The number that the card's record gets. Somebody may have chosen it by hand."""
    free = f"CARD-{tx.ledger.last_seq_held() + 1}"
    tried, turn = free, 1
    while tx.ask(Cards).is_known(tried):
        turn += 1
        tried = f"{free}-{turn}"
    return tried


def _relations(tx: Tx, scope: Scope, links: Links) -> list[tuple[str, int]]:
    """Those targets that are cards, by the records that wrote them."""
    if not links:
        return []
    ids = {id for targets in links.values() for id in targets}
    known = tx.ask(Cards).newest(tx.ask(Documents).segments(scope.branch), scope.graph, ids)
    return [(rel, known[id]) for rel, targets in links.items() for id in targets if id in known]


def same(before: Record, card: ParsedCard) -> bool:
    """Whether a card without links says what was written before, whatever its id."""
    said = before.data["card"] | _sorted(before.data.get("links", {}))
    return not _differing(said, state_of(replace(card, id=said["id"])))


def _must_be_the_same(tx: Tx, scope: Scope, before: Record, card: ParsedCard, links: Links) -> None:
    said = before.data["card"] | _sorted(before.data.get("links", {}))
    differing = _differing(said, state_of(card) | _sorted(links))
    if not differing:
        return
    only_status = differing == ["status"]
    raise invalid(
        f"there is a card `{card.id}` already, written with another {', '.join(differing)}",
        recovery="Leave the id out or choose another one for a new card; to change this one, think_set_status changes"
        " its status, and graph_apply (node_upsert) anything else.",
        field="card.id",
        suggestions=[_status_instead(tx, scope, card)] if only_status and _stands(tx, scope, card) else (),
    )


def _must_not_replace(tx: Tx, scope: Scope, card: ParsedCard) -> None:
    """A node of that id may have come by graph_apply or by a merge. A card that says the same may stand beside it."""
    node = tx.ask(Graph).of(scope.branch, scope.graph).node(card.id or "")
    if node is None:
        return
    if differing := _differing(node.state(), state_of(card)):
        raise invalid(
            f"there is a node `{card.id}` already, with another {', '.join(differing)}",
            recovery="Leave the id out or choose another one for a new card; graph_apply (node_upsert) changes the"
            " node that is there.",
            field="card.id",
        )


def _differing(said: Mapping[str, Any], told: Mapping[str, Any]) -> list[str]:
    """The fields in which two cards differ."""
    names = ("type", "title", "text", "status", "tags", "meta", "supports", "blocks")
    return [name for name in names if canonical(said.get(name)) != canonical(told.get(name))]


def _sorted(links: Links) -> dict[str, list[str]]:
    return {rel: sorted(ids) for rel, ids in links.items()}


def _stands(tx: Tx, scope: Scope, card: ParsedCard) -> bool:
    return tx.ask(Graph).of(scope.branch, scope.graph).node(card.id or "") is not None


def _status_instead(tx: Tx, scope: Scope, card: ParsedCard) -> Suggestion:
    params = {
        "workspace": tx.workspace,
        "ref": scope.branch.name,
        "graph_doc": scope.graph,
        "targets": card.id,
        "status": card.status,
    }
    return Suggestion("think_set_status", params, "Give the card that is there this status", "high")
