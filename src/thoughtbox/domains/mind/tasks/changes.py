"""Changes of the fields of a plan, task or step: what is different afterwards, and whether it may be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from thoughtbox.domains.mind.refusals import invalid
from thoughtbox.domains.mind.scope import TARGET
from thoughtbox.domains.mind.tasks.fields import FIELDS, bad_value, normal_tags, with_defaults
from thoughtbox.domains.mind.tasks.models import LONGEST_TITLE, PatchOp
from thoughtbox.domains.mind.tasks.targets import known_target
from thoughtbox.domains.mind.view.tasks import Step, Target
from thoughtbox.operations import Tx, nearest


def changed(tx: Tx, thing: Target | Step, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the wanted fields that are not so already; refuses what such a thing cannot have."""
    kind = kind_of(thing)
    before = fields_of(thing)
    new = {name: _value(tx, thing, kind, name, value) for name, value in wanted.items()}
    return {name: value for name, value in new.items() if before.get(name) != value}


def patched(tx: Tx, thing: Target | Step, ops: Iterable[PatchOp]) -> dict[str, Any]:
    """The fields that are different once these operations were made in order."""
    kind = kind_of(thing)
    now = fields_of(thing)
    for op in ops:
        _must_have(kind, op.field)
        now[op.field] = _operated(kind, op, now.get(op.field))
    touched = {op.field for op in ops}
    return changed(tx, thing, {name: now[name] for name in sorted(touched)})


def change_state(change: Mapping[str, Any]) -> dict[str, Any]:
    """A change as its event holds it: the title apart, what is empty no longer set."""
    title = {"title": change["title"]} if "title" in change else {}
    details = {name: None if value in (None, []) else value for name, value in change.items() if name != "title"}
    return {**title, **({"details": details} if details else {})}


def kind_of(thing: Target | Step) -> str:
    return thing.kind if isinstance(thing, Target) else "step"


def fields_of(thing: Target | Step) -> dict[str, Any]:
    return {"title": thing.title, **with_defaults(kind_of(thing), thing.details)}


def _operated(kind: str, op: PatchOp, before: Any) -> Any:
    field = FIELDS[kind][op.field]
    if op.op == "set":
        return op.value
    if op.op == "unset":
        return [] if field.holds == "texts" else field.default
    if field.holds != "texts":
        raise invalid(f"`{op.field}` is no list: it is set or unset", recovery="Send op=set.", field="ops")
    given = op.value if isinstance(op.value, list) else [op.value]
    if op.op == "append":
        return [*before, *(one for one in given if one not in before)]
    if missing := [one for one in given if one not in before]:
        raise invalid(f"`{op.field}` does not hold {missing[0]!r}", field="ops")
    return [one for one in before if one not in given]


def _must_have(kind: str, name: str) -> None:
    if name in FIELDS[kind]:
        return
    near = nearest(name, FIELDS[kind])
    raise invalid(
        f"a {kind} has no field `{name[:80]}`",
        recovery=f"Did you mean `{near}`?" if near is not None else f"It has {', '.join(FIELDS[kind])}.",
        field=name[:80],
    )


def _value(tx: Tx, thing: Target | Step, kind: str, name: str, value: Any) -> Any:
    """The value in its one spelling."""
    _must_have(kind, name)
    field = FIELDS[kind][name]
    if value is None and name != "title":
        return field.default
    wrong = bad_value(field, value)
    if wrong is None and name == "title" and not 0 < len(value.strip()) <= LONGEST_TITLE:
        wrong = f"it has 1 to {LONGEST_TITLE} characters"
    if wrong is not None:
        raise invalid(f"`{name}`: {wrong}", field=name)
    if name == "tags":
        return _tags(value)
    if name == "depends_on":
        must_come_first(tx, thing.id, value)
    return value


def _tags(value: list[str]) -> list[str]:
    try:
        return normal_tags(value)
    except ValueError as wrong:
        raise invalid(f"`tags`: {wrong}", field="tags") from None


def must_come_first(tx: Tx, id: str | None, others: Iterable[str]) -> None:
    """Refuse to wait for what is not there, or for itself."""
    for other in others:
        if not TARGET.fullmatch(other) or other == id:
            raise invalid(
                f"`depends_on` names other plans and tasks, not {other[:80]}",
                recovery="Send ids such as TASK-001.",
                field="depends_on",
            )
        known_target(tx, other)
