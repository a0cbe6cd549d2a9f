"""A future that is done from the beginning: for work that was done in the thread of whoever asked for it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")


class Settled(Future[T]):
    """What has come of something. Nobody ever waits for it, so that it needs none of a future's locks."""

    def __init__(self, result: T | None = None, error: BaseException | None = None) -> None:
        self._come_of_it: Any = result
        self._exception = error

    def cancel(self) -> bool:
        return False

    def cancelled(self) -> bool:
        return False

    def running(self) -> bool:
        return False

    def done(self) -> bool:
        return True

    def result(self, timeout: float | None = None) -> T:
        error = self._exception
        if error is None:
            return self._come_of_it
        try:
            raise error
        finally:
            del self, error  # else its traceback holds on to this, and only a look for garbage would part the two

    def exception(self, timeout: float | None = None) -> BaseException | None:
        return self._exception

    def add_done_callback(self, fn: Callable[[Future[T]], Any]) -> None:
        fn(self)

    def __repr__(self) -> str:
        return f"<Settled {self._come_of_it if self._exception is None else self._exception!r}>"
