"""`search`: a snippet over the catalog, or plain words. It only reads, and leaves nothing behind."""

from __future__ import annotations

from contextlib import closing
from functools import lru_cache
from typing import Any

from thoughtbox.domains.code.catalog import catalog, catalog_json
from thoughtbox.domains.code.ranking import Ranking
from thoughtbox.domains.code.snippets import tell_more
from thoughtbox.errors import SnippetError, SnippetFailed
from thoughtbox.operations import TABLE
from thoughtbox.sandbox.languages import detected
from thoughtbox.sandbox.protocol import Asked, Ended, Language, Limits, Run, Snippet
from thoughtbox.sandbox.sandboxes import Sandboxes


def found(query: str, limit: int) -> list[dict[str, Any]]:
    """What fits plain words, the best first: enough of each to call it."""
    hits = _ranking(len(TABLE.known)).ranked(query)[:limit]
    return [
        {"name": hit.name, "is": hit.what, "summary": hit.summary}
        | ({"signature": hit.entry["signature"]} if hit.entry.get("signature") else {})
        for hit in hits
    ]


@lru_cache(maxsize=1)
def _ranking(operations: int) -> Ranking:
    return Ranking(catalog(TABLE))


class Looking:
    """A snippet over the catalog. It is run in a thread of its own, and may be stopped from any other."""

    def __init__(self, sandboxes: Sandboxes, code: str, language: Language | None, limits: Limits) -> None:
        self._sandboxes = sandboxes
        self._snippet = Snippet(code, language or detected(code), catalog=catalog_json(TABLE))
        self._limits = limits
        self._run: Run | None = None
        self._is_stopped = False

    def run(self) -> dict[str, Any]:
        with closing(self._sandboxes.run(self._snippet, self._limits)) as run:
            self._run = run
            if self._is_stopped:
                run.close()
            try:
                ended = run.start()
            except SnippetError as error:
                tell_more(error, run.logs)
                raise
            if isinstance(ended, Asked):
                raise _nothing_to_ask()
            return _answer(ended, self._snippet.language)

    def stop(self) -> None:
        self._is_stopped = True
        if (run := self._run) is not None:
            run.close()


def _answer(ended: Ended, language: Language) -> dict[str, Any]:
    logs = {"logs": list(ended.logs)} if ended.logs else {}
    return {"result": ended.result, **logs, "language": language}


def _nothing_to_ask() -> SnippetFailed:
    return SnippetFailed("a snippet that searches cannot call anything", recovery="Send it to execute.")
