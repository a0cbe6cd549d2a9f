"""Messages that are none, or that ask for the impossible. Each is answered with an error, and changes nothing."""

from __future__ import annotations

import json
from typing import Any


def call(arguments: Any, id: Any = 7, **more: Any) -> bytes:
    """A call that would write, if it were well formed."""
    params = {"name": "thought_record", "arguments": arguments, **more}
    return json.dumps({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).encode()


def with_content(literal: str) -> bytes:
    """A call whose content is this piece of JSON, as it stands."""
    arguments = {"sessionId": "s1", "thoughtType": "note", "content": "HERE"}
    return call(arguments).replace(b'"HERE"', literal.encode("utf-8", "surrogatepass"))


def nested(levels: int) -> str:
    return '{"a":' * (levels // 2) + "[" * (levels // 2) + "]" * (levels // 2) + "}" * (levels // 2)


NOT_JSON = {
    "garbage": b"\x00\x01\xfe\xff GET / HTTP/1.1",
    "half an object": b'{"jsonrpc":"2.0","id":7,"method":"ping"',
    "invalid UTF-8": b'{"jsonrpc":"2.0","id":7,"method":"\xc3\x28"}',
    "UTF-16": '{"jsonrpc":"2.0","id":7,"method":"ping"}'.encode("utf-16"),
    "a surrogate in UTF-8": with_content('"\ud83d"'),
    "10,000 levels": with_content(nested(10_000)),
    "100,000 levels": with_content(nested(100_000)),
    "a number of 10,000 digits": with_content("9" * 10_000),
}
"""Cannot be read: a parse error."""

NOT_MESSAGES = {
    "a number": b"1",
    "a text": b'"ping"',
    "null": b"null",
    "an empty object": b"{}",
    "an empty batch": b"[]",
    "a batch": b'[{"jsonrpc":"2.0","id":7,"method":"ping"},{"jsonrpc":"2.0","id":8,"method":"ping"}]',
    "no version": b'{"id":7,"method":"ping"}',
    "another version": b'{"jsonrpc":"1.0","id":7,"method":"ping"}',
    "no method": b'{"jsonrpc":"2.0","id":7}',
    "a method that is a number": b'{"jsonrpc":"2.0","id":7,"method":5}',
    "an id that is an object": b'{"jsonrpc":"2.0","id":{},"method":"ping"}',
    "an id that is a list": b'{"jsonrpc":"2.0","id":[7],"method":"ping"}',
    "an id that is a fraction": b'{"jsonrpc":"2.0","id":7.5,"method":"ping"}',
    "params that are a list": b'{"jsonrpc":"2.0","id":7,"method":"ping","params":[1]}',
    "params that are a text": b'{"jsonrpc":"2.0","id":7,"method":"ping","params":"x"}',
}
"""JSON, but no request: an invalid request."""

NOT_REQUESTS = {
    "an unknown method": b'{"jsonrpc":"2.0","id":7,"method":"no/such/method"}',
    "a method of servers": b'{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{}}',
    "no tool named": b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{}}',
    "a tool that is a number": b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":5}}',
    "an unknown tool": b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"rm -rf"}}',
    "arguments that are a list": call([]),
    "arguments that are a text": call("x"),
    "an address that is a number": b'{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":5}}',
    "an address that is none": b'{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"%%%"}}',
    "a cursor that is a number": b'{"jsonrpc":"2.0","id":7,"method":"resources/list","params":{"cursor":5}}',
}
"""Requests that cannot be served: an error of the protocol, under their id."""

GOOD = {"sessionId": "s1", "thoughtType": "note", "content": "x"}

REFUSED_CALLS = {
    "a NUL in the text": call({**GOOD, "content": "a\0b"}),
    "a NUL in a name": call({**GOOD, "sessionId": "a\0b"}),
    "a control character in a name": call({**GOOD, "sessionId": "a\x1bb"}),
    "nothing but white space": call({**GOOD, "content": " \n\t "}),
    "a text of 1,000,001 characters": call({**GOOD, "content": "x" * 1_000_001}),
    "a name of 257 characters": call({**GOOD, "sessionId": "x" * 257}),
    "100 levels": with_content(nested(100)),
    "not a number": with_content("NaN"),
    "infinity": with_content("-Infinity"),
    "a number beyond all floats": with_content("1e999"),
    "a number of 4,000 digits": with_content("9" * 4_000),
    "half of a surrogate pair": with_content(r'"\ud83d"'),
    "an unknown argument": call({**GOOD, "extra": 1}),
    "an argument spelled as in Python": call({**GOOD, "session_id": "s1"}),
    "an argument twice": with_content('"a", "content": 5'),
    "a workspace that is a number": call(GOOD, _meta={"thoughtbox/workspace": 5}),
    "a workspace outside": call(GOOD, _meta={"thoughtbox/workspace": "../../etc"}),
    "a workspace without a name": call(GOOD, _meta={"thoughtbox/workspace": ""}),
    "a workspace with a NUL": call(GOOD, _meta={"thoughtbox/workspace": "a\0"}),
    "a key that is a list": call(GOOD, _meta={"thoughtbox/idempotencyKey": []}),
    "an empty key": call(GOOD, _meta={"thoughtbox/idempotencyKey": ""}),
    "a key with a NUL": call(GOOD, _meta={"thoughtbox/idempotencyKey": "a\0"}),
    "a key of 257 characters": call(GOOD, _meta={"thoughtbox/idempotencyKey": "x" * 257}),
    "a write in the past": call(GOOD, _meta={"thoughtbox/asOf": 1}),
    "a past that is a text": call(GOOD, _meta={"thoughtbox/asOf": "yesterday"}),
    "a past that is a yes": call(GOOD, _meta={"thoughtbox/asOf": True}),
}
"""Calls that the operation refuses: an answer that says what is wrong."""
