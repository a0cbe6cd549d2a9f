"""What the first snippet waits for longest, a process to run in, begun while the rest is still being imported."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING, Any

from thoughtbox.errors import SandboxUnavailable
from thoughtbox.sandbox.protocol import LONGEST_SNIPPET

if TYPE_CHECKING:
    from thoughtbox.operations import Lasting, Table


def begin(table: Table, lasting: Lasting, operation: str, arguments: Mapping[str, Any]) -> None:
    """Have a sandbox for the language of a snippet; whoever runs it finds it there, or starts one."""
    code = arguments.get("code")
    if operation in ("execute", "search") and isinstance(code, str) and len(code) <= LONGEST_SNIPPET:
        checked_against = table if operation == "execute" else None
        given = (lasting, code, arguments.get("language"), checked_against)
        Thread(target=_warm, args=given, name="sandbox-ahead", daemon=True).start()


def _warm(lasting: Lasting, code: str, named: object, table: Table | None) -> None:
    from thoughtbox.domains.code.declarations import can_be_checked, python
    from thoughtbox.sandbox.languages import detected
    from thoughtbox.sandbox.protocol import LANGUAGES, Snippet
    from thoughtbox.sandbox.sandboxes import Sandboxes

    language = next((each for each in LANGUAGES if each == named), None) or detected(code)
    is_checked = table is not None and language == "python" and can_be_checked(code)
    with suppress(SandboxUnavailable, RuntimeError):  # whoever needs it is told why there is none
        sandbox = lasting.of(Sandboxes).of(language)
        sandbox.warm(Snippet(code, language, stubs=python(table) if is_checked else None))
