"""A snippet's source as the engine gets it: what a model writes, and a few calls of the prelude put in between.

Three things the engine cannot do by itself:

- An exception carries one string. `except … as e:` is followed by `e = _tb_caught(e)`, which gives it the fields of
  an error that the host has sent; what is raised goes through `_tb_raised(…)`, which takes them off again.
- What is not plain data leaves the sandbox as text. The last expression, and what is returned, goes through
  `_tb_result(…)`, which remembers it, so that it can be looked at again where it is.
- Calls are not awaited here. `await tb.…` is taken for what it means.

Done token by token, so that strings and comments stay what they are. What does not look right goes on unchanged:
the engine's own message about it is the better one.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

CAUGHT, RAISED, RESULT = "_tb_caught", "_tb_raised", "_tb_result"

_BRACES = r"""\{(?:[^{}"'\n]|"[^"\n]*"|'[^'\n]*'|\{[^{}\n]*\})*+\}"""
_TOKENS = re.compile(
    r"""
    (?: (?!(?:as|await|from|raise|return)\b) \w++ | [ \t.,+*/%&|^@~-]++ )*+   # goes by in one piece
    (?: (?P<open> [(\[{] )
      | (?P<close> [)\]}] )
      | (?P<newline> \n )
      | (?P<mark> (?:as|from|raise|return)\b | [=!<>]= | := | [=:;] )
      | (?P<awaited> await[ \t]+(?=tb\b) )
      | (?P<skip> \#[^\n]*+
                | \"\"\"[^"\\]*+(?:(?:\\.|"(?!""))[^"\\]*+)*+\"\"\"
                | \'\'\'[^'\\]*+(?:(?:\\.|'(?!''))[^'\\]*+)*+\'\'\'
                | (?:(?<=[fFtT])|(?<=[fFtT][rR]))    # an f-string, which may have its own quotes in its braces
                  (?:"(?:[^"\\{\n]|\\.|\{\{|BRACES)*+"|'(?:[^'\\{\n]|\\.|\{\{|BRACES)*+')
                | "(?:[^"\\\n]|\\.)*+"
                | '(?:[^'\\\n]|\\.)*+'
                | \\\r?\n
                | await\b )
      | (?P<stray> ["'] )
      | )  # nothing: what goes by must not be looked at again, once for each of its letters
    """.replace("BRACES", _BRACES),
    re.VERBOSE | re.DOTALL,
)
_NAME = re.compile(r"[^\W\d]\w*")
_WORD = re.compile(r"\s*(\w*)")
_DEFINITION = re.compile(r"(?:async\s+)?def\b")
_COMPARED = ("==", "!=", "<=", ">=")

_COMPOUND = frozenset(
    ["async", "class", "def", "elif", "else", "except", "finally", "for", "if", "try", "while", "with"]
)
_SIMPLE = frozenset(
    ["assert", "break", "continue", "del", "from", "global", "import", "nonlocal", "pass", "raise", "return", "yield"]
)


class Mark(NamedTuple):
    """A word or sign outside of all brackets that decides what a line is."""

    text: str
    start: int
    end: int


class Line(NamedTuple):
    """One logical line: from its first character to the end of its code."""

    begins: int
    """Where the physical line begins that it starts on."""
    start: int
    end: int
    marks: list[Mark]

    @property
    def indent(self) -> int:
        return self.start - self.begins


class Rewritten(NamedTuple):
    """The source for the engine, and the way back to what was written."""

    code: str
    added: Sequence[int] = ()
    """The numbers of lines that the snippet does not have."""
    is_unread: bool = False
    """Whether the source could not be followed to its end, and is unchanged."""

    def line_of(self, number: int) -> int:
        """The line as written for one of the rewritten source."""
        return number - bisect_left(self.added, number)


class _Edit(NamedTuple):
    at: int
    removed: int
    text: str


def rewritten(code: str) -> Rewritten:
    scanned = _scanned(code)
    if scanned is None:
        return Rewritten(code, is_unread=True)
    lines, edits = scanned
    if "except" in code:
        edits += _handlers(code, lines)
    if "return" in code:
        edits += _returns(code, lines)
    edits += _last(code, lines)
    return _applied(code, edits)


def _scanned(code: str) -> tuple[list[Line], list[_Edit]] | None:
    """The logical lines, and the awaits to be taken out; None when the source is not in order."""
    lines: list[Line] = []
    awaits: list[_Edit] = []
    marks: list[Mark] = []
    begins, comment, depth = 0, None, 0
    for token in _TOKENS.finditer(code):
        kind = token.lastgroup
        if kind is None:
            continue
        start, end = token.span(kind)
        if kind == "open":
            depth += 1
        elif kind == "close":
            depth -= 1
        elif kind == "awaited":
            awaits.append(_Edit(start, end - start, ""))
        elif kind == "stray":
            return None
        elif depth:
            continue
        elif kind == "mark":
            marks.append(Mark(code[start:end], start, end))
        elif kind == "newline":
            _add_line(lines, code, begins, start if comment is None else comment, marks)
            begins, comment, marks = end, None, []
        elif code[start] == "#":
            comment = start
    if depth:
        return None
    _add_line(lines, code, begins, len(code) if comment is None else comment, marks)
    return lines, awaits


def _add_line(lines: list[Line], code: str, begins: int, ends: int, marks: list[Mark]) -> None:
    """The logical line between two places, if it has any code."""
    text = code[begins:ends]
    body = text.lstrip()
    if body:
        lines.append(Line(begins, ends - len(body), begins + len(text.rstrip()), marks))


def _handlers(code: str, lines: list[Line]) -> Iterator[_Edit]:
    """Give caught errors their fields, and take them off again what is raised."""
    bound = False
    for line, following in zip(lines, [*lines[1:], None], strict=True):
        if not code.startswith("except", line.start):
            continue
        header = _header(code, line)
        if header is None:
            continue
        name, colon = header
        bound = True
        if code[colon : line.end].strip():
            yield _Edit(colon, 0, f" {name} = {CAUGHT}({name});")
        elif following is not None and following.indent > line.indent:
            indent = code[following.begins : following.start]
            yield _Edit(following.begins, 0, f"{indent}{name} = {CAUGHT}({name})\n")
    if bound:
        for line in lines:
            yield from _raises(code, line)


def _header(code: str, line: Line) -> tuple[str, int] | None:
    """The name that a handler binds, and where its colon ends."""
    named = next((mark for mark in line.marks if mark.text == "as"), None)
    if named is None:
        return None
    colon = next((mark for mark in line.marks if mark.text == ":" and mark.start > named.start), None)
    if colon is None:
        return None
    name = code[named.end : colon.start].strip()
    return (name, colon.end) if _NAME.fullmatch(name) else None


def _raises(code: str, line: Line) -> Iterator[_Edit]:
    for place, mark in enumerate(line.marks):
        if mark.text != "raise":
            continue
        next_place, stop = _following(line, place, {"from", ";"})
        yield from _wrapped(code, mark.end, stop.start, RAISED)
        if stop.text == "from":
            _, end = _following(line, next_place, {";"})
            yield from _wrapped(code, stop.end, end.start, RAISED)


def _following(line: Line, place: int, texts: set[str]) -> tuple[int, Mark]:
    """The next mark of these behind a place, or the end of the line."""
    for later in range(place + 1, len(line.marks)):
        if line.marks[later].text in texts:
            return later, line.marks[later]
    return len(line.marks), Mark("", line.end, line.end)


def _returns(code: str, lines: list[Line]) -> Iterator[_Edit]:
    """What is returned outside of all functions."""
    functions: list[int] = []
    for line in lines:
        while functions and line.indent <= functions[-1]:
            functions.pop()
        if _DEFINITION.match(code, line.start):
            functions.append(line.indent)
        if functions:
            continue
        for place, mark in enumerate(line.marks):
            if mark.text == "return":
                _, end = _following(line, place, {";"})
                yield from _wrapped(code, mark.end, end.start, RESULT)


def _last(code: str, lines: list[Line]) -> Iterator[_Edit]:
    """The last line's value, if it is one."""
    if not lines or lines[-1].indent:
        return
    line = lines[-1]
    if _word(code, line.start) in _COMPOUND or code[line.start] == "@":
        return
    end = line.start + len(code[line.start : line.end].rstrip(" \t;"))
    before = [mark.end for mark in line.marks if mark.text == ";" and mark.end <= end]
    start = before[-1] if before else line.start
    decisive = (mark for mark in line.marks if start <= mark.start < end and mark.text not in _COMPARED)
    if _word(code, start) not in _SIMPLE and not any(decisive):
        yield from _wrapped(code, start, end, RESULT)


def _word(code: str, at: int) -> str:
    found = _WORD.match(code, at)
    return found[1] if found else ""


def _wrapped(code: str, start: int, end: int, function: str) -> Iterator[_Edit]:
    """The expression between two places as an argument; none where there is only white space."""
    text = code[start:end]
    if not text.strip():
        return
    yield _Edit(start + len(text) - len(text.lstrip()), 0, f"{function}((")
    yield _Edit(start + len(text.rstrip()), 0, "))")


def _applied(code: str, edits: list[_Edit]) -> Rewritten:
    pieces: list[str] = []
    added: list[int] = []
    done, line = 0, 1
    for edit in sorted(edits, key=lambda edit: edit.at):
        kept = code[done : edit.at]
        line += kept.count("\n")
        pieces += [kept, edit.text]
        done = max(done, edit.at + edit.removed)
        if edit.text.endswith("\n"):
            added.append(line)
            line += 1
    return Rewritten("".join([*pieces, code[done:]]), added)
