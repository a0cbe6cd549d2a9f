"""The cipher: steps of reasoning in a short notation, read without a model (spec 1, Cipher Protocol).

A thought's text is lines. A line is a step, such as `S3|E|S2|Logs show 2 s per query`, or plain text.
Nothing is lost: the lines make the text again, and what a step was written with makes its line again.
Any text is read, in linear time. `docs/cipher.md` has the grammar, `meaning.py` what a step becomes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple, get_args

Marker = Literal["H", "E", "C", "Q", "R", "P", "O", "A", "X"]
MARKERS: tuple[Marker, ...] = get_args(Marker)

OPERATORS: Mapping[str, str] = {
    "→": "leads to",
    "←": "derived from",
    "∴": "therefore",
    "∵": "because",
    "∧": "and",
    "∨": "or",
    "¬": "not",
    "⊕": "supports",
    "⊖": "contradicts",
    "≈": "about equal to",
    "≠": "differs from",
}
"""What is an operator in content. `>`, `<`, `?` and `!` are too common in prose to be more than text."""

CONFIDENCE: Mapping[str, float] = {"(!)": 0.9, "(~)": 0.6, "(?)": 0.3}

MOST_DIGITS = 15
"""Of a thought's number: what every JSON reader can hold."""

_BLANKS = " \t"
_LETTERS = "S" + "".join(MARKERS)
_DIGITS = rf"[0-9]{{1,{MOST_DIGITS}}}+"
# Quantifiers over blanks and digits are possessive: nothing is tried twice, so no text takes long.
_LINE = re.compile(r"[^\n]*+\n|[^\n]++")
_NUMBER = re.compile(rf"S?+({_DIGITS})")
_LOOKS_LIKE_A_STEP = re.compile(r"[ \t]*+(?:[Ss][0-9]++[ \t]*+\||[0-9]++[ \t]*+\|[ \t]*+[A-Za-z][ \t]*+(?:\||\Z))")
_LOOKS_LIKE_REFERENCES = re.compile(r"[ \t]*+[\^+×⊕⊖→←∵]?\[?(?:[a-z0-9-]{1,64}+:)?+S[0-9]")
_SIGN = r"(?:([\^+×])|([⊕⊖→←∵])[ \t]?)?"
_MAYBE_SIGN = re.compile(_SIGN)
_ON_LINE = r"(?:([a-z0-9-]{1,64}+):)?+"
_MENTION = re.compile(
    _SIGN + rf"(?:\[(?=[ \t]*+{_ON_LINE}[{_LETTERS}][0-9])|(?<![A-Za-z0-9:/.\[-])(?=[a-z0-9-]{{1,64}}+:S[0-9]))"
)
_RANGE = re.compile(rf"{_ON_LINE}([{_LETTERS}])({_DIGITS})(?:[ \t]*+[-–][ \t]*+\2?({_DIGITS}))?+(?![0-9])")
_SPACE = re.compile(r"[ \t]*+")
_COMMA_OR_CLOSING = re.compile(r"[ \t]*+([,\]])")
_SEPARATOR = re.compile(r"[ \t]*+,?+[ \t]*+")
_OPERATOR = re.compile(f"[{''.join(OPERATORS)}]")
_CONFIDENCE = re.compile(r"\((?:[!~?]|p ?= ?([^()]{1,20}))\)")
_LONGEST_CONFIDENCE = len("(p = )") + 20
_PROBABILITY = re.compile(r"0?\.[0-9]{1,15}|[01](?:\.0{0,15})?")


@dataclass(frozen=True, slots=True)
class Reference:
    """The thoughts that one `S1`, `[S1-S3]`, `[H1]` or `alt:S4` names, and the sign before it."""

    first: int
    last: int
    sign: str = ""
    marker: Marker | None = None
    """What the thoughts have to be, as in `[H1]`."""
    line: str | None = None
    """The branch whose thoughts are meant, as in `alt:S4`; `main` is the main line."""

    def __len__(self) -> int:
        return self.last - self.first + 1

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.first, self.last + 1))


