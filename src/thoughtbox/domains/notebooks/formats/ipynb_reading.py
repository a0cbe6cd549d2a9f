"""Text in `.ipynb`, read into a notebook: ours, and whatever writes nbformat 4.

What is ours stands in metadata of the name `thoughtbox`; all else is kept in `extra`, and written again. A foreign
cell keeps its type: nothing becomes a title because it looks like one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any, Final, get_args

from thoughtbox.domains.notebooks.formats.asides import put_back
from thoughtbox.domains.notebooks.formats.document import UNTITLED, CellDoc, CellType, Document, Language, OutputDoc
from thoughtbox.domains.notebooks.formats.ipynb_kernels import foreign_language, kernel_metadata
from thoughtbox.domains.notebooks.formats.ipynb_outputs import read_output
from thoughtbox.domains.notebooks.formats.ipynb_parts import a_joined_text, a_list, a_text, an_object, wrong
from thoughtbox.domains.notebooks.formats.ipynb_schema import OURS
from thoughtbox.domains.notebooks.formats.json_text import must_be_storable, parsed
from thoughtbox.domains.notebooks.formats.languages import ENDINGS, LANGUAGES
from thoughtbox.errors import InvalidPayload

MINOR: Final = 5
MADE_ID = re.compile(r"thoughtbox-[0-9]+")
"""An id that we made, since nbformat wants one; it says nothing."""

STANDS_FOR: Final[Mapping[CellType, tuple[str, ...]]] = {
    "title": ("markdown",),
    "markdown": ("markdown", "raw"),
    "code": ("code",),
    "package.json": ("raw",),
}
"""The types of nbformat that a cell of ours may have; somebody may have changed it in Jupyter."""

_HEADING = re.compile(r"^#[ \t]+(\S.*)", re.MULTILINE)


def read(text: str) -> Document:
    """The notebook that a text is; raises `InvalidPayload`."""
    try:
        value = an_object(parsed(text.removeprefix("\ufeff")), "the file")
    except ValueError as error:
        raise wrong(str(error)) from None
    _must_be_version_4(value)
    metadata = an_object(value.get("metadata", {}), "`metadata`")
    own = _object_or_none(metadata.get(OURS))
    language = own.get("language")
    if language not in LANGUAGES:
        language = foreign_language(metadata)
    cells = tuple(_cells(a_list(value.get("cells"), "`cells`"), language))
    name, tsconfig = own.get("name"), own.get("tsconfig")
    return Document(
        name=name if isinstance(name, str) else _name(metadata, cells),
        language=language,
        cells=cells,
        tsconfig=tsconfig if isinstance(tsconfig, str) else None,
        extra=_foreign(foreign_in_file(value, language), own.get("extra"), "the file"),
    )


def foreign_in_file(value: Mapping[str, Any], language: Language) -> dict[str, Any]:
    """What a file tells that is not ours, and not what we would write for the language."""
    usual = kernel_metadata(language)
    extra = {name: part for name, part in value.items() if name not in ("cells", "nbformat", "metadata")}
    if extra.get("nbformat_minor") == MINOR:
        del extra["nbformat_minor"]
    metadata = {
        name: part
        for name, part in value.get("metadata", {}).items()
        if name != OURS and not (name in usual and usual[name] == part)
    }
    return {**extra, "metadata": metadata} if metadata else extra


def foreign_in_cell(cell: Mapping[str, Any], kind: CellType) -> dict[str, Any]:
    """What a cell tells that is not ours."""
    known = ("cell_type", "source", "metadata", *(("outputs",) if kind == "code" else ()))
    extra = {name: part for name, part in cell.items() if name not in known}
    if extra.get("execution_count", 0) is None:
        del extra["execution_count"]
    if isinstance(made := extra.get("id"), str) and MADE_ID.fullmatch(made):
        del extra["id"]
    if cell["cell_type"] != STANDS_FOR[kind][0]:
        extra["cell_type"] = cell["cell_type"]
    metadata = {name: part for name, part in cell.get("metadata", {}).items() if name != OURS}
    return {**extra, "metadata": metadata} if metadata else extra


def _must_be_version_4(value: Mapping[str, Any]) -> None:
    major = value.get("nbformat")
    if type(major) is not int:
        raise wrong("it has no number `nbformat`")
    if major != 4:
        raise InvalidPayload(
            f"this notebook is of nbformat {major}, and only 4 can be read",
            recovery="Convert it: `jupyter nbconvert --to notebook --nbformat 4 FILE`."
            if major < 4
            else "Save it as nbformat 4.",
        )


def _name(metadata: Mapping[str, Any], cells: tuple[CellDoc, ...]) -> str:
    title = metadata.get("title")
    if isinstance(title, str) and title.strip():
        return title
    first = next((cell.text for cell in cells if cell.type == "markdown"), "")
    heading = _HEADING.search(first)
    return heading[1].strip() if heading else UNTITLED


def _cells(values: list[Any], language: Language) -> Iterator[CellDoc]:
    found = [an_object(value, f"cell {number}") for number, value in enumerate(values, 1)]
    owns = [_own(cell, f"cell {number}") for number, cell in enumerate(found, 1)]
    taken = {own["filename"] for own in owns if isinstance(own.get("filename"), str)}
    for number, (cell, own) in enumerate(zip(found, owns, strict=True), 1):
        where = f"cell {number}"
        kind: CellType = own.get("type") or ("code" if cell["cell_type"] == "code" else "markdown")
        extra = _foreign(foreign_in_cell(cell, kind), own.get("extra"), where)
        text = a_joined_text(cell.get("source", ""), f"`source` of {where}")
        match kind:
            case "title":
                yield CellDoc("title", text.removeprefix("# "), extra=extra)
            case "markdown":
                yield CellDoc("markdown", text, extra=extra)
            case "package.json":
                yield CellDoc("package.json", text, own["filename"], extra=extra)
            case "code":
                outputs = tuple(_outputs(cell, own.get("outputs"), where))
                if own:
                    yield CellDoc("code", text, own["filename"], own["language"], outputs, extra)
                    continue
                filename = _free_filename(number, language, taken)
                taken.add(filename)
                yield CellDoc("code", text, filename, language, outputs, extra)


def _own(cell: Mapping[str, Any], where: str) -> dict[str, Any]:
    """What we have written of a cell; nothing, if it can no longer be that."""
    cell_type = a_text(cell.get("cell_type"), f"`cell_type` of {where}")
    own = _object_or_none(an_object(cell.get("metadata", {}), f"`metadata` of {where}").get(OURS))
    kind: Any = own.get("type")
    if kind not in get_args(CellType) or cell_type not in STANDS_FOR[kind]:
        return {}
    filename, language = own.setdefault("filename", None), own.setdefault("language", None)
    is_sound = (filename is None or isinstance(filename, str)) and (language is None or language in LANGUAGES)
    return own if is_sound else {}


def _outputs(cell: Mapping[str, Any], aside: Any, where: str) -> Iterator[OutputDoc]:
    asides = _object_or_none(aside)
    for place, value in enumerate(a_list(cell.get("outputs", []), f"`outputs` of {where}"), 1):
        here = f"output {place} of {where}"
        output = read_output(value, here)
        yield output._replace(extra=_foreign(output.extra, asides.get(str(place)), here))


def _foreign(told: Mapping[str, Any], aside: Any, where: str) -> dict[str, Any]:
    extra = put_back(told, aside)
    try:
        must_be_storable(extra)
    except ValueError as error:
        raise wrong(f"{where} cannot be kept: {error}") from None
    return extra


def _free_filename(number: int, language: Language, taken: set[str]) -> str:
    ending = ENDINGS[language]
    names = (f"cell-{number}{'' if again == 1 else f'-{again}'}{ending}" for again in count(1))
    return next(name for name in names if name not in taken)


def _object_or_none(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, dict) else {}
