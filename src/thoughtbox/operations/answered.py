"""What callers were answered lately: reads leave no record, and some rooms must know of them.

It is known in this process; where several processes are one server, in all of them, from before the answer goes out.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Any, NamedTuple, TypeAlias

from thoughtbox.operations.shared_log import SharedLog

MOST = 10_000
"""Callers and operations that are kept in mind."""


class Answer(NamedTuple):
    """That an operation was answered."""

    seq: int | None
    """The last record that it left, if any; it may have come to nothing, if its transaction did."""
    counted_for: str | None = None
    """What it was counted for, where it counts once."""


class _Key(NamedTuple):
    workspace: str
    agent: str
    operation: str


class Answered:
    """The last answer to each caller, by operation; of many, those that were longest ago are forgotten."""

    def __init__(self) -> None:
        self._last: OrderedDict[_Key, Answer] = OrderedDict()
        self._lock = Lock()
        self._shared: SharedLog | None = None

    def share(self, log: SharedLog) -> None:
        """From now on be one with all who share this log."""
        with self._lock:
            self._shared = log
            self._take_in()

    def catch_up(self) -> None:
        """Take in what others have answered, before it is written over."""
        if self._shared is not None and self._shared.has_news:
            with self._lock:
                self._take_in()

    def retell(self) -> None:
        """Write down again all that is known, for a process that begins where it may have been written over."""
        if self._shared is None:
            return
        with self._lock, self._shared.alone():
            self._apply(self._shared.news())
            for key, answer in self._last.items():
                self._shared.append((_CHANGES.index(_noted), *key, answer.seq))
                if answer.counted_for is not None:
                    self._shared.append((_CHANGES.index(_counted), *key, answer.counted_for))

    def note(self, workspace: str, agent: str, operation: str, seq: int | None) -> None:
        self._change(_noted, workspace, agent, operation, seq)

    def last(self, workspace: str, agent: str, operation: str) -> Answer | None:
        self.catch_up()
        return self._last.get(_Key(workspace, agent, operation))

    def count(self, workspace: str, agent: str, operation: str, what: str) -> None:
        """Count the last answer for something: it is then of no account to anything else."""
        self._change(_counted, workspace, agent, operation, what)

    def forget(self, workspace: str) -> None:
        self._change(_forgotten, workspace)

    def _change(self, change: _Change, *arguments: Any) -> None:
        with self._lock:
            if self._shared is None:
                change(self._last, *arguments)
                return
            with self._shared.alone():
                self._apply(self._shared.news())
                if change(self._last, *arguments):
                    self._shared.append((_CHANGES.index(change), *arguments))

    def _take_in(self) -> None:
        assert self._shared is not None
        with self._shared.alone():
            self._apply(self._shared.news())

    def _apply(self, lines: list[list[Any]]) -> None:
        for number, *arguments in lines:
            _CHANGES[number](self._last, *arguments)


_Last: TypeAlias = OrderedDict[_Key, Answer]
_Change: TypeAlias = Callable[..., bool]
"""Changes what is known; whether that made any difference."""


def _noted(last: _Last, workspace: str, agent: str, operation: str, seq: int | None) -> bool:
    key, answer = _Key(workspace, agent, operation), Answer(seq)
    is_new = last.get(key) != answer
    last[key] = answer
    last.move_to_end(key)
    if len(last) > MOST:
        last.popitem(last=False)
    return is_new


def _counted(last: _Last, workspace: str, agent: str, operation: str, what: str) -> bool:
    key = _Key(workspace, agent, operation)
    if key not in last:
        return False
    last[key] = last[key]._replace(counted_for=what)
    return True


def _forgotten(last: _Last, workspace: str) -> bool:
    gone = [key for key in last if key.workspace == workspace]
    for key in gone:
        del last[key]
    return bool(gone)


_CHANGES: tuple[_Change, ...] = (_noted, _counted, _forgotten)