class Operator(NamedTuple):
    """A logical operator, and where in the content it stands."""

    symbol: str
    at: int

    @property
    def meaning(self) -> str:
        return OPERATORS[self.symbol]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A line of cipher."""

    number: int
    marker: Marker
    cited: tuple[Reference, ...]
    """The references of its own field."""
    content: str
    mentioned: tuple[Reference, ...]
    """The references inside the content."""
    statement: str
    """The content without its confidence."""
    confidence: float | None
    notes: tuple[str, ...]
    """What looks like cipher in this line and was taken for text."""
    written: tuple[str, ...]
    """Its fields, character by character."""
    end: str
    """Its line ending."""

    @property
    def references(self) -> tuple[Reference, ...]:
        return self.cited + self.mentioned

    @property
    def operators(self) -> tuple[Operator, ...]:
        return tuple(Operator(found[0], found.start()) for found in _OPERATOR.finditer(self.content))

    @property
    def source(self) -> str:
        return write(self)


@dataclass(frozen=True, slots=True)
class Plain:
    """A line that is not cipher; `why` says what is wrong when it looks as if it wanted to be."""

    source: str
    why: str | None = None


@dataclass(frozen=True, slots=True)
class Cipher:
    """A thought's text, line by line."""

    lines: tuple[Step | Plain, ...]

    @property
    def text(self) -> str:
        return "".join(line.source for line in self.lines)

    @property
    def steps(self) -> tuple[Step, ...]:
        return tuple(line for line in self.lines if isinstance(line, Step))

    @property
    def notes(self) -> list[str]:
        """Why lines that look like cipher are text."""
        return [
            f"Line {number} is kept as text: {line.why}"
            for number, line in enumerate(self.lines, 1)
            if isinstance(line, Plain) and line.why is not None
        ]


@lru_cache(maxsize=1)  # a thought is looked at twice on its way in: how many it is, and what it means
def parse(text: str) -> Cipher:
    """Read any text; `parse(text).text == text`."""
    return Cipher(tuple(_line(source) for source in _LINE.findall(text)))


def said_in(text: str) -> str:
    """What a text says, without the numbers, markers and references of the cipher."""
    return "\n".join(line.statement if isinstance(line, Step) else line.source.strip() for line in parse(text).lines)


def thoughts_in(text: str) -> list[str]:
    """The thoughts that a text holds: one for each line of cipher, with the words below it; else the text as it is."""
    cipher = parse(text)
    if len(cipher.steps) < 2:
        return [text]
    parts: list[list[str]] = []
    begun = False
    for line in cipher.lines:
        if not parts or (begun and isinstance(line, Step)):
            parts.append([])
        parts[-1].append(line.source)
        begun = begun or isinstance(line, Step)
    return ["".join(part).rstrip("\r\n") for part in parts]


def write(step: Step) -> str:
    """The step's line, exactly as it was written."""
    return "|".join(step.written) + step.end


def _line(source: str) -> Step | Plain:
    line = source.removesuffix("\r\n").removesuffix("\n")
    if _LOOKS_LIKE_A_STEP.match(line) is None:
        return Plain(source)
    head, mark, *rest = line.split("|", 2)
    number = _NUMBER.fullmatch(head.strip(_BLANKS))
    marker = mark.strip(_BLANKS)
    if number is None or int(number[1]) == 0:
        return Plain(source, f"`{_short(head)}` is not the number of a thought. Write 1 or S1, 2 or S2, and so on.")
    if marker not in MARKERS:
        return Plain(source, f"`{_short(mark)}` is not a marker. The markers are {' '.join(MARKERS)}.")
    if not rest:
        return Plain(source, f"it ends behind its marker. Write S{number[1]}|{marker}|content.")
    return _step(int(number[1]), marker, (head, mark), rest[0], source[len(line) :])


