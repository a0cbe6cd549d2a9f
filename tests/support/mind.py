"""The shortest way to the tools of the mind room: `mind.notes_commit(content="…")` is the result of the call."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.box import WORKSPACE, Box
from thoughtbox.errors import ThoughtboxError
from thoughtbox.operations.caller import ANONYMOUS


class Mind:
    """Calls tools of the room on a box, in its own workspace or in one that it is given."""

    def __init__(self, box: Box, workspace: str | None = None) -> None:
        self.box = box
        self._named = {"workspace": workspace} if workspace is not None else {}

    def __getattr__(self, tool: str) -> Any:
        if tool.startswith("_"):
            raise AttributeError(tool)
        return lambda **arguments: self.whole(tool, **arguments)["result"]

    def whole(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The whole envelope."""
        return self.box.call(tool, {**self._named, **arguments})

    def warnings(self, tool: str, **arguments: Any) -> list[str]:
        """The codes of what the call warns of."""
        return [warning["code"] for warning in self.whole(tool, **arguments)["warnings"]]

    def refused(self, tool: str, **arguments: Any) -> ThoughtboxError:
        """The error that a call is refused with; nothing may have been written."""
        before = self.head()
        with pytest.raises(ThoughtboxError) as error:
            self.whole(tool, **arguments)
        assert self.head() == before
        return error.value

    def send(self, suggestion: dict[str, Any]) -> dict[str, Any]:
        """A suggested call, exactly as it was given."""
        assert suggestion["action"] == "call_tool"
        return self.box.call(suggestion["target"], suggestion["params"])

    def head(self) -> int:
        """The number of the newest record."""
        workspace = self._named.get("workspace", WORKSPACE)
        return self.box.app.dispatcher.ask(workspace, ANONYMOUS, lambda tx: tx.ledger.last_seq()).result()
