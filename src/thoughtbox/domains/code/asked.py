"""What a snippet asks for, found in the table. What cannot be part of a snippet is refused with what to do instead."""

from __future__ import annotations

from collections.abc import Collection

from thoughtbox.domains.code.reachable import RUN_SNIPPETS, name_of
from thoughtbox.errors import InvalidOperation, shown
from thoughtbox.ledger.record import KINDS
from thoughtbox.operations import TABLE, KnownOperation, nearest


def must_be_written(name: str, arguments: Collection[str]) -> bool:
    """Whether it can only be done in a transaction; what is refused anyway is refused without one."""
    try:
        known = _found(name, arguments)
    except InvalidOperation:
        return False
    return known.writes and not _works_in_steps(known)


def read_alone(name: str, arguments: Collection[str]) -> str:
    """The name of the operation, for a snippet that has written nothing yet."""
    known = _found(name, arguments)
    if known.writes:
        raise _refused(known, "it works in steps of its own", f"Call it by itself: {_outside(known)}.")
    return known.name


def done_within(name: str, arguments: Collection[str]) -> str:
    """The name of the operation, for a snippet that is in its transaction."""
    known = _found(name, arguments)
    if _works_in_steps(known):
        when = "" if known.writes else "before the snippet writes anything, or "
        raise _refused(known, "it works in steps of its own", f"Call it {when}by itself: {_outside(known)}.")
    return known.name


def _found(name: str, arguments: Collection[str]) -> KnownOperation:
    """What stands below `tb` under that name: a builder, or an operation behind its room."""
    try:
        known = TABLE.look_up(name, arguments)
    except InvalidOperation:
        raise _unknown(name) from None
    if name != name_of(known) and name not in KINDS:
        raise _elsewhere(name, known)
    if known.name in RUN_SNIPPETS:
        raise _refused(known, "it runs snippets itself", f"Call it by itself: {_outside(known)}.")
    if known.gateway is not None:
        raise _refused(known, "it leads to other operations", "Call those: tb.<room>.<operation>({…}).")
    return known


def _works_in_steps(known: KnownOperation) -> bool:
    return known.long and TABLE.operations[known.name].works_in_steps


def _outside(known: KnownOperation) -> str:
    return f'{{"operation": "{known.name}"}}'


def _refused(known: KnownOperation, why: str, recovery: str) -> InvalidOperation:
    return InvalidOperation(
        f"{known.name} cannot be part of a snippet: {why}", recovery=recovery, details={"operation": known.name}
    )


def _elsewhere(name: str, known: KnownOperation) -> InvalidOperation:
    """For what every language would not find: an operation without its room."""
    return InvalidOperation(
        f"there is no operation tb.{shown(name)}",
        recovery=f"Did you mean tb.{name_of(known)}?",
        details={"operation": shown(name), "nearest": [name_of(known)]},
    )


def _unknown(name: str) -> InvalidOperation:
    """For a name below `tb` that nothing has: what was meant, in the same room."""
    room, _, rest = name.partition(".")
    own = [known.bare for known in TABLE.known.values() if known.room == room and not known.hidden]
    if not own:
        return InvalidOperation(
            f"there is no room `{shown(room)}` below tb",
            recovery=f"The rooms are {', '.join(TABLE.rooms)}.",
            details={"operation": shown(name), "nearest": []},
        )
    near = nearest(rest, own)
    return InvalidOperation(
        f"there is no operation tb.{shown(name)}",
        recovery=f"Did you mean tb.{room}.{near}?" if near else f'search {{"query": "{shown(rest)}"}} finds others.',
        details={"operation": shown(name), "nearest": [f"{room}.{near}"] if near else []},
    )
