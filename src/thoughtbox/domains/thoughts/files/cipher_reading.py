"""Text in cipher, read back into thoughts. `cipher_text.py` says how it is spelled.

A line of cipher is a thought and has the number it was written with, if that is free on its line; a line of prose is a
thought of its own and takes the next number. What a thought refers to is found when it is recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from re import Match, Pattern
from typing import NamedTuple

import orjson
from pydantic import ValidationError

from thoughtbox.domains.thoughts.arguments import HIGHEST_NUMBER, LONGEST_TAG, MOST_TAGS
from thoughtbox.domains.thoughts.files.cipher_text import (
    ACTION,
    FORK,
    GO_ON,
    INDENT,
    MAIN_LINE,
    NAME,
    NOWHERE,
    NUMBER,
    READING,
    REVISES,
    SETTLED,
    TAGS,
    number_for,
    unescaped,
)
from thoughtbox.domains.thoughts.files.folder import shown
from thoughtbox.domains.thoughts.files.imported import ImportedReading, ImportedSettling, ImportedThought
from thoughtbox.domains.thoughts.files.nodes import Reading
from thoughtbox.domains.thoughts.model.session import LONGEST_TITLE
from thoughtbox.errors import ImportRefused
from thoughtbox.operations import LONGEST_TEXT


@dataclass(frozen=True, slots=True, kw_only=True)
class CipherText:
    """What a text in cipher says."""

    title: str | None
    tags: list[str]
    thoughts: list[ImportedThought]
    settlings: list[ImportedSettling]
    notices: tuple[str, ...]


class _Entry(NamedTuple):
    """A line with what is indented below it."""

    line: int
    text: str


@dataclass(slots=True)
class _Line:
    """A line of thought: the main one, or a branch."""

    origin: int | None = None
    highest: int = 0
    total: int = 1
    last: int | None = None
    places: dict[int, int] = field(default_factory=dict)


@dataclass(slots=True)
class _Said:
    """What was said of the next thought, before it."""

    number: int | None = None
    revises: int | None = None
    reading: Reading | None = None
    action: str | None = None


def read_cipher(text: str) -> CipherText:
    """What the text says; raises `ImportRefused`."""
    return _Reader().read(text)


def _entries(text: str) -> Iterator[_Entry]:
    """The text in lines, each with what is indented below it. Empty lines belong to what goes on behind them."""
    lines = text.removeprefix("\ufeff").split("\n")
    if lines[0].endswith("\r"):  # a file whose lines end so; ours never begins like that
        lines = [line.removesuffix("\r") for line in lines]
    begin, parts, empty = 0, list[str](), 0
    for number, line in enumerate(lines, 1):
        if not line:
            empty += 1
            continue
        indent = next((each for each in (INDENT, "\t") if line.startswith(each)), None)
        if indent is not None and parts and (not parts[0].startswith("#") or SETTLED.match(parts[0])):
            parts += [""] * empty + [line.removeprefix(indent)]
        else:
            if parts:
                yield _Entry(begin, "\n".join(parts))
            begin, parts = number, [line if indent is None else line.strip()]
        empty = 0
    if parts:
        yield _Entry(begin, "\n".join(parts))


class _Reader:
    def __init__(self) -> None:
        self._title: str | None = None
        self._tags: list[str] = []
        self._thoughts: list[ImportedThought] = []
        self._settlings: list[ImportedSettling] = []
        self._notices: list[str] = []
        self._lines: dict[str | None, _Line] = {None: _Line()}
        self._branch: str | None = None
        self._said = _Said()
        self._at = 0
        self._passed_over: list[int] = []

    def read(self, text: str) -> CipherText:
        if "\0" in text:
            raise _refused("it holds a NUL character")
        for place, (line, entry) in enumerate(_entries(text)):
            self._at = line
            if place == 0 and entry.startswith("#"):
                self._take_title(entry)
            elif place == 1 and entry.startswith(TAGS) and self._title is not None:
                self._take_tags(entry)
            elif entry.startswith("#"):
                self._take_said(entry)
            elif entry.strip():
                self._take_thought(unescaped(entry))
        self._must_be_complete()
        if self._passed_over:
            lines = ", ".join(map(str, self._passed_over[:5])) + (", …" if len(self._passed_over) > 5 else "")
            self._notices.append(f"Lines that begin with # and say nothing that is known were passed over: {lines}.")
        return CipherText(
            title=self._title,
            tags=self._tags,
            thoughts=self._thoughts,
            settlings=self._settlings,
            notices=tuple(self._notices),
        )

    def _take_title(self, entry: str) -> None:
        title = entry.removeprefix("#").strip()
        if len(title) > LONGEST_TITLE:
            self._notices.append(f"The title was cut to {LONGEST_TITLE} characters.")
        self._title = title[:LONGEST_TITLE].strip()

    def _take_tags(self, entry: str) -> None:
        tags = [tag for part in entry.removeprefix(TAGS).split(",") if (tag := part.strip())]
        self._tags = [tag for tag in tags if len(tag) <= LONGEST_TAG][:MOST_TAGS]
        if len(self._tags) < len(tags):
            self._notices.append(f"Tags were left out: a session has {MOST_TAGS} at most, of {LONGEST_TAG} characters.")

    def _take_said(self, entry: str) -> None:
        said: list[tuple[Pattern[str], Callable[[Match[str]], None]]] = [
            (SETTLED, self._settle),
            (FORK, self._fork),
            (GO_ON, self._go_on),
            (NUMBER, self._take_number),
            (REVISES, self._take_revised),
            (READING, self._take_reading),
            (ACTION, self._take_action),
        ]
        plain = entry.rstrip(" \t\r")
        if plain == MAIN_LINE:
            self._turn_to(None)
            return
        for pattern, take in said:
            if found := pattern.fullmatch(entry) or pattern.fullmatch(plain):
                take(found)
                return
        if entry.startswith(("# Branch ", "# Thought ", "# Revises ", "# Reading ", "# Action ")):
            raise self._wrong(f"{shown(entry)} is not understood")
        self._passed_over.append(self._at)

    def _turn_to(self, branch: str | None) -> None:
        self._must_be_complete()
        self._branch = branch

    def _fork(self, found: Match[str]) -> None:
        branch, name = found[1], found[2]
        if branch in self._lines:
            raise self._wrong(f"branch {branch} has begun before")
        origin = None if name == NOWHERE else self._place(name)
        self._turn_to(branch)
        highest = self._thoughts[origin].number if origin is not None else 0
        self._lines[branch] = _Line(origin=origin, highest=highest)

    def _go_on(self, found: Match[str]) -> None:
        if found[1] not in self._lines:
            raise self._wrong(f"branch {found[1]} has not begun: say where, as in `# Branch {found[1]} from S1`")
        self._turn_to(found[1])

    def _settle(self, found: Match[str]) -> None:
        branch, fate, why = found[1], found[2], found[3]
        if branch not in self._lines:
            raise self._wrong(f"branch {branch} has not begun")
        self._must_be_complete()
        settling = ImportedSettling(
            branch_id=branch,
            fate="adopted" if fate == "adopted" else "rejected",
            why=why or None,
            timestamp=None,
            after=len(self._thoughts),
        )
        self._settlings.append(settling)

    def _take_number(self, found: Match[str]) -> None:
        self._said.number = int(found[1])

    def _take_revised(self, found: Match[str]) -> None:
        self._said.revises = self._place(found[1])

    def _take_action(self, found: Match[str]) -> None:
        self._said.action = found[1]

    def _take_reading(self, found: Match[str]) -> None:
        try:
            self._said.reading = Reading.model_validate(orjson.loads(found[1]))
        except orjson.JSONDecodeError as error:
            raise self._wrong(f"`# Reading` is followed by what is not JSON: {error}") from None
        except ValidationError as error:
            fault = error.errors(include_url=False, include_context=False, include_input=False)[0]
            where = ".".join(map(str, fault["loc"]))
            raise self._wrong(f"`# Reading`: {shown(where)}: {fault['msg']}") from None

    def _take_thought(self, text: str) -> None:
        if len(text) > LONGEST_TEXT:
            raise self._wrong(f"a thought has {LONGEST_TEXT:,} characters at most")
        line, said = self._lines[self._branch], self._said
        number = said.number if said.number is not None else number_for(text, line.highest, line.places)
        if not 1 <= number <= HIGHEST_NUMBER:
            raise self._wrong(f"{number} is no number of a thought; there is none above {HIGHEST_NUMBER}")
        if number in line.places:
            raise self._wrong(f"there is a thought {number} on this line already")
        is_first = line.last is None
        line.highest = number if is_first else max(line.highest, number)  # until then it is its fork point's
        line.total = max(line.total, number)
        revised = self._thoughts[said.revises] if said.revises is not None else None
        thought = ImportedThought(
            text=text,
            number=number,
            total=line.total,
            branch_id=self._branch,
            is_revision=revised is not None,
            revises_number=revised.number if revised else None,
            action_id=said.action,
            prev=line.origin if is_first else line.last,
            revises=said.revises,
            origin=line.origin,
            reading=self._reading(said.reading, said.revises) if said.reading is not None else None,
        )
        line.places[number] = line.last = len(self._thoughts)
        self._thoughts.append(thought)
        self._said = _Said()

    def _reading(self, said: Reading, revises: int | None) -> ImportedReading:
        if said.kind == "revision" and revises is None:
            raise self._wrong("it is said to be a revision, and `# Revises` is missing")
        for branch in (*said.adopts, *said.rejects):
            if branch not in self._lines:
                raise self._wrong(f"branch {shown(branch)} has not begun")
        return ImportedReading(
            kind=said.kind,
            labels=tuple(said.labels),
            confidence=said.confidence,
            relations=tuple((relation.type, self._place(relation.to)) for relation in said.relations),
            label=said.label,
            notes=tuple(said.notes),
            adopts=tuple(said.adopts),
            rejects=tuple(said.rejects),
            critique_requested=False,
        )

    def _place(self, name: str) -> int:
        """Where the thought of this name stands among those read so far."""
        found = NAME.fullmatch(name)
        if found is None:
            raise self._wrong(f"{shown(name)} is no name of a thought; write S4, or alt:S4 on a branch")
        line = self._lines.get(found[1])
        if line is None or int(found[2]) not in line.places:
            raise self._wrong(f"there is no thought {name} before it")
        return line.places[int(found[2])]

    def _must_be_complete(self) -> None:
        """What was said of a thought has one, and so has a branch."""
        if self._said != _Said():
            raise self._wrong("what was said of the next thought is followed by none")
        if self._lines[self._branch].last is None and self._branch is not None:
            raise self._wrong(f"branch {self._branch} has no thought")

    def _wrong(self, why: str) -> ImportRefused:
        return _refused(f"line {self._at}: {why}", line=self._at)


def _refused(why: str, **details: int) -> ImportRefused:
    return ImportRefused(
        f"the cipher text cannot be imported: {why}",
        recovery="Put it right and send it again; nothing was imported.",
        details=details,
    )
