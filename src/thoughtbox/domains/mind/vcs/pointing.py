"""What a ref stands for: a place in a document, as a branch shows it."""

from __future__ import annotations

from typing import NamedTuple

from thoughtbox.domains.mind.envelope import Suggestion
from thoughtbox.domains.mind.refusals import invalid, unknown
from thoughtbox.domains.mind.scope import NEAR, NOTES, checked_out
from thoughtbox.domains.mind.view.documents import Branch, Documents, Narrowed
from thoughtbox.domains.mind.view.refs import Refs
from thoughtbox.errors import InvalidInput, UnknownId
from thoughtbox.ledger.view import NOW
from thoughtbox.operations import Tx, nearest

COMMITS = Narrowed(kind="note")


class Point(NamedTuple):
    """An entry of a document, as a branch shows it; `seq` is None where there is none yet."""

    branch: Branch
    doc: str
    seq: int | None


def head_of(tx: Tx, branch: Branch, doc: str) -> int | None:
    """Where the pointer of a document stands; while it was never moved, at the newest note."""
    view = tx.ask(Refs)
    if (head := view.head(branch, doc)) is not None:
        return head
    newest = tx.ask(Documents).among(view.history(branch, doc, NOW), doc, limit=1, narrowed=COMMITS)
    return newest[0].seq if newest else None


def point(tx: Tx, ref: int | str | None, doc: str | None) -> Point:
    """What a ref stands for: a number is an entry; a text is a tag, a branch, or the number of an entry."""
    current = checked_out(tx)
    if ref is None:
        return Point(current, doc or NOTES, head_of(tx, current, doc or NOTES))
    if isinstance(ref, int):
        return _entry(tx, current, doc or NOTES, ref)
    if (tagged := _tag(tx, ref, doc)) is not None:
        return tagged
    if (branch := tx.ask(Documents).branch(ref) or (current if ref == current.name else None)) is not None:
        return Point(branch, doc or NOTES, head_of(tx, branch, doc or NOTES))
    if ref.isascii() and ref.isdecimal() and len(ref) < 16:
        return _entry(tx, current, doc or NOTES, int(ref))
    raise _unknown_ref(tx, ref)


def must_be_shown(tx: Tx, branch: Branch, doc: str, point: Point) -> int:
    """The entry, if the branch shows it in that document; refuses any other."""
    if point.seq is None:
        raise invalid(
            f"`{point.branch.name}` has no note in `{point.doc}` yet",
            recovery="Write one with commit first.",
        )
    if tx.ask(Documents).shows(branch, doc, [point.seq]).get(point.seq) != "note":
        raise _not_shown(tx, branch, doc, point.seq)
    return point.seq


def _entry(tx: Tx, branch: Branch, doc: str, seq: int) -> Point:
    found = Point(branch, doc, seq)
    must_be_shown(tx, branch, doc, found)
    return found


def _tag(tx: Tx, name: str, doc: str | None) -> Point | None:
    tag = tx.ask(Refs).tag(name)
    branch = tx.ask(Documents).branch_of(tag.branch) if tag is not None else None
    if tag is None or branch is None:
        return None
    if doc is not None and doc != tag.doc:
        raise invalid(
            f"tag `{name}` stands for an entry of `{tag.doc}`, not of `{doc}`",
            recovery=f"Send doc={tag.doc}.",
            field="doc",
        )
    return Point(branch, tag.doc, tag.entry)


def _not_shown(tx: Tx, branch: Branch, doc: str, seq: int) -> InvalidInput:
    call = {"workspace": tx.workspace, "ref": branch.name, "doc": doc}
    return invalid(
        f"entry {seq} is no note that `{branch.name}` shows in `{doc}`",
        recovery="log lists those that can be named.",
        suggestions=[Suggestion("log", call, f"See the notes of {branch.name}", "high")],
    )


def _unknown_ref(tx: Tx, ref: str) -> UnknownId:
    names = [branch.name for branch in tx.ask(Documents).branches(NEAR)]
    names += [tag.name for tag in tx.ask(Refs).tags(NEAR)]
    near = nearest(ref, names)
    return unknown(
        "tag or branch",
        ref,
        recovery=f"Did you mean {near}?" if near is not None else "tag_list and branch_list name those there are.",
        suggestions=[
            Suggestion("tag_list", {"workspace": tx.workspace}, "See which tags there are"),
            _list_of_branches(tx),
        ],
    )


def _list_of_branches(tx: Tx) -> Suggestion:
    return Suggestion("branch_list", {"workspace": tx.workspace}, "See which branches there are")
