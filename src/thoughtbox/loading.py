"""Modules that are imported when something of theirs is first used: one at a time, whoever asks.

Nothing may ask for that while it is itself being imported: it could wait for somebody who waits for it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from threading import RLock
from types import ModuleType
from typing import Any, NamedTuple

_LOCK = RLock()
"""Two threads that import modules which lead to each other would see them half made."""


def loaded(module: str) -> ModuleType:
    """The module, imported."""
    with _LOCK:
        return import_module(module)


class Reference(NamedTuple):
    """Where something is defined: it can be called without having been imported."""

    module: str
    name: str

    @property
    def target(self) -> Any:
        return _found(self.module, self.name)

    def __call__(self, *arguments: Any) -> Any:
        return self.target(*arguments)


@cache
def _found(module: str, name: str) -> Any:
    found: Any = loaded(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def reference(target: Any) -> Reference | None:
    """Where a function or class is defined; None when it cannot be found again there, as what was made in passing."""
    try:
        made = Reference(target.__module__, target.__qualname__)
        return made if made.target is target else None
    except (AttributeError, ImportError):
        return None


class Later:
    """Stands for a function until the module that declares it is imported, which its first call does."""

    __slots__ = ("_found", "_module")

    def __init__(self, module: str, found: Callable[[], Callable[..., Any] | None]) -> None:
        """`found` looks up what stands in its place once the module was imported."""
        self._module = module
        self._found = found

    def __call__(self, *arguments: Any) -> Any:
        loaded(self._module)
        function = self._found()
        if function is None or function is self:
            raise RuntimeError(f"{self._module} does not declare what the catalog says it does")
        return function(*arguments)


def declaring() -> str:
    """The module that is being imported, whose code has led here: importing it declares what is declared now."""
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_name == "<module>":
            return frame.f_globals.get("__name__", "")
        frame = frame.f_back
    return ""
