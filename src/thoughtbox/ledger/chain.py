"""How one record holds on to the one before it.

`content_hash = SHA-256(canonical bytes)`, `hash = SHA-256(prev_hash ‖ content_hash)`.
The first `prev_hash` of a stream covers its workspace and its name, so that a chain
cannot be moved.
"""

from __future__ import annotations

from hashlib import sha256

LABEL = b"thoughtbox/stream/v1"


def genesis(workspace: str, stream: str) -> bytes:
    """What the first record of a stream is linked to."""
    return sha256(b"\n".join((LABEL, workspace.encode(), stream.encode()))).digest()


def content_hash(content: bytes) -> bytes:
    return sha256(content).digest()


def link(previous: bytes, content_hash: bytes) -> bytes:
    return sha256(previous + content_hash).digest()
