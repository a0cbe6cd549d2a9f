"""How the memory room hashes and signs: the specification's own vectors, and ECMAScript itself as the judge."""

from __future__ import annotations

import json
import subprocess
from random import Random
from typing import Any

import pytest

from tests.support.clients import NODE
from tests.support.forks import PATIENCE
from thoughtbox.domains.memory.hashing import DEEPEST, canonical, digest, is_signed, sign

INPUT = "af062acbe3e64aa039672b0bc0197abeb443bf0cc9685e7d96ea67d18afdb7d7"
OUTPUT = "1aad36b0fb02621b951649811957ba7ad67d4838c2932d02088f7d6e8db74313"
LINK = "f42a5f0b1d64de3291386d5119da0331827842792d49b965743d45008ce6f214"
CELL = "03067815e9b706873417ed2c6ac87902177c3cfbb479f37288ffa7ab20085909"

JUDGE = """
const sorted = value => Array.isArray(value) ? value.map(sorted)
  : value && typeof value === "object"
    ? Object.keys(value).sort().map(key => [key, sorted(value[key])])
    : typeof value === "string" ? value.replace(/\\r\\n?/g, "\\n") : value;
// Integer-like keys come first in any object, so that the text is put together by hand.
const written = value => Array.isArray(value) ? "[" + value.map(written).join(",") + "]"
  : value && typeof value === "object"
    ? "{" + Object.keys(value).sort().map(key =>
        JSON.stringify(key.replace(/\\r\\n?/g, "\\n")) + ":" + written(value[key])).join(",") + "}"
    : JSON.stringify(sorted(value));
const values = JSON.parse(require("fs").readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(values.map(written)));
"""


def test_the_specifications_vectors_hold():
    assert digest({"action": "test"}) == INPUT
    assert digest({"result": "ok"}) == OUTPUT
    link = {"tool_name": "demo_tool", "input_hash": INPUT, "output_hash": OUTPUT, "ts": "2026-01-15T12:00:00.000Z"}
    assert digest({**link, "prev_hash": None}) == LINK
    assert digest({"scene_id": 1, "cell_type": "fact", "title": "system is initialized"}) == CELL


def test_it_writes_what_ecmascript_writes():
    values = [*ODD, *(_value(Random(seed), 4) for seed in range(400))]
    judged = subprocess.run(
        [NODE / "node", "-e", JUDGE],
        input=json.dumps(values),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=True,
    )

    assert [canonical(value) for value in values] == json.loads(judged.stdout)


def test_what_is_no_number_is_null_and_line_ends_are_one():
    assert canonical([float("nan"), float("inf"), 10**400, "a\r\nb\rc"]) == '[null,null,null,"a\\nb\\nc"]'


def test_what_json_does_not_have_and_what_is_too_deep_is_refused():
    with pytest.raises(TypeError):
        canonical({1, 2})
    deep: Any = None
    for _ in range(DEEPEST + 1):
        deep = [deep]
    with pytest.raises(ValueError, match="levels deep"):
        canonical(deep)


@pytest.mark.parametrize("bad", [None, 7, "", "zz" * 32, "é" * 64, "\ud800", b"bytes", [], "0" * 64])
def test_a_bad_signature_is_just_not_one(bad: object):
    assert not is_signed(b"k" * 32, "text", bad)
    assert is_signed(b"k" * 32, "text", sign(b"k" * 32, "text"))


ODD: list[Any] = [
    *(1.0, -0.0, 1e-7, 1.5e-7, 1e-6, 1e20, 1e21, 1.25e30, 5e-324, 1.7976931348623157e308, 2**53, 2**53 + 1, 10**25),
    {"\U00010000": 1, "\uffff": 2, "é": 3, "10": 4, "9": 5, "": 6},
    "\u2028 \u2029 \x7f \x00 \x1f \ud800 \udc00x \U0001f600 \\ / \" '",
    {"a\r": "b\r\n"},
]


def _value(chance: Random, depth: int) -> Any:
    kind = chance.randrange(8 if depth else 6)
    if kind == 0:
        return chance.choice([None, True, False])
    if kind == 1:
        return chance.randrange(-(2**53), 2**53)
    if kind in (2, 3):
        return chance.uniform(-10, 10) * 10 ** chance.randrange(-30, 30)
    if kind in (4, 5):
        return "".join(chr(chance.choice([chance.randrange(128), chance.randrange(0xD800)])) for _ in range(6))
    members = range(chance.randrange(5))
    if kind == 6:
        return [_value(chance, depth - 1) for _ in members]
    return {chr(chance.choice([*range(48, 123), 0xE9, 0x20AC, 0x1F600])): _value(chance, depth - 1) for _ in members}
