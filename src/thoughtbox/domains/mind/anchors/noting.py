"""Binding knowledge to meaning: an anchor is registered or changed, and a card is tagged with it."""

from __future__ import annotations

from typing import Any

from thoughtbox.domains.mind.anchors import lens
from thoughtbox.domains.mind.anchors.anchor import (
    CANON,
    DEFAULT_KIND,
    DEFAULT_STATUS,
    MOST_LISTED,
    PINNED,
    PROOF,
    Anchor,
    title_of,
)
from thoughtbox.domains.mind.anchors.models import AnchorNote, AnchorNoted, NoteWritten
from thoughtbox.domains.mind.anchors.records import write_anchor
from thoughtbox.domains.mind.cards.card import CardRefused, known_type
from thoughtbox.domains.mind.envelope import Suggestion, suggest
from thoughtbox.domains.mind.notices import Notice
from thoughtbox.domains.mind.refusals import invalid, suggested
from thoughtbox.domains.mind.view.anchors import Anchors
from thoughtbox.errors import Conflict
from thoughtbox.operations import Tx

GRAPH_DOC, TRACE_DOC = "anchors-graph", "anchors-trace"
"""Where notes about anchors stand that belong to no plan or task."""


def note(tx: Tx, call: AnchorNote) -> AnchorNoted:
    tx.hold()
    found = lens.find(tx, call.anchor)
    before = found.anchor
    added = _new_aliases(tx, call, found)
    after = _changed(before, call) if before else _created(tx, call, found.id)
    is_changed = before is None or before.state() != after.state() or bool(added)
    if is_changed:
        write_anchor(tx, after, added)
    card = _card(call)
    answer = tx.call_enveloped("think_card", {"card": card, **_place(tx, call)})
    tx.remarks += [Notice(**warning) for warning in answer["warnings"]]
    written = answer["result"]
    is_canon = CANON in card["tags"]
    if not is_canon and not call.pin:
        suggest(
            tx,
            "anchor_snapshot",
            {"workspace": tx.workspace, "anchor": found.id, "include_drafts": True},
            "The note is a draft, which is shown with drafts only",
            "low",
        )
    standing = tx.ask(Anchors).anchor(found.id)
    assert standing is not None
    return AnchorNoted(
        anchor=lens.shown(standing, tx.ask(Anchors).aliases_of([found.id]).get(found.id, [])),
        created=before is None,
        updated=before is not None and is_changed,
        note=NoteWritten(
            card_id=written["card_id"],
            type=card["type"],
            visibility="canon" if is_canon else "draft",
            inserted=written["inserted"],
            branch=written["branch"],
            trace_doc=written["trace_doc"],
            graph_doc=written["graph_doc"],
            trace_ref=written["trace_ref"],
            graph_ref=written["graph_ref"],
        ),
    )


def creating(tx: Tx, id: str, content: str = "What it is, and why it matters.") -> Suggestion:
    """The call that registers an anchor."""
    params = {"workspace": tx.workspace, "anchor": id, "title": title_of(id), "kind": DEFAULT_KIND, "content": content}
    return Suggestion("macro_anchor_note", params, f"Register {id} with a first note", "high")


def _created(tx: Tx, call: AnchorNote, id: str) -> Anchor:
    missing = [name for name in ("title", "kind") if getattr(call, name) is None]
    if missing:
        given = call.model_dump(exclude_none=True, exclude_defaults=True)
        params = {"title": title_of(id), "kind": DEFAULT_KIND, "workspace": tx.workspace, **given}
        raise invalid(
            f"{id} is new, and `{'` and `'.join(missing)}` {'are' if len(missing) > 1 else 'is'} missing",
            recovery="A new anchor needs a title and a kind.",
            field=missing[0],
            hints=[{"kind": "missing_required", "field": name} for name in missing],
            suggestions=[Suggestion("macro_anchor_note", params, f"Register {id} under this title", "high")],
        )
    return _changed(Anchor(id, "", "", DEFAULT_STATUS), call)


def _changed(anchor: Anchor, call: AnchorNote) -> Anchor:
    """The anchor with what the call says of it."""
    given: dict[str, Any] = {
        name: value
        for name in ("title", "kind", "status", "description", "parent_id")
        if (value := getattr(call, name)) is not None
    }
    if given.get("parent_id") == "":
        given["parent_id"] = None
    for name in ("refs", "depends_on"):
        if (values := getattr(call, name)) is not None:
            given[name] = tuple(dict.fromkeys(values))
    return anchor._replace(**given)


def _new_aliases(tx: Tx, call: AnchorNote, found: lens.Found) -> list[str]:
    """Aliases that the anchor does not have yet; refuses one that stands for something else."""
    view, has = tx.ask(Anchors), set(found.tags)
    added = []
    for alias in dict.fromkeys(call.aliases or ()):
        if alias in has - {found.id}:
            continue
        if alias == found.id:
            raise invalid(f"`{alias}` is the anchor itself", recovery="Leave it out of aliases.", field="aliases")
        taken = view.resolved(alias)
        if taken != alias or view.anchor(alias) is not None:
            raise _taken(tx, alias, taken, found)
        added.append(alias)
    if added and len(has) - 1 + len(added) > MOST_LISTED:
        raise invalid(
            f"{found.id} would have {len(has) - 1 + len(added)} aliases; {MOST_LISTED} is the most",
            recovery="Send fewer aliases.",
            field="aliases",
        )
    return added


def _taken(tx: Tx, alias: str, by: str, found: lens.Found) -> Conflict:
    """For an alias that leads to another anchor, or is one."""
    merge = Suggestion(
        "anchors_merge",
        {"workspace": tx.workspace, "from": by, "into": found.id},
        f"Make {by} a part of {found.id}, with all its cards",
    )
    return Conflict(
        f"`{alias}` is an anchor already" if alias == by else f"`{alias}` is an alias of {by} already",
        recovery="Leave it out of aliases."
        if found.anchor is None
        else f"Leave it out of aliases, or send anchors_merge from={by} into={found.id}.",
        details={"id": by} | suggested([merge] if found.anchor is not None else []),
    )


def _card(call: AnchorNote) -> dict[str, Any]:
    """The card, tagged with the id that was sent: the same call again is the same card, whatever the anchor became."""
    type = _type(call)
    visibility = call.visibility or ("canon" if type in PROOF else "draft")
    card = {
        "id": call.card_id,
        "type": type,
        "title": call.note_title,
        "text": call.content,
        "tags": [call.anchor, f"v:{visibility}", *([PINNED] if call.pin else [])],
        "meta": call.meta,
    }
    return {name: value for name, value in card.items() if value is not None}


def _type(call: AnchorNote) -> str:
    try:
        return known_type(call.card_type)
    except CardRefused as refused:
        raise invalid(refused.message, recovery=refused.recovery, field="card_type") from None


def _place(tx: Tx, call: AnchorNote) -> dict[str, Any]:
    """With the plan or task that is named, or on the branch with the notes about all anchors."""
    given = {"workspace": tx.workspace, "agent_id": call.agent_id, "branch": call.branch, "step": call.step}
    if call.target is not None:
        target = call.target if isinstance(call.target, str) else call.target.model_dump(exclude_none=True)
        given["target"] = target
    elif call.step is None:
        given |= {"graph_doc": GRAPH_DOC, "trace_doc": TRACE_DOC}
    return {name: value for name, value in given.items() if value is not None}
