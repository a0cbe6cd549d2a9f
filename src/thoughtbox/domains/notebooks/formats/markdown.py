"""A notebook as Markdown for people to read: headings, prose, code below its filename, outputs below their code.

What stands in an output is data: it is shown in a fence that it cannot close, or named, and never rendered.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from thoughtbox.domains.notebooks.formats.document import CellDoc, Document, OutputDoc
from thoughtbox.domains.notebooks.formats.fences import fence_for, left_open

_ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
"""How terminals are told to change colours; a traceback is full of it."""
_SHA256 = re.compile(r"[0-9a-f]{64}")
_TICKS = re.compile(r"`+")
_HTML = re.compile(r"<(?=[A-Za-z/!?])")

_IMAGES: Final = "image/"
_SHOWN_FIRST: Final = ("text/plain", "text/markdown", "text/latex", "application/json", "text/html")
"""What is shown of an output that comes in several media types."""


def write(document: Document, outputs: bool = True) -> str:
    """The notebook, with or without what its code has put out."""
    parts = [part for cell in document.cells for part in _cell(cell, outputs)]
    # A notebook of Jupyter has its title in the prose that it begins with.
    is_titled = any(cell.type == "title" for cell in document.cells) or "".join(parts[:1]).startswith("# ")
    return "\n\n".join(parts if is_titled else [_heading(document.name), *parts]) + "\n"


def _cell(cell: CellDoc, outputs: bool) -> Iterator[str]:
    match cell.type:
        case "title":
            yield _heading(cell.text)
        case "markdown":
            if cell.text.strip():
                # Prose that forgets to close a fence or a comment ends with its cell.
                end = left_open(cell.text)
                yield cell.text.strip("\r\n") + (f"\n{end}" if end else "")
        case _:
            yield f"**{_span(cell.filename)}**" if cell.filename else "**Code**"
            yield _fenced(cell.text, "json" if cell.type == "package.json" else cell.language or "")
            if outputs:
                for output in cell.outputs:
                    yield from _output(output)


def _output(output: OutputDoc) -> Iterator[str]:
    match output.kind:
        case "stream":
            yield "Output:" if output.name in ("stdout", "") else f"Output to {_span(output.name)}:"
            yield _fenced(_ANSI.sub("", output.text), "text")
        case "error":
            said = f"{output.ename}: {output.evalue}" if output.evalue else output.ename
            yield f"Error: {_span(said)}" if said.strip() else "Error:"
            if output.text:
                yield _fenced(_ANSI.sub("", output.text), "text")
        case _:
            yield "Result:" if output.kind == "result" else "Output:"
            yield from _data(output)


def _data(output: OutputDoc) -> Iterator[str]:
    """The images of an output, else one of its texts, else what there is."""
    other: Any = output.extra.get("data")
    data = {**(other if isinstance(other, dict) else {}), **output.data}
    images = sorted(mime for mime in data if mime.startswith(_IMAGES))
    sha256 = output.extra.get("sha256")
    if images and isinstance(sha256, str) and _SHA256.fullmatch(sha256):
        yield f"![output](thoughtbox://output/{sha256})"
        return
    shown = next((mime for mime in _SHOWN_FIRST if mime in data), None)
    named = images or ([] if shown else sorted(data))
    yield from (f"{_span(mime)}, {_size(mime, data[mime])}" for mime in named)
    if shown is not None and not images:
        content = data[shown]
        text = content if isinstance(content, str) else json.dumps(content, indent=2, ensure_ascii=False)
        yield _fenced(_ANSI.sub("", text), "text" if shown == "text/plain" else shown.partition("/")[2])


def _size(mime: str, content: Any) -> str:
    if not isinstance(content, str):
        content = json.dumps(content, ensure_ascii=False)
    if mime.startswith("text/") or "json" in mime or "xml" in mime:
        size = len(content.encode("utf-8", "replace"))
    else:
        # The rest is in base64: four characters stand for three bytes.
        size = len("".join(content.split()).rstrip("=")) * 3 // 4
    return "1 byte" if size == 1 else f"{size:,} bytes"


def _heading(text: str) -> str:
    return f"# {_HTML.sub('&lt;', ' '.join(text.split()))}".rstrip()


def _span(text: str) -> str:
    """A word or a line that is shown as it is, whatever stands in it."""
    line = " ".join(text.split()) or " "
    ticks = "`" * (1 + max([0, *map(len, _TICKS.findall(line))]))
    edge = " " if line[0] == "`" or line[-1] == "`" else ""
    return f"{ticks}{edge}{line}{edge}{ticks}"


def _fenced(text: str, info: str) -> str:
    fence = fence_for(text)
    return f"{fence}{info}\n{text.removesuffix(chr(10))}\n{fence}"
