"""Text in `.src.md`, read into a notebook: ours, srcbook's, and what people write by hand.

A line `# x` is a title, `###### name` followed by a fence in a language we know is a code cell, all between them is
one markdown cell. What looks like that inside of a fence or a comment is part of the prose, and so is whatever is not
understood: nothing is left out.
"""

from __future__ import annotations

import json
import re
from bisect import bisect
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from thoughtbox.domains.notebooks.formats.document import UNTITLED, CellDoc, Document, Language
from thoughtbox.domains.notebooks.formats.fences import BLANK, Hiding, end_of, hiding
from thoughtbox.domains.notebooks.formats.json_text import must_be_storable, parsed
from thoughtbox.domains.notebooks.formats.languages import LANGUAGES, language_called, language_of_file
from thoughtbox.domains.notebooks.formats.src_md_markers import END_BEGINS, Marker, marker_on
from thoughtbox.errors import InvalidPayload, shown

HEADER: Final = re.compile(r"<!--\s*srcbook:\s*(\{.*\})\s*-->", re.DOTALL)
PACKAGE: Final = "package.json"
_TITLE = re.compile(r"#[ \t]+(.*)", re.DOTALL)
_FILENAME = re.compile(r"######[ \t]+(.*)", re.DOTALL)
_LINE_END = re.compile(r"\r\n|\r|\n")

_EXAMPLE: Final = 'A notebook begins with a line such as <!-- srcbook:{"language":"python"} -->.'


def read(text: str) -> Document:
    """The notebook that a text is; raises `InvalidPayload`."""
    if "\0" in text:
        raise InvalidPayload("the notebook holds a NUL character", recovery="Remove it, and load the rest.")
    first, rest = first_line(text)
    about = _header(first)
    language = _language(about.pop("language", "javascript"))
    cells = tuple(cells_of(rest, language))
    name = about.pop("name", None)
    return Document(
        name=name if isinstance(name, str) else name_of(cells),
        language=language,
        cells=cells,
        tsconfig=_tsconfig(about.pop("tsconfig.json", None)),
        extra={"srcbook": about} if about else {},
    )


def first_line(text: str) -> tuple[str, str]:
    """The first line that is not blank, and all behind it, in lines that end as ours do.

    How the first line ends tells how all do: a checkout may have turned every line end into another.
    """
    text = text.removeprefix("\ufeff")
    end = _LINE_END.search(text)
    if end is not None and end[0] != "\n":
        text = text.replace(end[0], "\n")
    first, _, rest = text.lstrip(f"{BLANK}\n").partition("\n")
    return first.strip(BLANK), rest


def name_of(cells: tuple[CellDoc, ...]) -> str:
    """What a notebook is called when its file does not say more."""
    return next((cell.text for cell in cells if cell.type == "title"), UNTITLED)


def _header(line: str) -> dict[str, Any]:
    found = HEADER.fullmatch(line)
    if found is None:
        raise InvalidPayload("this is no .src.md notebook: it does not begin with a srcbook line", recovery=_EXAMPLE)
    try:
        about = parsed(found[1])
        must_be_storable({"srcbook": about})
        return about
    except ValueError as error:
        raise InvalidPayload(f"the srcbook line of the notebook cannot be read: {error}", recovery=_EXAMPLE) from None


def _language(said: Any) -> Language:
    language = language_called(said) if isinstance(said, str) else None
    if language is None:
        wrong = f"`language` of the srcbook line is {shown(repr(said))}"
        raise InvalidPayload(wrong, recovery=f"Notebooks are in {', '.join(LANGUAGES)}.")
    return language


def _tsconfig(said: Any) -> str | None:
    # Who writes the line by hand may write the object itself; srcbook, and we, have a text here.
    return said if said is None or isinstance(said, str) else json.dumps(said, indent=2, ensure_ascii=False)


def cells_of(text: str, language: Language) -> Iterator[CellDoc]:
    """The cells that stand in a text below its first line."""
    return _Reader(text.split("\n"), language).cells()


class _Found(NamedTuple):
    """A cell, and the line behind it."""

    cell: CellDoc
    behind: int


