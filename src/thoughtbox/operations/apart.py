"""Work that waits for something other than the store: in threads of its own, where it holds nobody up."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")

MOST_AT_ONCE = 32
"""More than there are sandboxes: whoever finds none free is told so in a moment, and does not wait to be told."""


class _Stoppable(Future[T]):
    """What becomes of such work. Who cancels it has it stopped, wherever it has come to."""

    def __init__(self, stop: Callable[[], object]) -> None:
        super().__init__()
        self._stop = stop

    def cancel(self) -> bool:
        self._stop()
        return super().cancel()


class Apart:
    """The threads; made with the first such work."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(MOST_AT_ONCE, thread_name_prefix="thoughtbox-apart")

    def run(self, work: Callable[[], T], *, stop: Callable[[], object]) -> Future[T]:
        """Do the work in another thread; `stop` ends it soon, from any thread."""
        outcome: _Stoppable[T] = _Stoppable(stop)

        def done() -> None:
            if not outcome.set_running_or_notify_cancel():
                return
            try:
                result: Any = work()
            except BaseException as error:
                outcome.set_exception(error)
            else:
                outcome.set_result(result)

        self._threads.submit(done)
        return outcome

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
