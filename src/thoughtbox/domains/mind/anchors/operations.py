"""The verbs of anchors."""

from __future__ import annotations

from operator import itemgetter
from typing import Any

from thoughtbox.domains.mind.anchors import export, lens, noting
from thoughtbox.domains.mind.anchors.lint import Map, lint, named_in
from thoughtbox.domains.mind.anchors.lint import shown as shown_issue
from thoughtbox.domains.mind.anchors.models import (
    MOST_ANCHORS,
    MOST_CARDS,
    AnchorNote,
    AnchorNoted,
    AnchorShown,
    AnchorsListed,
    Export,
    Exported,
    LinkStats,
    Lint,
    Linted,
    ListAnchors,
    Merge,
    Moved,
    Rename,
    Snapshot,
)
from thoughtbox.domains.mind.anchors.records import write_merge, write_rename
from thoughtbox.domains.mind.envelope import Suggestion
from thoughtbox.domains.mind.refusals import invalid, suggested, unknown
from thoughtbox.domains.mind.room import IN_FULL, room
from thoughtbox.domains.mind.view.anchors import Anchors
from thoughtbox.domains.mind.view.tasks import Tasks
from thoughtbox.errors import Conflict, UnknownId
from thoughtbox.operations import Example, Pages, Tx

_STORAGE = (
    "macro_anchor_note",
    {
        "anchor": "a:storage",
        "title": "Storage",
        "kind": "component",
        "content": "All writes go through one connection.",
        "card_type": "decision",
    },
)
_DISK = ("macro_anchor_note", {"anchor": "a:disk", "title": "Disk", "kind": "ops", "content": "One volume per node."})
AT_ONCE = 200
"""Anchors that are read at a time when some are looked for."""


@room.operation(
    "anchors_list",
    title="List anchors",
    toolsets=IN_FULL,
    keep=["has_more", "next_cursor"],
    newest_first=frozenset({"anchors"}),
    pages=[Pages("anchors", itemgetter("id"))],
    example=Example({"text": "stor"}, given=[_STORAGE]),
)
def anchors_list(tx: Tx, call: ListAnchors) -> AnchorsListed:
    """Anchors of the meaning map by id: the areas of the system that knowledge is kept under."""
    limit = min(max(call.limit, 1), MOST_ANCHORS)
    view, found, after = tx.ask(Anchors), [], call.cursor or ""
    text = call.text.casefold() if call.text is not None else ""
    while len(found) <= limit:
        some = view.anchors(after, AT_ONCE)
        found += [
            anchor
            for anchor in some
            if text in f"{anchor.id}\n{anchor.title.casefold()}"
            and call.kind in (None, anchor.kind)
            and call.status in (None, anchor.status)
        ]
        if len(some) < AT_ONCE:
            break
        after = some[-1].id
    page, has_more = found[:limit], len(found) > limit
    aliases = view.aliases_of(anchor.id for anchor in page)
    return AnchorsListed(
        anchors=[lens.shown(anchor, aliases.get(anchor.id, [])) for anchor in page],
        count=len(page),
        has_more=has_more,
        next_cursor=page[-1].id if has_more else None,
    )


@room.operation(
    "anchor_snapshot",
    title="What is known about an anchor",
    toolsets=IN_FULL,
    errors=[UnknownId],
    keep=["anchor", "stats"],
    newest_first=frozenset({"cards", "tasks"}),
    pages=[Pages("cards", None)],
    example=Example({"anchor": "a:storage"}, given=[_STORAGE]),
)
def anchor_snapshot(tx: Tx, call: Snapshot) -> AnchorShown:
    """An anchor with its cards, what is pinned or canon first, and the tasks in whose reasoning it is named."""
    found = lens.find(tx, call.anchor)
    if found.anchor is None:
        raise _unknown(tx, found.id)
    drafts = call.include_drafts or call.all_lanes
    cards, has_more = lens.cards(tx, found.tags, limit=min(max(call.limit, 1), MOST_CARDS), include_drafts=drafts)
    most = min(call.tasks_limit, MOST_CARDS)
    tasks = tx.ask(Anchors).tasks(found.tags, limit=most + 1)
    return AnchorShown(
        anchor=lens.shown(found.anchor, tx.ask(Anchors).aliases_of([found.id]).get(found.id, [])),
        stats=LinkStats(**lens.stats(tx, found.tags)),
        cards=cards,
        count=len(cards),
        has_more=has_more,
        tasks=[_task(tx, id) for id in tasks[:most]],
        tasks_has_more=len(tasks) > most,
    )


def _task(tx: Tx, id: str) -> dict[str, Any]:
    task = tx.ask(Tasks).target(id)
    if task is None:
        return {"id": id}
    return {"id": id, "title": task.title, "status": task.status, "parent_plan_id": task.parent}


@room.operation(
    "anchors_export",
    title="Export the meaning map",
    toolsets=IN_FULL,
    example=Example({"format": "text"}, given=[_STORAGE]),
)
def anchors_export(tx: Tx, call: Export) -> Exported:
    """The anchors as a mermaid flowchart, or as one line each: the same map gives the same text."""
    limit = min(max(call.limit, 1), MOST_ANCHORS)
    view = tx.ask(Anchors)
    found = view.anchors(limit=limit + 1)
    write = export.mermaid if call.format == "mermaid" else export.text
    return Exported(
        format=call.format,
        text=write(found[:limit], view.resolved),
        count=len(found[:limit]),
        has_more=len(found) > limit,
    )