class _Reader:
    def __init__(self, lines: list[str], language: Language) -> None:
        self._lines = lines
        self._language: Language = language
        self._ends: defaultdict[str, list[int]] = defaultdict(list)
        for at, line in enumerate(lines):
            if line.startswith(END_BEGINS):
                self._ends[line.rstrip(BLANK)].append(at)

    def cells(self) -> Iterator[CellDoc]:
        at = begin = 0
        while at < len(self._lines):
            if found := self._cell(at):
                yield from self._prose(begin, at)
                yield found.cell
                at = begin = found.behind
                continue
            hidden = hiding(self._lines[at])
            at = (end_of(hidden, self._lines, at + 1) if hidden else at) + 1
        yield from self._prose(begin, len(self._lines))

    def _cell(self, at: int) -> _Found | None:
        """The cell that begins on a line and is no prose."""
        line = self._lines[at]
        if not line.startswith(("#", "<")):
            return None
        if title := _TITLE.fullmatch(line):
            text = title[1].strip(BLANK)
            return _Found(CellDoc("title", text), at + 1) if text else None
        if (marker := marker_on(line)) is not None:
            return self._marked_code(marker, at) if marker.type in ("code", PACKAGE) else self._marked_text(marker, at)
        return self._plain_code(at)

    def _prose(self, begin: int, behind: int) -> Iterator[CellDoc]:
        filled = [at for at in range(begin, behind) if self._lines[at].strip(BLANK)]
        if filled:
            yield CellDoc("markdown", "\n".join(self._lines[filled[0] : filled[-1] + 1]))

    def _marked_text(self, marker: Marker, at: int) -> _Found | None:
        ends = self._ends.get(marker.end, [])
        place = bisect(ends, at)
        if place == len(ends):
            return None
        text = "\n".join(self._lines[at + 1 : ends[place]])
        if marker.type == "title":
            text = text.removeprefix("# ")
        return _Found(CellDoc(marker.type, marker.meant(text)), ends[place] + 1)

    def _marked_code(self, marker: Marker, at: int) -> _Found | None:
        at = self._filled(at + 1)
        filename = self._filename(at)
        if filename is not None:
            at = self._filled(at + 1)
        fence = self._fence(at)
        if fence is None:
            return None
        source, behind = self._inside(fence, at)
        language = marker.about.get("language", self._language_of(fence.info, filename or ""))
        cell = CellDoc(
            marker.type,
            marker.meant(source),
            marker.about.get("filename", filename),
            language if marker.type == "code" else None,
        )
        return _Found(cell, behind)

    def _plain_code(self, at: int) -> _Found | None:
        filename = self._filename(at)
        if filename is None:
            return None
        at = self._filled(at + 1)
        fence = self._fence(at)
        if fence is None:
            return None
        is_package = filename == PACKAGE
        language = None if is_package else self._language_of(fence.info, filename)
        if language is None and not is_package:
            return None
        source, behind = self._inside(fence, at)
        is_told = (
            fence.info in ("", "json") if is_package else not fence.info or language_called(fence.info) is not None
        )
        extra: Mapping[str, Any] = {} if is_told else {"fence": fence.info}
        return _Found(CellDoc(PACKAGE if is_package else "code", source, filename, language, extra=extra), behind)

    def _filled(self, at: int) -> int:
        """The next line from here on that is not blank."""
        return next((each for each in range(at, len(self._lines)) if self._lines[each].strip(BLANK)), len(self._lines))

    def _filename(self, at: int) -> str | None:
        found = _FILENAME.fullmatch(self._lines[at]) if at < len(self._lines) else None
        return (found[1].strip(BLANK) or None) if found else None

    def _fence(self, at: int) -> Hiding | None:
        begun = hiding(self._lines[at]) if at < len(self._lines) else None
        return begun if begun is not None and begun.is_fence and not begun.indent else None

    def _inside(self, fence: Hiding, at: int) -> tuple[str, int]:
        end = end_of(fence, self._lines, at + 1)
        return "\n".join(self._lines[at + 1 : end]), end + 1

    def _language_of(self, info: str, filename: str) -> Language | None:
        """The fence says it, else the name of the file; a fence that says nothing has the notebook's language."""
        word = next(iter(info.split(maxsplit=1)), "").strip("{}.,")
        return language_called(word) or language_of_file(filename) or (None if info else self._language)
