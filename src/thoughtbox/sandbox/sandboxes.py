"""Where a run comes from: the sandbox of each language, started when it is first wanted."""

from __future__ import annotations

from threading import Lock

from thoughtbox.sandbox.protocol import Language, Limits, Run, Sandbox, Snippet


class Sandboxes:
    """All sandboxes of a process."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._open: dict[str, Sandbox] = {}

    def run(self, snippet: Snippet, limits: Limits) -> Run:
        return self.of(snippet.language).run(snippet, limits)

    def of(self, language: Language) -> Sandbox:
        """The sandbox that runs a language."""
        family = "python" if language == "python" else "javascript"
        with self._lock:
            if family not in self._open:
                self._open[family] = _made(family)
            return self._open[family]

    def close(self) -> None:
        """End all processes."""
        with self._lock:
            sandboxes, self._open = self._open, {}
        for sandbox in sandboxes.values():
            sandbox.close()


def _made(family: str) -> Sandbox:
    if family == "python":
        from thoughtbox.sandbox.python.sandbox import PythonSandbox

        return PythonSandbox()
    from thoughtbox.sandbox.javascript.sandbox import JavaScriptSandbox

    return JavaScriptSandbox()
