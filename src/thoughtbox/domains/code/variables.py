"""Variables: small JSON values that a session keeps, for a snippet that goes on where an earlier one has ended."""

from __future__ import annotations

from typing import Any

import orjson

from thoughtbox.domains.code import records
from thoughtbox.domains.code.models import (
    ListVariables,
    NameVariable,
    SetVariable,
    VariableDeleted,
    VariableSet,
    VariableShown,
    VariablesListed,
)
from thoughtbox.domains.code.room import room
from thoughtbox.domains.code.standing import session_for, session_of
from thoughtbox.domains.code.view import Written
from thoughtbox.errors import InvalidPayload
from thoughtbox.operations import Example, Tx, redacted

MOST = 100
LONGEST = 16_384
LONGEST_TOGETHER = 262_144

_SET = ("vars.set", {"name": "page", "value": 3, "session": "s1"})


@room.operation(
    "vars.set",
    writes=True,
    effect="overwrites",
    idempotent=True,
    title="Keep a value for the session",
    example=Example({"name": "page", "value": {"next": 3}}),
)
def set_variable(tx: Tx, call: SetVariable) -> VariableSet:
    """Keep a JSON value under a name, for later calls of the session; one that is kept already is not written again."""
    session = session_for(tx, call.session)
    value = redacted(call.value)
    known = tx.ask(Written).variable(session, call.name)
    if known is None or known.value != value:
        _must_fit(tx, session, call.name, value)
        tx.append(records.variable(session, call.name, "set", value), stream=records.stream_of(session))
    return VariableSet(name=call.name, value=value, session=session)


@room.operation("vars.get", title="Read a value of the session", example=Example({"name": "page"}, given=[_SET]))
def get_variable(tx: Tx, call: NameVariable) -> VariableShown:
    """The value that is kept under a name; `found` is false when there is none."""
    session = session_of(tx.focus, call.session)
    found = tx.ask(Written).variable(session, call.name) if session is not None else None
    return VariableShown(name=call.name, value=found.value if found is not None else None, found=found is not None)


@room.operation("vars.list", title="Names of the session's values", example=Example({"session": "s1"}, given=[_SET]))
def list_variables(tx: Tx, call: ListVariables) -> VariablesListed:
    """The names under which the session keeps values, in order."""
    session = session_of(tx.focus, call.session)
    found = tx.ask(Written).variables(session) if session is not None else []
    return VariablesListed(vars=[variable.name for variable in found])


@room.operation(
    "vars.delete",
    writes=True,
    effect="removes",
    idempotent=True,
    title="Forget a value of the session",
    example=Example({"name": "page", "session": "s1"}, given=[_SET]),
)
def delete_variable(tx: Tx, call: NameVariable) -> VariableDeleted:
    """Forget what is kept under a name; `deleted` is false when there was nothing."""
    session = session_of(tx.focus, call.session)
    if session is None or tx.ask(Written).variable(session, call.name) is None:
        return VariableDeleted(name=call.name, deleted=False)
    tx.append(records.variable(session, call.name, "deleted"), stream=records.stream_of(session))
    return VariableDeleted(name=call.name, deleted=True)


def _must_fit(tx: Tx, session: str, name: str, value: Any) -> None:
    """Refuse a value that is too long, or one too many."""
    length = len(orjson.dumps(value))
    if length > LONGEST:
        raise _too_much(f"the value has {length} characters of JSON, and one has at most {LONGEST}")
    others = [variable for variable in tx.ask(Written).variables(session) if variable.name != name]
    if len(others) >= MOST:
        raise _too_much(f"a session keeps at most {MOST} values")
    if sum(len(variable.json) for variable in others) + length > LONGEST_TOGETHER:
        raise _too_much(f"the values of a session have at most {LONGEST_TOGETHER} characters of JSON together")


def _too_much(why: str) -> InvalidPayload:
    return InvalidPayload(
        why,
        recovery="Delete one that is no longer needed, or write what is to last as a record.",
        details={"fields": ["value"]},
    )
