"""Subgoals: questions below a question, with a trace of their own."""

from __future__ import annotations

from dataclasses import replace

from thoughtbox.domains.mind import records
from thoughtbox.domains.mind.cards.card import ParsedCard
from thoughtbox.domains.mind.cards.models import CloseSubgoal, OpenSubgoal, Returned, SubgoalClosed, SubgoalOpened
from thoughtbox.domains.mind.cards.verbs.changing import changed_node, graph_scope, told
from thoughtbox.domains.mind.cards.writing import (
    Written,
    as_written,
    next_id,
    read,
    same,
    write,
    write_anew,
    written_before,
)
from thoughtbox.domains.mind.nodes import nodes_of
from thoughtbox.domains.mind.refusals import invalid
from thoughtbox.domains.mind.room import IN_FULL, room
from thoughtbox.domains.mind.scope import Scope
from thoughtbox.domains.mind.view.graph import Graph, Node, edge_state
from thoughtbox.errors import UnknownId
from thoughtbox.operations import Example, Tx

SUBGOAL = "subgoal"
RETURN = "return"
CLOSED = "closed"

_QUESTION = ("think_card", {"card": {"id": "Q1", "type": "question", "title": "Why are deploys slow?"}})
_ASIDE = ("think_card", {"card": {"id": "S1", "type": "question", "title": "Which keys are read?", "tags": "subgoal"}})


@room.operation(
    "think_subgoal_open",
    writes=True,
    title="Open a subgoal",
    toolsets=IN_FULL,
    errors=[UnknownId],
    example=Example({"question_id": "Q1", "message": "Which keys are read first?"}, given=[_QUESTION]),
)
def think_subgoal_open(tx: Tx, call: OpenSubgoal) -> SubgoalOpened:
    """Open a subgoal of a question: a question of its own, with a trace and a graph to work in.

    Answer it there, with think_card {branch, trace_doc, graph_doc}; think_subgoal_close brings the answer back.
    """
    scope = graph_scope(tx, call)
    (question,) = nodes_of(tx, scope, [call.question_id], "question")
    if question.type != "question":
        raise invalid(
            f"`{question.id}` is a {question.type}, not a question",
            recovery="Name a card of type question.",
            field="question_id",
        )
    id = next_id(tx)
    docs = {
        "child_trace_doc": call.child_trace_doc or f"{id}-trace",
        "child_graph_doc": call.child_graph_doc or f"{id}-graph",
    }
    card = ParsedCard(
        id=id,
        type="question",
        title=call.message or f"Subgoal of {question.title or question.id}",
        tags=(SUBGOAL,),
        meta={**(call.meta or {}), "parent_question_id": question.id, **docs},
    )
    written = write_anew(tx, replace(scope, trace=docs["child_trace_doc"]), card, agent=call.agent_id)
    edge = edge_state(question.id, SUBGOAL, id)
    records.write_edge(tx, scope.branch.id, scope.branch.name, scope.graph, edge, why="think_subgoal_open")
    return SubgoalOpened(
        branch=scope.branch.name,
        graph_doc=scope.graph,
        question_id=question.id,
        card_id=id,
        **docs,
        trace_seq=written.seq,
        trace_ref=written.trace_ref,
        last_seq=written.seq,
        graph_ref=written.graph_ref,
    )


@room.operation(
    "think_subgoal_close",
    writes=True,
    effect="overwrites",
    idempotent=True,
    title="Close a subgoal",
    toolsets=IN_FULL,
    errors=[UnknownId],
    example=Example({"card_id": "S1", "return_card": "The session keys"}, given=[_ASIDE]),
)
def think_subgoal_close(tx: Tx, call: CloseSubgoal) -> SubgoalClosed:
    """Close a subgoal, and bring back what came of it as a card. One that is closed stays as it is."""
    scope = graph_scope(tx, call, call.trace_doc)
    (subgoal,) = nodes_of(tx, scope, [call.card_id], "subgoal")
    if SUBGOAL not in subgoal.tags:
        raise invalid(
            f"`{subgoal.id}` is no subgoal",
            recovery="Name the card that think_subgoal_open has made.",
            field="card_id",
        )
    returned = _returned(tx, scope, call, subgoal)
    meta = subgoal.meta if subgoal.status == CLOSED else {**subgoal.meta, **told(call.message, call.meta)}
    state = changed_node(tx, scope, subgoal, subgoal._replace(status=CLOSED, meta=meta))
    return SubgoalClosed(
        branch=scope.branch.name,
        graph_doc=scope.graph,
        card_id=subgoal.id,
        status=CLOSED,
        changed=state.changed or (returned is not None and returned.inserted),
        returned=None if returned is None else _shown(returned),
        last_seq=state.last_seq,
        graph_ref=state.graph_ref,
    )


def _returned(tx: Tx, scope: Scope, call: CloseSubgoal, subgoal: Node) -> Written | None:
    """What came of the subgoal: the card that was brought back before, or the one that is now."""
    graph = tx.ask(Graph).of(scope.branch, scope.graph)
    before = next((edge.target for edge in graph.edges(sources=[subgoal.id]) if edge.rel == RETURN), None)
    known = written_before(tx, scope, before) if before is not None else None
    if call.return_card is None:
        return as_written(known) if known is not None else None
    card = read(call.return_card, field="return_card")
    if known is not None:
        if not same(known, card):
            raise invalid(
                f"`{subgoal.id}` has brought back `{before}` already, which says something else",
                recovery="Leave return_card out, or write it with think_card and link it with think_link.",
                field="return_card",
            )
        return as_written(known)
    written = write(tx, scope, card, agent=call.agent_id)
    edge = edge_state(subgoal.id, RETURN, written.card_id)
    records.write_edge(tx, scope.branch.id, scope.branch.name, scope.graph, edge, why="think_subgoal_close")
    return written


def _shown(returned: Written) -> Returned:
    return Returned(
        card_id=returned.card_id,
        trace_seq=returned.seq,
        trace_ref=returned.trace_ref,
        last_seq=returned.seq,
        graph_ref=returned.graph_ref,
    )
