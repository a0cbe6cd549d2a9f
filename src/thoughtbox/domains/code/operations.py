"""The two tools of code mode. The builders stand in `authoring.py`, the session's values in `variables.py`."""

from __future__ import annotations

from typing import Any

from thoughtbox.domains.code import authoring, reading, variables
from thoughtbox.domains.code.models import Execute, Executed
from thoughtbox.domains.code.room import room
from thoughtbox.domains.code.running import Execution, Written
from thoughtbox.domains.code.snippets import limits_for, snippet_of
from thoughtbox.errors import (
    HostOnly,
    InvalidOperation,
    LimitExceeded,
    RecordNotFound,
    SandboxUnavailable,
    SnippetFailed,
    SnippetInvalid,
)
from thoughtbox.operations import Apart, Example, Slices, Steps
from thoughtbox.sandbox.sandboxes import Sandboxes

__all__ = ["authoring", "reading", "variables"]


@room.operation(
    "execute",
    writes=True,
    effect="removes",  # what it calls may
    title="Run a snippet",
    toolsets=["default", "code"],
    in_turn=True,
    finishes=True,
    errors=[
        *(SnippetInvalid, SnippetFailed, LimitExceeded, SandboxUnavailable),
        *(InvalidOperation, RecordNotFound, HostOnly),
    ],
    example=Example({"code": 'const c = tb.claim("Reads dominate");\ntb.evidence("40 to 1", {supports: [c]});\nc.id'}),
)
def execute(slices: Slices, call: Execute) -> Steps[Executed]:
    """Run JavaScript, TypeScript or Python that writes through `tb`: all of its records, or none.

    Builders return handles, references at once: tb.claim(text, {supports: [handle or "th:17"], confidence: 0.8}),
    tb.evidence (sourceUrl), question, plan (steps), observation (context), decision (alternativesConsidered), revision
    (replacesId). Relations on each: supports contradicts answers derived_from refines blocks revises relates_to.
    Any operation: tb.<room>.<operation>({…}); `search` finds them. Errors have code, message, recovery.
    tb.vars.set(name, value), get, list, delete: kept for the session. Last expression or `return` is the result.
    const q = tb.question("Which cache?")
    const c = tb.claim("Reads dominate", {answers: [q]})
    tb.evidence("40 to 1 in the logs", {supports: [c]})
    tb.thoughts.session.list({limit: 3}).sessions.map(s => s.title)
    Python has keywords: tb.claim("…", answers=[q]).
    """
    lasting = slices.calling.lasting
    snippet = snippet_of(call.code, call.language)

    def answer_of(written: Written) -> dict[str, Any]:
        return {
            "result": written.ended.result,
            "logs": list(written.ended.logs),
            "language": snippet.language,
            "records": [{"id": record.id, "kind": record.kind} for record in written.records],
            "session": written.session,
        }

    execution = Execution(
        slices,
        lasting.of(Sandboxes),
        snippet,
        limits_for(slices.calling.settings, is_patient=slices.calling.is_patient),
        session=call.session,
        answer_of=answer_of,
    )
    return Executed.plainly((yield lasting.of(Apart).run(execution.run, stop=execution.stop)))
