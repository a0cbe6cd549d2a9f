"""What does not hold together in the map."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from thoughtbox.domains.mind.anchors.anchor import DEFAULT_KIND, Anchor, title_of


class Issue(NamedTuple):
    """Something that is wrong with an anchor or an alias, and a call that puts it right, where there is one."""

    code: str
    severity: str
    anchor: str
    message: str
    recovery: str
    call: tuple[str, dict[str, Any]] | None = None


class Map(NamedTuple):
    """All that is looked at: anchors by id, aliases, and the anchors that some card names."""

    anchors: Mapping[str, Anchor]
    aliases: Mapping[str, str]
    named: frozenset[str]

    def resolved(self, id: str) -> str:
        return id if id in self.anchors else self.aliases.get(id, id)

    def parent(self, anchor: Anchor) -> str | None:
        return None if anchor.parent_id is None else self.resolved(anchor.parent_id)

    def needed(self, anchor: Anchor) -> list[str]:
        return list(dict.fromkeys(map(self.resolved, anchor.depends_on)))


def lint(all: Map) -> Iterator[Issue]:
    """What is wrong, by kind and then by id."""
    yield from _aliases(all)
    for look in (_itself, _unknown, _by_alias):
        for anchor in all.anchors.values():
            yield from look(all, anchor)
    yield from _cycles(all)
    yield from _orphans(all)


def _aliases(all: Map) -> Iterator[Issue]:
    for alias, anchor in all.aliases.items():
        if anchor not in all.anchors:
            yield Issue(
                "ALIAS_DANGLING",
                "error",
                alias,
                f"The alias {alias} leads to {anchor}, which is not registered.",
                f"Register {anchor} with macro_anchor_note.",
                _registered(anchor),
            )
    for alias, anchor in all.aliases.items():
        if alias in all.anchors:
            yield Issue(
                "ALIAS_COLLIDES_WITH_ANCHOR_ID",
                "error",
                alias,
                f"{alias} is an alias of {anchor}, and an anchor by itself, which gets the cards.",
                f"Make them one with anchors_merge, from {alias} into {anchor}.",
                ("anchors_merge", {"from": alias, "into": anchor}) if anchor in all.anchors else None,
            )


def _itself(all: Map, anchor: Anchor) -> Iterator[Issue]:
    if all.parent(anchor) == anchor.id:
        yield Issue(
            "SELF_PARENT",
            "error",
            anchor.id,
            f"{anchor.id} is its own parent.",
            'Send macro_anchor_note with another parent_id, or with "" for none.',
            _without_parent(anchor),
        )
    if anchor.id in all.needed(anchor):
        others = [id for id in all.needed(anchor) if id != anchor.id]
        yield Issue(
            "SELF_DEPENDS_ON",
            "error",
            anchor.id,
            f"{anchor.id} depends on itself.",
            "Send macro_anchor_note with depends_on without it.",
            _noted(anchor.id, "It does not depend on itself.", depends_on=others),
        )


def _unknown(all: Map, anchor: Anchor) -> Iterator[Issue]:
    parent = all.parent(anchor)
    if parent is not None and parent not in all.anchors:
        yield Issue(
            "UNKNOWN_PARENT",
            "error",
            anchor.id,
            f"{parent}, the parent of {anchor.id}, is not registered.",
            f"Register {parent} with macro_anchor_note, or give {anchor.id} another parent_id.",
            _registered(parent),
        )
    for id in all.needed(anchor):
        if id not in all.anchors:
            yield Issue(
                "UNKNOWN_DEPENDS_ON",
                "error",
                anchor.id,
                f"{anchor.id} depends on {id}, which is not registered.",
                f"Register {id} with macro_anchor_note, or leave it out of depends_on.",
                _registered(id),
            )


def _by_alias(all: Map, anchor: Anchor) -> Iterator[Issue]:
    present = all.parent(anchor)
    if present != anchor.parent_id and present != anchor.id:
        yield Issue(
            "RELATION_USES_ALIAS",
            "warning",
            anchor.id,
            f"The parent of {anchor.id} is given as {anchor.parent_id}, which is called {present} now.",
            f"Send macro_anchor_note with parent_id {present}.",
            _noted(anchor.id, f"Its parent is called {present} now.", parent_id=present),
        )
    stale = [id for id in anchor.depends_on if all.resolved(id) not in (id, anchor.id)]
    if stale:
        yield Issue(
            "RELATION_USES_ALIAS",
            "warning",
            anchor.id,
            f"{anchor.id} depends on {', '.join(stale)} by an earlier id.",
            "Send macro_anchor_note with the ids that they have now.",
            _noted(anchor.id, "What it depends on has other ids now.", depends_on=all.needed(anchor)),
        )


def _cycles(all: Map) -> Iterator[Issue]:
    """Anchors that contain themselves by way of others: each ring once, from its first id on."""
    done = set[str]()
    for start in all.anchors:
        way: list[str] = []
        at: str | None = start
        while at is not None and at in all.anchors and at not in done:
            done.add(at)
            way.append(at)
            at = all.parent(all.anchors[at])
        if at in way and len(ring := way[way.index(at) :]) > 1:
            first = min(ring)
            turned = [*ring[ring.index(first) :], *ring[: ring.index(first)], first]
            yield Issue(
                "PARENT_CYCLE",
                "error",
                first,
                f"{first} is contained in itself: {' in '.join(turned)}.",
                'Give one of them another parent_id with macro_anchor_note, or "" for none.',
                _without_parent(all.anchors[first]),
            )


def _orphans(all: Map) -> Iterator[Issue]:
    """Anchors that no card names and no other anchor is related to."""
    related = {
        id
        for anchor in all.anchors.values()
        for other in (all.parent(anchor), *all.needed(anchor))
        if other is not None and other != anchor.id
        for id in (anchor.id, other)
    }
    for anchor in all.anchors.values():
        if anchor.id not in related and anchor.id not in all.named:
            yield Issue(
                "ORPHAN_ANCHOR",
                "warning",
                anchor.id,
                f"No card names {anchor.id}, and no anchor is related to it.",
                f"Write what is known about it with macro_anchor_note, tag cards {anchor.id}, or make it a part of"
                " another one with anchors_merge.",
            )


def _noted(id: str, content: str, **changes: Any) -> tuple[str, dict[str, Any]]:
    return "macro_anchor_note", {"anchor": id, "content": content, **changes}


def _registered(id: str) -> tuple[str, dict[str, Any]]:
    return _noted(id, "Registered: other anchors refer to it.", title=title_of(id), kind=DEFAULT_KIND)


def _without_parent(anchor: Anchor) -> tuple[str, dict[str, Any]]:
    return _noted(anchor.id, f"It is no longer a part of {anchor.parent_id}.", parent_id="")


def shown(issue: Issue, workspace: str) -> dict[str, Any]:
    """A finding as it is shown; the call can be sent as it stands."""
    told = {name: value for name, value in issue._asdict().items() if name != "call"}
    if issue.call is None:
        return told
    tool, arguments = issue.call
    return {**told, "apply": {"tool": tool, "arguments": {"workspace": workspace, **arguments}}}


def named_in(tags: Iterable[str], aliases: Mapping[str, str], anchors: Mapping[str, Anchor]) -> frozenset[str]:
    """The anchors that these tags stand for."""
    return frozenset(tag if tag in anchors else aliases.get(tag, tag) for tag in tags)