def _step(number: int, marker: Marker, begins: tuple[str, str], rest: str, end: str) -> Step:
    field, bar, behind = rest.partition("|")
    cited = _all_references(field)
    notes = []
    if cited is None:
        written, content = (*begins, rest), rest.strip(_BLANKS)
        if bar and _LOOKS_LIKE_REFERENCES.match(field):
            notes.append(f"`{_short(field)}` is not a list of references and is kept as content.")
    else:
        written, content = (*begins, field, behind) if bar else (*begins, field), behind.strip(_BLANKS)
    statement, confidence, doubt = _confidence(content)
    return Step(
        number=number,
        marker=marker,
        cited=tuple(cited or ()),
        content=content,
        mentioned=tuple(references_within(content)),
        statement=statement,
        confidence=confidence,
        notes=(*notes, *doubt),
        written=written,
        end=end,
    )


def _all_references(field: str) -> list[Reference] | None:
    """The references of a field of nothing but references; None when there is anything else in it."""
    field = field.strip(_BLANKS)
    found: list[Reference] = []
    at = 0
    while at < len(field):
        sign, at = _sign(field, at)
        if field.startswith("[", at):
            listed, at = _bracket(field, at + 1, sign)
            if not listed:
                return None
            found += listed
        elif (named := _RANGE.match(field, at)) and named[2] == "S":
            found.append(_reference(named, sign))
            at = named.end()
        else:
            return None
        behind = _end_of(_SEPARATOR, field, at)
        if behind == at < len(field) and field[at] not in "[^+×⊕⊖→←∵":
            return None
        at = behind
    return found


def references_within(content: str) -> Iterator[Reference]:
    """The references among other text: bracketed, or on a named line. A bare `S1` in a sentence may be anything."""
    if "[" not in content and ":S" not in content:
        return  # most thoughts: looking for a mention at every character takes as long as half of the call
    at = 0
    while found := _MENTION.search(content, at):
        sign, at = found[1] or found[2] or "", found.end()
        if content[at - 1] == "[":
            listed, behind = _bracket(content, at, sign)
            yield from listed
            at = behind if listed else at
        elif named := _RANGE.match(content, at):
            yield _reference(named, sign)
            at = named.end()
        else:
            at += 1


def _bracket(text: str, at: int, sign: str) -> tuple[list[Reference], int]:
    """The list whose bracket opens before `at`, and where it ends; nothing when it is not one of references alone."""
    found: list[Reference] = []
    line: str | None = None
    while named := _RANGE.match(text, _end_of(_SPACE, text, at)):
        line = named[1] or line  # `[alt:S4,S5]` names two thoughts of alt
        found.append(_reference(named, sign, line))
        after = _COMMA_OR_CLOSING.match(text, named.end())
        if after is None:
            break
        at = after.end()
        if after[1] == "]":
            return found, at
    return [], at


def _reference(named: re.Match[str], sign: str, line: str | None = None) -> Reference:
    """A range that runs backward names the same thoughts."""
    letter, one, other = named[2], int(named[3]), int(named[4] or named[3])
    return Reference(min(one, other), max(one, other), sign, letter if letter in MARKERS else None, named[1] or line)


def _sign(text: str, at: int) -> tuple[str, int]:
    found = _MAYBE_SIGN.match(text, at)
    return (found[1] or found[2] or "", found.end()) if found else ("", at)


def _end_of(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


def _confidence(content: str) -> tuple[str, float | None, list[str]]:
    """The content without its confidence, the confidence, and a note when it is none.

    It stands at the end or, when nothing like it is there, at the start.
    """
    opens = content.rfind("(", max(0, len(content) - _LONGEST_CONFIDENCE))
    if opens >= 0 and (found := _CONFIDENCE.fullmatch(content, opens)):
        statement = content[:opens].rstrip(_BLANKS)
    elif found := _CONFIDENCE.match(content):
        statement = content[found.end() :].lstrip(_BLANKS)
    else:
        return content, None, []
    if found[1] is None:
        return statement, CONFIDENCE[found[0]], []
    if _PROBABILITY.fullmatch(found[1]):
        return statement, float(found[1]), []
    return content, None, [f"`{found[0]}` is kept as text: p is a number from 0 to 1."]


def _short(field: str) -> str:
    field = field.strip(_BLANKS)
    return field if len(field) <= 20 else field[:20] + "…"
