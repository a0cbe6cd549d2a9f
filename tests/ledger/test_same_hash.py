"""The same content has the same hash: in every process, in whatever order its parts came, and nothing else has it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import unicodedata
from typing import Any

import pytest

from tests.support.box import Box
from thoughtbox.errors import ThoughtboxError

CONTENT = {
    "id": "th:1",
    "ts": "2026-01-01T00:00:00.000Z",
    "body": {"text": "ﬁ é e\u0301 😀 \u2028 \x7f", "metrics": {"b": -0.0, "a": 1e-7, "c": 2**53, "ü": 0.1}},
    "data": {"😀": 1, "\ufb01": 2, "é": 3, "B": 4, "a": [True, None, 1.0]},
}
CONTENT_HASH = "7aea5aae8915be720ea9e70f4fa35a5df6ecfc1aec2539253884bf38e287a5e5"
LINKED = "2f8a0b6500d8d8be9e00d067776b981a2fe9d1571304d7425960da1a2ed304a0"
PROGRAM = """
import json, sys
from thoughtbox.ledger.canonical import canonical
from thoughtbox.ledger.chain import content_hash, genesis, link
value = json.loads(sys.stdin.buffer.read())
hashed = content_hash(canonical(value))
print(hashed.hex(), link(genesis("w", "s"), hashed).hex())
"""


def hashes_of(text: str, **variables: str) -> str:
    environment = {**os.environ, **variables}
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, input=text.encode(), capture_output=True, env=environment, check=True)
    return done.stdout.decode().strip()


def backward(value: Any) -> Any:
    """The same, with the members of every object in another order."""
    if isinstance(value, dict):
        return {name: backward(part) for name, part in reversed(value.items())}
    return [backward(part) for part in value] if isinstance(value, list) else value


def test_a_hash_is_the_same_in_every_process_and_in_every_order():
    found = {
        hashes_of(json.dumps(value, ensure_ascii=ascii_only), PYTHONHASHSEED=seed, LC_ALL=locale, PYTHONUTF8=utf8)
        for value in (CONTENT, backward(CONTENT))
        for ascii_only, seed, locale, utf8 in ((True, "1", "C", "0"), (False, "2", "C.UTF-8", "1"))
    }

    assert found == {f"{CONTENT_HASH} {LINKED}"}


def test_text_that_looks_the_same_and_is_not_has_another_hash():
    box = Box()
    composed = unicodedata.normalize("NFC", "né")
    decomposed = unicodedata.normalize("NFD", "né")
    ids = [
        box.thought_record(sessionId=name, thoughtType="note", content=text)["thought"]["thoughtId"]
        for name, text in (("a", composed), ("b", decomposed))
    ]
    texts = [box.ledger_record(id=id)["record"]["body"]["text"] for id in ids]
    box.close()
    assert texts == [composed, decomposed], "neither is made into the other"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 2**53 + 1, "\ud800", "a\0b", {"\udfff": 1}])
def test_what_has_no_one_spelling_is_refused_before_anything_is_written(value: Any):
    box = Box()
    with pytest.raises(ThoughtboxError):
        box.call("thought_plan", {"sessionId": "s", "planDescription": "p", "actionId": value})
    with pytest.raises(ThoughtboxError):
        box.call("thought_plan", {"sessionId": "s", "planDescription": value})
    assert box.ledger_status()["records"] == 0
    box.close()
