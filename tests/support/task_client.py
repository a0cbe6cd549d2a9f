"""A client that knows tasks, over stdio or HTTP, with nothing between the test and the messages."""

from __future__ import annotations

from typing import Any

from tests.support import task_types
from tests.support.servers import ENVELOPE, HttpServer, StdioServer, soon

__all__ = ["CAPABILITIES", "ENDS", "EXTENSION", "UNKNOWN", "TaskClient", "task_types"]

EXTENSION = "io.modelcontextprotocol/tasks"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
UNKNOWN = "there is no such task: it is not yours, or its lifetime is over"
ENDS = ("completed", "failed", "cancelled")


class TaskClient:
    """Asks a server: `can` is what it can do beside tasks, `declares` whether it says that it knows them."""

    def __init__(
        self,
        server: StdioServer | HttpServer,
        *,
        declares: bool = True,
        can: dict[str, Any] | None = None,
        token: str | None = None,
        workspace: str | None = None,
    ) -> None:
        self.server = server
        extensions = {"extensions": {EXTENSION: {}}} if declares else {}
        named = {"thoughtbox/workspace": workspace} if workspace is not None else {}
        self.meta: dict[str, Any] = {**ENVELOPE, CAPABILITIES: {**(can or {}), **extensions}, **named}
        self._headers = {"Authorization": f"Bearer {token}"} if token is not None else {}

    def send(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """The whole answer, whatever it is."""
        if isinstance(self.server, StdioServer):
            self.server.envelope = self.meta
            return self.server.ask(method, params)
        name = params.get("taskId", params.get("name"))
        headers = {**self._headers, **({"Mcp-Name": name} if isinstance(name, str) else {})}
        return self.server.ask(method, {**params, "_meta": self.meta}, headers).json()

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        answer = self.send(method, params)
        assert "result" in answer, answer
        return answer["result"]

    def refused(self, method: str, **params: Any) -> dict[str, Any]:
        answer = self.send(method, params)
        assert "error" in answer, answer
        return answer["error"]

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        return self.ask("tools/call", name=tool, arguments=arguments)

    def begin(self, tool: str, **arguments: Any) -> str:
        """Call something that becomes a task; its id."""
        begun = self.call(tool, **arguments)
        assert begun["resultType"] == "task", begun
        return begun["taskId"]

    def get(self, task: str) -> dict[str, Any]:
        return self.ask("tasks/get", taskId=task)

    def comes_to(self, task: str, *statuses: str) -> dict[str, Any]:
        """The task as soon as it stands so; no other end may come before."""

        def stands() -> dict[str, Any] | None:
            found = self.get(task)
            assert found["status"] in statuses or found["status"] not in ENDS, found
            return found if found["status"] in statuses else None

        return soon(stands)

    def topics(self) -> list[str]:
        """What was written to the ledger, by topic."""
        return [record["data"]["topic"] for record in self._records()]

    def thoughts(self) -> list[str]:
        """What the operations of the tests' own room have recorded."""
        return [record["body"]["text"] for record in self._records() if record["session"] == "slow"]

    def _records(self) -> list[dict[str, Any]]:
        return self.call("ledger_tail")["structuredContent"]["records"]
