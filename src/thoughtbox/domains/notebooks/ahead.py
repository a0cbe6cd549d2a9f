"""What a first cell waits for longest, a process that forks boxes, begun while the rest is still being imported."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from thoughtbox.operations import Lasting, Table


def begin(table: Table, lasting: Lasting, operation: str, arguments: Mapping[str, Any]) -> None:
    """Have a nursery for cells that are about to be written: of Python where that is said."""
    if operation in (
        "notebook.create",
        "notebook.add_cell",
        "notebook.run_cell",
        "notebook.run_all",
        "notebook.replay",
    ):
        is_python = arguments.get("language") == "python"
        Thread(target=_warm, args=(lasting, is_python), name="notebooks-ahead", daemon=True).start()


def _warm(lasting: Lasting, is_python: bool) -> None:
    from thoughtbox.domains.notebooks.running.kernels import Kernels

    lasting.of(Kernels).warm("python" if is_python else "javascript", None)
