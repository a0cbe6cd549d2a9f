"""Lines that no client should send, made by chance from a seed. Each is owed exactly one answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from random import Random
from typing import Any

from tests.support.malformed import GOOD, nested

STRANGE: tuple[Any, ...] = (
    None,
    True,
    -1,
    0.5,
    2**64,
    10**40,
    "",
    "\0",
    "\u202e",
    "🧠" * 50,
    [],
    {},
    [[]],
    {"": {}},
    "id",
    "__proto__",
)


def lines(seed: int, count: int) -> Iterator[bytes]:
    """As many of them as wanted; the same ones for the same seed."""
    chance = Random(seed)
    made = 0
    while made < count:
        line = chance.choice(KINDS)(chance).replace(b"\n", b" ").replace(b"\r", b" ")
        if is_owed_an_answer(line):
            made += 1
            yield line


def is_owed_an_answer(line: bytes) -> bool:
    """Not what is blank, a notification, or itself an answer."""
    if not line.strip():
        return False
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return True
    if not isinstance(message, dict):
        return True
    return "id" in message and not {"result", "error"} & message.keys()


def _request(chance: Random) -> dict[str, Any]:
    name, arguments = chance.choice(
        [
            ("thought_record", dict(GOOD)),
            ("thought_tree", {"sessionId": "s1", "includeChildren": True}),
            ("thoughtbox_gateway", {"operation": "thought", "args": {"thought": "S1|O|x"}}),
            ("ledger_status", {}),
        ]
    )
    params = {"name": name, "arguments": arguments, "_meta": {"progressToken": 1, "thoughtbox/workspace": "fuzz"}}
    return {"jsonrpc": "2.0", "id": chance.randrange(10**6), "method": "tools/call", "params": params}


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Everything that can be replaced: its container and its key there."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in list(pairs):
        yield value, key
        yield from _places(part)


def _wrong_types(chance: Random) -> bytes:
    request = _request(chance)
    for _ in range(chance.randrange(1, 4)):
        container, key = chance.choice(list(_places(request)))
        container[key] = deepcopy(chance.choice(STRANGE))
    return json.dumps(request).encode()


def _missing_parts(chance: Random) -> bytes:
    request = _request(chance)
    container, key = chance.choice(list(_places(request)))
    del container[key]
    return json.dumps(request).encode()


def _broken_bytes(chance: Random) -> bytes:
    line = bytearray(json.dumps(_request(chance), ensure_ascii=False).encode())
    for _ in range(chance.randrange(1, 6)):
        line[chance.randrange(len(line))] = chance.randrange(256)
    return bytes(line)


def _cut_short(chance: Random) -> bytes:
    line = json.dumps(_request(chance)).encode()
    return line[: chance.randrange(1, len(line))]


def _deep(chance: Random) -> bytes:
    levels = int(10 ** chance.uniform(1, 5))
    request = _request(chance)
    request["params"]["arguments"]["content"] = "HERE"
    return json.dumps(request).encode().replace(b'"HERE"', nested(levels).encode())


def _long(chance: Random) -> bytes:
    """A string of some megabytes before the id, or behind it."""
    request = _request(chance)
    request["params"]["arguments"]["content"] = "é" * int(10 ** chance.uniform(5, 6.7))
    pairs = list(request.items())
    chance.shuffle(pairs)
    return json.dumps(dict(pairs), ensure_ascii=chance.random() < 0.5).encode()


def _batch(chance: Random) -> bytes:
    return json.dumps([_request(chance) for _ in range(chance.randrange(30))]).encode()


def _noise(chance: Random) -> bytes:
    return chance.randbytes(chance.randrange(1, 2_000))


KINDS: tuple[Callable[[Random], bytes], ...] = (
    *[_wrong_types] * 6,
    *[_broken_bytes] * 4,
    *[_cut_short] * 2,
    *[_missing_parts] * 2,
    _deep,
    _batch,
    _noise,
    _long,
)
