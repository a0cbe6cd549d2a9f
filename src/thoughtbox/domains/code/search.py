"""The tool `search`, and the declarations of all that it finds."""

from __future__ import annotations

from thoughtbox.domains.code import declarations as declared
from thoughtbox.domains.code.models import Declared, ReadDeclarations, Search, Searched
from thoughtbox.domains.code.room import room
from thoughtbox.domains.code.searching import Looking, found
from thoughtbox.domains.code.snippets import LONGEST_QUERY, limits_for, must_be_short
from thoughtbox.errors import InvalidPayload, LimitExceeded, SandboxUnavailable, SnippetFailed, SnippetInvalid
from thoughtbox.operations import TABLE, Apart, Example, Resource, Slices, Steps, Tx
from thoughtbox.sandbox.protocol import LONGEST_SNIPPET
from thoughtbox.sandbox.sandboxes import Sandboxes

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
    must_be_short(code := call.code or "", LONGEST_SNIPPET)
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
