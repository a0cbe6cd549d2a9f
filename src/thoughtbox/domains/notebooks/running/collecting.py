"""What a box says while a cell runs, put together: pieces in order, and how it has ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from thoughtbox.confinement.frames import Message
from thoughtbox.domains.notebooks.pieces import Piece
from thoughtbox.domains.notebooks.running.uncaught import uncaught

MOST_PIECES: Final = 1_000
TAIL_CHARS: Final = 2_000
_PLAIN: Final = "text/plain"
_MOST_NAMES: Final = 20
"""Forms of one thing that are kept."""
_LONGEST_NAME: Final = 200
_LONGEST_ERROR: Final = 400_000


class Collected:
    """Of one run."""

    def __init__(self, most_bytes: int) -> None:
        self.pieces: list[Piece] = []
        self.size = 0
        """Characters so far."""
        self.tail = ""
        """The end of what was printed."""
        self.is_cut = False
        self.raised: str | None = None
        self._most = most_bytes

    def take(self, message: Message) -> str:
        """Take in what was shown, and say what is news. A box may say anything: what is no output is passed over."""
        if isinstance(name := message.get("printed"), str) and isinstance(text := message.get("text"), str):
            return self._print("stderr" if name == "stderr" else "stdout", text)
        if isinstance(kind := message.get("shown"), str) and isinstance(data := message.get("data"), dict):
            return self._show("result" if kind == "result" else "display", data)
        if isinstance(name := message.get("raised"), str):
            value, trace = str(message.get("value") or ""), str(message.get("trace") or "")
            said = f"{name}: {value}\n{trace}"[:_LONGEST_ERROR] if trace else f"{name}: {value}"[:_LONGEST_ERROR]
            if self.raised is not None and not self._has_room(len(said)):
                return ""
            self.raised = said
            self._add(Piece("error", name, {_PLAIN: self.raised}))
            return f"{name}: {value}\n"
        return ""

    def part_uncaught(self) -> None:
        """Tell apart what a program of Node has printed itself, and the error that ended it."""
        last = max((place for place, piece in enumerate(self.pieces) if piece.name == "stderr"), default=None)
        found = uncaught(self.pieces[last].data[_PLAIN]) if last is not None and not self.is_cut else None
        if found is None or last is None:
            return
        printed = self.pieces.pop(last)
        if found.printed:
            self.pieces.insert(last, printed._replace(data={_PLAIN: found.printed}))
        self.raised = found.said[:_LONGEST_ERROR]
        self._add(Piece("error", found.name, {_PLAIN: self.raised}))

    def _print(self, name: str, text: str) -> str:
        last = self.pieces[-1] if self.pieces else None
        if not self._has_room(len(text)):
            return ""
        if last is not None and last.kind == "stream" and last.name == name:
            self.pieces[-1] = last._replace(data={_PLAIN: last.data[_PLAIN] + text})
        else:
            self._add(Piece("stream", name, {_PLAIN: text}))
        self.tail = (self.tail + text)[-TAIL_CHARS:]
        return text

    def _show(self, kind: str, data: Mapping[Any, Any]) -> str:
        texts = {mime: part for mime, part in data.items() if _is_name(mime) and isinstance(part, str)}
        if not self._has_room(sum(map(len, texts.values()))):
            return ""
        self._add(Piece(kind, data=dict(list(texts.items())[:_MOST_NAMES])))
        said = f"{texts[_PLAIN]}\n" if _PLAIN in texts else ""
        self.tail = (self.tail + said)[-TAIL_CHARS:]
        return said

    def _add(self, piece: Piece) -> None:
        if len(self.pieces) < MOST_PIECES:
            self.pieces.append(piece)
        else:
            self.is_cut = True

    def _has_room(self, length: int) -> bool:
        self.size += length
        if self.size <= self._most:
            return True
        self.is_cut = True
        return False


def _is_name(mime: Any) -> bool:
    return isinstance(mime, str) and len(mime) <= _LONGEST_NAME
