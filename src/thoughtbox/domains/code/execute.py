"""The tool `execute`."""

from __future__ import annotations

from typing import Any

from thoughtbox.domains.code.listing import listed
from thoughtbox.domains.code.models import Execute, Executed
from thoughtbox.domains.code.room import room
from thoughtbox.domains.code.running import Execution, Written
from thoughtbox.domains.code.snippets import limits_for, snippet_of
from thoughtbox.domains.code.standing import session_of
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


@room.operation(
    "execute",
    writes=True,
    effect="removes",  # what it calls may
    title="Run a snippet",
    toolsets=["default", "code"],
    in_turn=True,
    in_forms=True,
    finishes=True,
    errors=[
        *(SnippetInvalid, SnippetFailed, LimitExceeded, SandboxUnavailable),
        *(InvalidOperation, RecordNotFound, HostOnly),
    ],
    example=Example({"code": 'const c = tb.claim("Reads dominate");\ntb.evidence("40 to 1", {supports: [c]});\nc.id'}),
)
def execute(slices: Slices, call: Execute) -> Steps[Executed]:
    """Run JavaScript, TypeScript or Python that writes through `tb`: all of its records, or none.

    Builders return handles, usable at once: tb.claim(text, {supports: [handle or "th:17"], confidence: 0.8}),
    evidence {sourceUrl}, question, plan {steps}, observation {context}, decision {alternativesConsidered}, revision
    {replacesId}. Relations: supports contradicts answers derived_from refines blocks revises relates_to.
    What `search` or the gateway names: tb.<room>.<operation>({…}), as tb.thoughts.thought({thought}).
    Errors have code, message, recovery.
    tb.vars.set(name, value), get, list, delete: kept for the session. The last expression is the result.
    const q = tb.question("Which cache?")
    const c = tb.claim("Reads dominate", {answers: [q]})
    tb.evidence("40 to 1 in the logs", {supports: [c]})
    c.id
    Python: tb.claim("…", answers=[q]); answers are dicts.
    """
    lasting = slices.calling.lasting
    snippet = snippet_of(call.code, call.language)
    known = session_of(slices.focus, call.session)

    in_full = slices.calling.form == "tbx"

    def answer_of(written: Written) -> dict[str, Any]:
        is_news = written.session != known and any(record.session == written.session for record in written.records)
        return {
            "result": written.ended.result,
            "logs": list(written.ended.logs),
            "language": snippet.language,
            "records": [dict(record.envelope) for record in written.records] if in_full else listed(written.records),
            **({"session": written.session} if is_news else {}),
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
