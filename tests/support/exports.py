"""Exports made by hand: whatever records somebody thinks of, with hashes, heads and a trailer that fit them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from thoughtbox.ledger.canonical import canonical
from thoughtbox.ledger.checkpoints import origin
from thoughtbox.ledger.merkle import Frontier
from thoughtbox.ledger.signing import Checkpoint, SigningKey

KEY = SigningKey.generate("thoughtbox", b"k" * 32)


class Placed(NamedTuple):
    """A record, and the stream it stands in."""

    stream: str
    envelope: dict[str, Any]


def records_in(lines: Sequence[bytes]) -> list[Placed]:
    """The records of an export."""
    found = [json.loads(line) for line in lines if line.startswith(b'{"seq":')]
    return [Placed(line["stream"], line["record"]) for line in found]


def export_of(records: Sequence[Placed], workspace: str) -> list[bytes]:
    """An export of these records in this order. Checkpoints are signed anew, by a key of our own."""
    lines = [_spelled({"format": "thoughtbox-export", "version": 1, "workspace": workspace})]
    heads: dict[str, tuple[int, bytes]] = {}
    tree, note = Frontier(), None
    for seq, (stream, envelope) in enumerate(records, 1):
        if _is_checkpoint(envelope):
            envelope = _signed_anew(envelope, tree, heads, workspace)
            note = envelope["data"]["note"]
        content = canonical(envelope)
        content_hash = sha256(content).digest()
        genesis = sha256(b"\n".join((b"thoughtbox/stream/v1", workspace.encode(), stream.encode()))).digest()
        length, previous = heads.get(stream, (0, genesis))
        linked = sha256(previous + content_hash).digest()
        place = {
            "seq": seq,
            "stream": stream,
            "index": length,
            "contentHash": content_hash.hex(),
            "hash": linked.hex(),
        }
        lines.append(_spelled(place)[:-1] + b',"record":' + content + b"}")
        heads[stream] = (length + 1, linked)
        tree.add(linked)
    for stream, (length, head) in sorted(heads.items(), key=lambda one: one[0].encode()):
        lines.append(_spelled({"stream": stream, "length": length, "head": head.hex()}))
    digest = sha256(b"".join(line + b"\n" for line in lines)).hexdigest()
    trailer = {"records": len(records), "streams": len(heads), "root": tree.root().hex(), "checkpoint": note}
    return [*lines, _spelled({**trailer, "digest": digest})]


def _is_checkpoint(envelope: dict[str, Any]) -> bool:
    data = envelope.get("data")
    return isinstance(data, dict) and data.get("topic") == "ledger.checkpoint" and isinstance(data.get("note"), str)


def _signed_anew(
    envelope: dict[str, Any], tree: Frontier, heads: dict[str, tuple[int, bytes]], workspace: str
) -> dict[str, Any]:
    """A checkpoint of what stands before it now. What else it says stays, unless it was right before."""
    signed = Checkpoint(origin(workspace), tree.size, tree.root())
    data: dict[str, Any] = {**envelope["data"], "note": KEY.sign(signed), "key": str(KEY.verifier_key)}
    if type(data.get("size")) is int:
        data["size"] = signed.size
    if isinstance(data.get("heads"), list):
        data["heads"] = [_head_anew(head, heads) for head in data["heads"]]
    return {**envelope, "attrs": {"stateHash": signed.root.hex()}, "data": data}


def _head_anew(head: Any, heads: dict[str, tuple[int, bytes]]) -> Any:
    if not (isinstance(head, list) and len(head) == 3 and isinstance(head[0], str) and head[0] in heads):
        return head
    length, hash = heads[head[0]]
    return [head[0], length, hash.hex()]


def _spelled(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
