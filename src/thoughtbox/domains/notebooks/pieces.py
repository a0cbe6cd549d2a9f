"""What was shown: pieces in order, each in one form or several, kept by their hashes. Pure logic."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final, NamedTuple

import orjson

from thoughtbox.operations import redacted

LONGEST_SHOWN: Final = 10_000
"""Characters of an output that stand in an answer; all of it is a resource."""
LARGEST_INSIDE: Final = 16_384
"""Bytes of an output that is kept in the record of its run's end."""
MOST_INSIDE: Final = 131_072
"""Bytes of all of them together."""
BINARY: Final = ("image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf", "audio/", "video/")
_COLOUR: Final = re.compile(r"\x1b\[[0-9;]*m")


class Content(NamedTuple):
    """Something that was shown."""

    mime: str
    content: str
    """Text, or base64 where it is none."""

    @property
    def is_binary(self) -> bool:
        return self.mime.startswith(BINARY)

    @property
    def raw(self) -> bytes:
        if not self.is_binary:
            return self.content.encode()
        try:
            return base64.b64decode(self.content, validate=False)
        except ValueError:
            return self.content.encode()

    @property
    def sha256(self) -> str:
        return sha256(self.raw).hexdigest()

    def kept(self) -> dict[str, Any]:
        """As a record has it."""
        encoding = "base64" if self.is_binary else "utf-8"
        return {"mime": self.mime, "size": len(self.raw), "encoding": encoding, "content": self.content}


class Piece(NamedTuple):
    """One thing after the other, as a run showed them."""

    kind: str
    """stream, display, result or error."""
    name: str = ""
    """Of a stream: stdout or stderr. Of an error: its name."""
    data: Mapping[str, str] = {}
    """By mime type; of a stream and an error its text alone."""

    def contents(self) -> Iterator[Content]:
        return (Content(mime, content) for mime, content in self.data.items())


class Kept(NamedTuple):
    """What a run has shown, ready to be written: large things apart."""

    parts: list[dict[str, Any]]
    inside: dict[str, dict[str, Any]]
    apart: dict[str, dict[str, Any]]


def kept(pieces: Sequence[Piece]) -> Kept:
    """Pieces as records keep them. Secrets in texts are not."""
    found = Kept([], {}, {})
    room = MOST_INSIDE
    for piece in pieces:
        hashes: dict[str, str] = {}
        for content in piece.contents():
            if not content.is_binary:
                content = content._replace(content=redacted(content.content))
            hashes[content.mime] = digest = content.sha256
            if digest in found.inside or digest in found.apart:
                continue
            size = len(content.content)
            if size <= min(LARGEST_INSIDE, room):
                found.inside[digest] = content.kept()
                room -= size
            else:
                found.apart[digest] = content.kept()
        found.parts.append({"kind": piece.kind, "name": piece.name, "data": hashes})
    return found


def printed(pieces: Sequence[Piece]) -> str:
    """All that was printed, and what results look like as text."""
    said: list[str] = []
    for piece in pieces:
        if piece.kind == "stream" and piece.name == "stdout":
            said.append(piece.data.get("text/plain", ""))
        elif piece.kind in ("display", "result") and "text/plain" in piece.data:
            said.append(f"{piece.data['text/plain']}\n")
    return "".join(said)


def cut(text: str) -> str:
    """The beginning and the end of a text that is too long for an answer."""
    if len(text) <= LONGEST_SHOWN:
        return text
    half = LONGEST_SHOWN // 2
    return f"{text[:half]}\n… {len(text) - 2 * half} characters …\n{text[-half:]}"


def brought(shown: str) -> list[Piece]:
    """What the file of a notebook had as the outputs of a cell, from the JSON that is kept of it."""
    return [_brought(output) for output in orjson.loads(shown)]


def _brought(output: Mapping[str, Any]) -> Piece:
    """Traces of Jupyter are coloured for a terminal."""
    match output["kind"]:
        case "stream":
            return Piece("stream", output["name"], {"text/plain": output["text"]})
        case "error":
            said = f"{output['ename']}: {output['evalue']}\n{output['text']}".rstrip()
            return Piece("error", output["ename"], {"text/plain": _COLOUR.sub("", said)})
        case kind:
            return Piece(kind, data=output["data"])
