"""The shared corpus: snippets that are written in all three languages, and what each of them has to come to.

An entry of a file in `corpus/` has its `name`, sources as `javascript`, `typescript`, `python`, and what is expected:
`result` (as JSON; null without it), `logs`, `records` (a line for each, `kind: text < relation id …`; or `counts` of
kinds, where they are many), or `error` (a code), if it fails. `given` are operations that are called before.
Where languages cannot but differ, `differs` has the `logs` of one of them, and `why`.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.box import Box
from tests.support.pages import CHANCE
from tests.support.snippets import one_by_one
from thoughtbox.errors import ThoughtboxError
from thoughtbox.ledger.record import Record
from thoughtbox.operations.caller import Caller
from thoughtbox.operations.dispatch import Call
from thoughtbox.sandbox.protocol import LANGUAGES, Language

CORPUS = Path(__file__).parent / "corpus"
SESSION = "s1"
WORKSPACE = re.compile(r"\bcorpus-\d+\b")
MILLISECONDS = re.compile(r"\b1[78]\d{11}\b")
_workspaces = count(1)


class Expected(NamedTuple):
    result: Any
    logs: list[str]
    records: list[str] | None
    counts: dict[str, int] | None
    error: str | None


class Entry(NamedTuple):
    name: str
    sources: dict[Language, str]
    expected: Expected
    given: list[tuple[str, dict[str, Any]]]
    differs: dict[str, Any]

    def logs_in(self, language: Language) -> list[str]:
        return self.differs.get(language, self.expected.logs)


class Told(NamedTuple):
    """What a snippet came to."""

    result: Any
    logs: list[str]
    error: str | None
    records: list[Record]
    """All that it left, the call and its end included."""
    why: str = ""

    @property
    def own(self) -> list[Record]:
        """Those between the call and its end."""
        return [record for record in self.records if record.topic not in ("code.call", "code.result")]

    def lasting(self) -> str:
        """All of it as text, without what is another each time: the source, ids by chance, times."""
        envelopes = [_without_source(record.envelope) for record in self.records]
        return _masked(json.dumps([self.result, self.error, envelopes], indent=1, ensure_ascii=False))


@cache
def corpus() -> list[Entry]:
    return [
        _entry(found)
        for path in sorted(CORPUS.glob("*.toml"))
        for found in tomllib.loads(path.read_text(encoding="utf-8"))["snippet"]
    ]


def told(box: Box, entry: Entry, language: Language) -> Told:
    """Run it, in a workspace where nothing was before but what is given."""
    workspace = f"corpus-{next(_workspaces)}"
    for operation, arguments in entry.given:
        _call(box, workspace, operation, arguments)
    before = len(_records(box, workspace))
    code = {"code": entry.sources[language], "language": language, "session": SESSION}
    try:
        answer = _call(box, workspace, "execute", code)
    except ThoughtboxError as error:
        return Told(None, [], error.code, _records(box, workspace)[before:], str(error))
    assert answer["language"] == language
    found = _records(box, workspace)[before:]
    assert one_by_one(answer["records"]) == [{"id": record.id, "kind": record.kind} for record in found[1:-1]]
    return Told(answer["result"], [_masked(each) for each in answer["logs"]], None, found)


def line(record: Record) -> str:
    """`evidence: 40 to 1 < supports th:2`."""
    attrs = record.attrs
    links = [f"{relation['type']} {relation['to']}" for relation in attrs.get("relations", ())]
    links += [f"answered by {to}" for to in attrs.get("answeredBy", ())]
    links += [f"replaces {attrs['replacesId']}"] if "replacesId" in attrs else []
    return _masked(" < ".join([f"{record.kind}: {record.text}", *links]))


def counted(records: list[Record]) -> dict[str, int]:
    return dict(Counter(record.kind for record in records))


def as_json(value: Any) -> str:
    """Numbers as they are written: 2 is not 2.0."""
    return _masked(json.dumps(value, ensure_ascii=False, sort_keys=False))


def _entry(found: dict[str, Any]) -> Entry:
    expected = Expected(
        json.loads(found.pop("result", "null")),
        found.pop("logs", []),
        found.pop("records", [] if "counts" not in found else None),
        found.pop("counts", None),
        found.pop("error", None),
    )
    sources: dict[Language, str] = {language: found.pop(language) for language in LANGUAGES}
    entry = Entry(found.pop("name"), sources, expected, found.pop("given", []), found.pop("differs", {}))
    assert not found, f"{entry.name}: {', '.join(found)}?"
    assert set(entry.differs) <= {*LANGUAGES, "why"}
    assert bool(entry.differs) == bool(entry.differs.get("why"))
    return entry


def _call(box: Box, workspace: str, operation: str, arguments: dict[str, Any]) -> dict[str, Any]:
    caller = Caller(agent="tester", transport="test")
    call = Call(operation=operation, workspace=workspace, arguments=arguments, caller=caller)
    return box.app.dispatcher.submit(call, here=True).result()


def _records(box: Box, workspace: str) -> list[Record]:
    return box.app.dispatcher.ask(workspace, Caller(), lambda tx: list(tx.ledger.tail(0))).result()


def _without_source(envelope: Any) -> dict[str, Any]:
    said: dict[str, Any] = {**envelope, "ts": "*"}
    if said["data"]["topic"] == "code.call":
        return {**said, "body": "*", "attrs": "*"}
    if said["data"]["topic"] == "code.result" and said["attrs"]["status"] == "error":
        return {**said, "body": "*", "data": {**said["data"], "error": said["data"]["error"]["code"]}}
    return said


def _masked(text: str) -> str:
    return WORKSPACE.sub("corpus", MILLISECONDS.sub("*", CHANCE.sub("*", text)))
