"""What a room keeps for as long as the process serves: made when it is first wanted, closed at the end."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any, Protocol, TypeVar


class Closing(Protocol):
    """What lasts until it is closed."""

    def close(self) -> None: ...


K = TypeVar("K", bound=Closing)


class Lasting:
    """Such things, by what makes them."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._made: dict[Callable[[], Any], Closing] = {}
        self._is_over = False

    def of(self, make: Callable[[], K]) -> K:
        """What `make` has made, or makes now."""
        with self._lock:
            if make not in self._made:
                if self._is_over:
                    raise RuntimeError("nothing is made any more: the process ends")
                self._made[make] = make()
            found: Any = self._made[make]
            return found

    def close(self) -> None:
        with self._lock:
            self._is_over = True
            made, self._made = self._made, {}
        for each in made.values():
            each.close()
