"""Claude Code in a terminal, which knows tasks: it puts one aside, and hears of its end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.doors.mcp.test_real_agents import Store, over_stdio
from tests.support.clients import program, surroundings
from tests.support.pages import GATEWAY, Answer, Call
from tests.support.scripted_model import AnthropicMessages, ScriptedModel
from tests.support.servers import soon
from tests.support.task_client import CAPABILITIES, EXTENSION
from tests.support.terminal import Terminal


def known_to_claude(home: Path) -> dict[str, str]:
    """Surroundings in which Claude Code asks nothing before it begins."""
    state = {
        "hasCompletedOnboarding": True,
        "theme": "dark",
        "customApiKeyResponses": {"approved": ["none"], "rejected": []},
        "projects": {str(home): {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}},
    }
    (home / ".claude").mkdir()
    (home / ".claude" / ".claude.json").write_text(json.dumps(state), encoding="utf-8")
    return {**surroundings(home), "ANTHROPIC_API_KEY": "none"}


def verify_once(answers: list[Answer]) -> Call | None:
    return {"operation": "ledger_verify"} if not answers else None


def test_claude_code_puts_a_task_aside_and_hears_of_its_end(tmp_path: Path):
    store = Store(tmp_path)
    store.variables["THOUGHTBOX_TASK_AFTER_MS"] = "0"
    servers = tmp_path / "servers.json"
    servers.write_text(json.dumps({"mcpServers": {"thoughtbox": over_stdio(store)}}), encoding="utf-8")
    options = ["--mcp-config", str(servers), "--strict-mcp-config", "--allowedTools", f"mcp__thoughtbox__{GATEWAY}"]

    def asked(method: str) -> list[dict[str, Any]]:
        written = store.sent.read_text(encoding="utf-8") if store.sent.exists() else ""
        sent = [json.loads(line) for line in written.splitlines(keepends=True) if line.endswith("\n")]
        return [one["params"] for one in sent if one.get("method") == method]

    with ScriptedModel(AnthropicMessages(), verify_once) as model:
        told = {**known_to_claude(tmp_path), "ANTHROPIC_BASE_URL": model.url}
        with Terminal([program("claude"), *options], told, tmp_path) as terminal:
            soon(lambda: asked("tools/list") and "❯" in terminal.shown)
            terminal.type("Use the ledger.")
            soon(lambda: "Use the ledger." in terminal.shown)
            terminal.type("\r")
            soon(lambda: asked("tasks/get"))
            task = asked("tasks/get")[-1]["taskId"]
            soon(lambda: f"MCP task {task}" in terminal.shown and "completed" in terminal.shown)

    (call,) = asked("tools/call")
    assert call["_meta"][CAPABILITIES]["extensions"] == {EXTENSION: {}}