@room.operation(
    "macro_anchor_note",
    writes=True,
    title="Note something about an anchor",
    toolsets=IN_FULL,
    errors=[UnknownId, Conflict],
    example=Example(_STORAGE[1]),
)
def macro_anchor_note(tx: Tx, call: AnchorNote) -> AnchorNoted:
    """Bind what is known to an area of the system: register or change the anchor, and write a card tagged with it.

    A plain note is a draft, and is shown with drafts only; a decision, evidence or test is canon.
    """
    return noting.note(tx, call)


@room.operation(
    "anchors_lint",
    title="Check the meaning map",
    toolsets=IN_FULL,
    keep=["ok", "count"],
    example=Example({}, given=[_DISK]),
)
def anchors_lint(tx: Tx, call: Lint) -> Linted:
    """What does not hold together: aliases and relations that lead nowhere or in a circle, anchors nobody names."""
    limit = min(max(call.limit, 1), MOST_ANCHORS)
    view = tx.ask(Anchors)
    anchors, aliases = {anchor.id: anchor for anchor in view.anchors()}, view.aliases()
    named = named_in(view.named({*anchors, *aliases}), aliases, anchors)
    found = list(lint(Map(anchors, aliases, named)))
    return Linted(
        ok=not found,
        anchors=len(anchors),
        issues=[shown_issue(issue, tx.workspace) for issue in found[:limit]],
        count=len(found),
        has_more=len(found) > limit,
    )


@room.operation(
    "anchors_rename",
    writes=True,
    idempotent=True,
    title="Rename an anchor",
    toolsets=IN_FULL,
    errors=[UnknownId, Conflict],
    example=Example({"from": "a:storage", "to": "a:store"}, given=[_STORAGE]),
)
def anchors_rename(tx: Tx, call: Rename) -> Moved:
    """Give an anchor another id. The old one stays as an alias, so that everything tagged with it is still found."""
    tx.hold()
    view = tx.ask(Anchors)
    if call.source == call.to:
        raise invalid(f"`{call.to}` is what it is called already", recovery="Send another id as `to`.", field="to")
    if view.anchor(call.to) is not None:
        if view.resolved(call.source) == call.to:
            return _moved(tx, call.to, call.source, changed=False)
        raise Conflict(
            f"there is an anchor `{call.to}` already",
            recovery="Choose another id, or make the two one with anchors_merge.",
            details={"id": call.to} | suggested(_merging(tx, call.source, call.to)),
        )
    old = lens.find(tx, call.source)
    if old.anchor is None:
        raise _unknown(tx, old.id)
    taken = view.alias(call.to)
    if taken is not None and taken != old.id:
        raise Conflict(
            f"`{call.to}` is an alias of {taken} already",
            recovery="Choose another id, or make the two one with anchors_merge.",
            details={"id": taken} | suggested(_merging(tx, old.id, taken)),
        )
    write_rename(tx, old.id, call.to)
    return _moved(tx, call.to, old.id, changed=True)


@room.operation(
    "anchors_merge",
    writes=True,
    idempotent=True,
    title="Make two anchors one",
    toolsets=IN_FULL,
    errors=[UnknownId],
    example=Example({"from": "a:disk", "into": "a:storage"}, given=[_STORAGE, _DISK]),
)
def anchors_merge(tx: Tx, call: Merge) -> Moved:
    """Make an anchor a part of another one, with all its cards and aliases; its id stays as an alias."""
    tx.hold()
    view = tx.ask(Anchors)
    into = lens.find(tx, call.into)
    if into.anchor is None:
        raise _unknown(tx, into.id)
    if call.source in into.tags[1:]:
        return _moved(tx, into.id, call.source, changed=False)
    old = lens.find(tx, call.source)
    if old.id == into.id:
        raise invalid(
            f"`{call.source}` is the anchor that it is to become a part of", recovery="Name two anchors.", field="from"
        )
    if old.anchor is None and not view.named(old.tags):
        raise _unknown(tx, old.id)
    write_merge(tx, old.id, into.id)
    return _moved(tx, into.id, old.id, changed=True)


def _moved(tx: Tx, id: str, alias: str, *, changed: bool) -> Moved:
    anchor = tx.ask(Anchors).anchor(id)
    assert anchor is not None
    aliases = tx.ask(Anchors).aliases_of([id]).get(id, [])
    return Moved(anchor=lens.shown(anchor, aliases), alias=alias, changed=changed)


def _merging(tx: Tx, source: str, into: str) -> list[Suggestion]:
    """To make two anchors one; nothing where there are not two."""
    if tx.ask(Anchors).anchor(source) is None:
        return []
    params = {"workspace": tx.workspace, "from": source, "into": into}
    return [Suggestion("anchors_merge", params, f"Make {source} a part of {into}, with all its cards")]


def _unknown(tx: Tx, id: str) -> UnknownId:
    return unknown(
        "anchor",
        id,
        recovery="anchors_list shows those there are; macro_anchor_note with title, kind and content registers it;"
        " open shows what is tagged with it.",
        suggestions=[noting.creating(tx, id)],
    )
