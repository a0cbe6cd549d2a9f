"""The two tools of code mode. The builders stand in `authoring.py`, the session's values in `variables.py`."""

from __future__ import annotations

from typing import Any

from thoughtbox.domains.code import authoring, reading, variables
from thoughtbox.domains.code import declarations as declared
from thoughtbox.domains.code.listing import listed
from thoughtbox.domains.code.models import Declared, Execute, Executed, ReadDeclarations, Search, Searched
from thoughtbox.domains.code.room import room
from thoughtbox.domains.code.running import Execution, Written
from thoughtbox.domains.code.searching import Looking, found
from thoughtbox.domains.code.snippets import LONGEST, LONGEST_QUERY, limits_for, must_be_short, snippet_of
from thoughtbox.domains.code.standing import session_of
from thoughtbox.errors import (
    HostOnly,
    InvalidOperation,
    InvalidPayload,
    LimitExceeded,
    RecordNotFound,
    SandboxUnavailable,
    SnippetFailed,
    SnippetInvalid,
)
from thoughtbox.operations import TABLE, Apart, Example, Resource, Slices, Steps, Tx
from thoughtbox.sandbox.sandboxes import Sandboxes

__all__ = ["authoring", "reading", "variables"]

DECLARATIONS_CEILING = 1_000_000
"""They are given whole."""


@room.operation(
    "search",
    title="Search",
    toolsets=["default", "code"],
    in_turn=True,
    errors=[SnippetInvalid, SnippetFailed, LimitExceeded, SandboxUnavailable],
    example=Example({"query": "link evidence to a claim", "limit": 3}),
)
def search(slices: Slices, call: Search) -> Steps[Searched]:
    """Find what `execute` and the gateway can call: `query`, plain words, best first.

    Or `code`: a snippet over `catalog`, with operations, kinds, relations, prompts, resources. An operation has name
    (what follows `tb.`), room, summary, signature, input, output, example, errors.
    catalog.operations.filter(o => o.room == "mind" && /branch/.test(o.name)).map(o => o.signature)
    Python: catalog["operations"][0]["signature"]
    """
    if (call.code is None) == (call.query is None):
        raise InvalidPayload(
            "send either `query` or `code`",
            recovery='Send plain words: {"query": "merge two branches"}.',
            details={"fields": ["query", "code"]},
        )
    if call.query is not None:
        must_be_short(call.query, LONGEST_QUERY)
        return Searched(result=found(call.query, call.limit))
    lasting = slices.calling.lasting
    must_be_short(code := call.code or "", LONGEST)
    looking = Looking(lasting.of(Sandboxes), code, call.language, limits_for(slices.calling.settings))
    return Searched.plainly((yield lasting.of(Apart).run(looking.run, stop=looking.stop)))


@room.operation(
    "declarations",
    title="Declarations of all that a snippet can use",
    ceiling=DECLARATIONS_CEILING,
    example=Example({"language": "python", "names": ["ledger"]}),
)
def declarations(tx: Tx, call: ReadDeclarations) -> Declared:
    """What a snippet can use, as TypeScript (`.d.ts`) or Python (`.pyi`) declares it: all of it, or a few rooms."""
    made = declared.python if call.language == "python" else declared.typescript
    return Declared(language=call.language, text=made(TABLE, call.names))


for _language, _file in (("typescript", "tb.d.ts"), ("python", "tb.pyi")):
    room.resource(
        Resource(
            uri=f"thoughtbox://code/{_file}",
            name=_file,
            title=f"Declarations for {_language.title().replace('script', 'Script')}",
            description="All that a snippet can use: builders, operations, their arguments and answers.",
            operation="declarations",
            arguments={"language": _language},
            part="text",
            mime="text/plain",
        )
    )


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
