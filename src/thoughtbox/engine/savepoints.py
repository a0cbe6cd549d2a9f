"""Parts of a transaction that can be undone by themselves: the rows, and what the transaction knows of them."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, NamedTuple

from thoughtbox.engine.protocol import Head, Sql


class Known(NamedTuple):
    """What a transaction had learnt, and meant to do at its end, before a part of it began."""

    memo: dict[Any, Any]
    before_commit: dict[str, Callable[[Sql], None]]
    witness: dict[str, Head]

    @classmethod
    def of(cls, sql: Sql) -> Known:
        return cls(dict(sql.memo), dict(sql.before_commit), dict(sql.witness))

    def restore(self, sql: Sql) -> None:
        _replace(sql.memo, self.memo)
        _replace(sql.before_commit, self.before_commit)
        _replace(sql.witness, self.witness)
        sql.learnt.clear()  # some of it from what is undone now


@contextmanager
def nested(
    sql: Sql, *, begin: Callable[[], None], end: Callable[[], None], undo: Callable[[], None]
) -> Generator[None]:
    """A part that leaves all it wrote, or nothing if it raises; `begin`, `end` and `undo` are the engine's verbs."""
    known = Known.of(sql)
    begin()
    try:
        yield
        end()
    except BaseException:
        undo()
        known.restore(sql)
        raise


def forget(sql: Sql) -> None:
    """What a transaction has learnt, and meant to do at its end: it is over."""
    sql.memo.clear()
    sql.before_commit.clear()
    sql.witness.clear()


def _replace(kept: dict[Any, Any], before: dict[Any, Any]) -> None:
    kept.clear()
    kept.update(before)
