"""What `doctor` says of what notebooks need: isolation for their cells, Node, and Jupyter's kernel."""

from __future__ import annotations

from collections.abc import Iterator

from thoughtbox.doors.cli.checks import Finding
from thoughtbox.settings import Settings


def isolation(settings: Settings) -> Iterator[Finding]:
    from thoughtbox.confinement.isolation import isolation as found_here
    from thoughtbox.domains.notebooks.running.kernels import WAY_OUT

    found = found_here()
    if found.way is None:
        says = f"Nothing keeps the cells of notebooks apart here ({found.why}): none is run."
        yield Finding("isolation", "warn", says, WAY_OUT.replace(" `thoughtbox doctor` says what there is.", ""))
        return
    by = "namespaces" if found.way == "namespaces" else f"bubblewrap ({found.bubblewrap})"
    yield Finding("isolation", "ok", f"Cells of notebooks run apart from everything else, by {by}.")


def languages(settings: Settings) -> Iterator[Finding]:
    """What cells are run by. Nothing is wrong where there is none: who writes no such cells needs none."""
    from thoughtbox.confinement.nurseries import kernel_packages
    from thoughtbox.domains.notebooks.running.node import STRIPS_TYPES, WAY_OUT, best

    node = best(settings.rooms.get("node"))
    if node is None:
        yield Finding("node", "ok", "There is no Node: cells in JavaScript and TypeScript are not run.", WAY_OUT)
    elif node.version < STRIPS_TYPES:
        yield Finding("node", "ok", f"{node.path} is {node.name}: cells in TypeScript are not run.", WAY_OUT)
    else:
        yield Finding("node", "ok", f"Cells in JavaScript and TypeScript are run by {node.path}, {node.name}.")
    if kernel_packages() is None:
        says = "Jupyter's kernel is not installed: cells in Python are not run."
        yield Finding("kernel", "ok", says, "Run: pip install 'thoughtbox[notebooks]'")
    else:
        yield Finding("kernel", "ok", "Cells in Python are run by Jupyter's kernel.")
