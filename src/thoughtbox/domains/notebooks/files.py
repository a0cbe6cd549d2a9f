"""Notebooks as files: taken in, and written out."""

from __future__ import annotations

import os
from pathlib import Path, PurePath
from typing import Any, Final, NamedTuple

import orjson

from thoughtbox.domains.notebooks.answers import OneNotebook
from thoughtbox.domains.notebooks.arguments import LONGEST_NAME
from thoughtbox.domains.notebooks.cell import (
    PACKAGE_JSON,
    Cell,
    Notebook,
    free_filename,
    what_is_wrong_with,
)
from thoughtbox.domains.notebooks.cells import GIVEN, NOT_KEPT
from thoughtbox.domains.notebooks.files_models import (
    LONGEST_FILE,
    ExportNotebook,
    GetOutput,
    ImportNotebook,
    LoadNotebook,
    NotebookExported,
    OutputRead,
    Readable,
)
from thoughtbox.domains.notebooks.formats import ipynb, markdown, src_md
from thoughtbox.domains.notebooks.formats.detecting import detected
from thoughtbox.domains.notebooks.formats.document import CellDoc, Document, OutputDoc
from thoughtbox.domains.notebooks.keeping import as_json, from_json, made
from thoughtbox.domains.notebooks.pieces import BINARY, Piece
from thoughtbox.domains.notebooks.room import AT_STAGE, room
from thoughtbox.domains.notebooks.scope import Texts, existing, text_of, texts_of
from thoughtbox.domains.notebooks.shown import content_of, pieces_of
from thoughtbox.domains.notebooks.view import Notebooks
from thoughtbox.errors import FileMissing, InvalidPayload, NotebookNotFound, PathRefused, ResourceNotFound, shown
from thoughtbox.files_below import opened_below
from thoughtbox.operations import Example, Resource, Tx, cursor, fitting_text, place_in, redacted, unstorable

PIECE_CHARS: Final = 60_000
OUTPUT_CEILING: Final = 48_000_000
_FILE: Final = (
    '<!-- srcbook:{"language":"javascript"} -->\n\n# Primes\n\n###### seven.js\n\n```javascript\nconsole.log(7);\n```\n'
)


class AfterPiece(NamedTuple):
    """Where a piece of an export ends, and what it is a piece of."""

    seq: int
    begin: int


@room.operation(
    "notebook.import",
    writes=True,
    guard=AT_STAGE,
    title="Take a notebook in",
    example=Example({"content": _FILE}),
)
def import_notebook(tx: Tx, call: ImportNotebook) -> OneNotebook:
    """Make a notebook of a file's text, .src.md or .ipynb. Exported again unchanged, it is that text to the byte."""
    return taken_in(tx, call.content, call.format, name=call.name, trusted=call.trusted)


@room.operation(
    "notebook.load",
    writes=True,
    guard=AT_STAGE,
    title="Load a notebook",
    errors=[PathRefused, FileMissing],
    example=Example({"content": _FILE}),
)
def load(tx: Tx, call: LoadNotebook) -> OneNotebook:
    """Make a notebook of an exported text, or of a file in a folder that the server's settings allow."""
    if (call.content is None) == (call.path is None):
        raise InvalidPayload(
            "a notebook is loaded from `content` or from a `path`, one of the two",
            recovery="Send the text as `content`.",
            details={"fields": ["content", "path"]},
        )
    content = call.content if call.content is not None else _read(tx, call.path or "")
    return taken_in(tx, content, call.format, name=call.name, trusted=call.trusted)


@room.operation(
    "notebook.export",
    guard=AT_STAGE,
    title="Write a notebook out",
    errors=[NotebookNotFound],
    example=Example({"notebookId": "latest", "format": "src.md"}, given=GIVEN),
)
def export(tx: Tx, call: ExportNotebook) -> NotebookExported:
    """A notebook as the text of a file: .src.md, .ipynb with its outputs, or Markdown for people."""
    place = place_in(call.cursor, AfterPiece) if call.cursor else AfterPiece(min(tx.as_of, tx.ledger.last_seq()), 0)
    then = tx.at(place.seq)
    notebook = existing(then, call.notebook_id)
    text = written(then, notebook, call.format)
    room_left = min(PIECE_CHARS, call.max_chars - 300 if call.max_chars else PIECE_CHARS)
    piece = fitting_text(text[place.begin : place.begin + PIECE_CHARS], max(room_left, 100))
    end = place.begin + len(piece)
    return NotebookExported(
        notebook_id=notebook.id,
        format=call.format,
        content=piece,
        cursor=cursor(AfterPiece(place.seq, end)) if end < len(text) else None,
    )


@room.operation(
    "notebook.output",
    guard=AT_STAGE,
    title="Read an output",
    errors=[ResourceNotFound],
    ceiling=OUTPUT_CEILING,
    example=Example({"sha256": "0" * 64}, fails_with=ResourceNotFound),
)
def output(tx: Tx, call: GetOutput) -> OutputRead:
    """One output of a run, whole: text, or base64 where it is none."""
    found = content_of(tx, call.sha256)
    if found is None:
        raise ResourceNotFound(
            f"no run has shown anything with the hash {call.sha256}",
            recovery="run_cell names the hashes of its outputs.",
            details={"sha256": call.sha256},
        )
    return OutputRead(sha256=call.sha256, **found.kept())


room.completion("notebookId", lambda tx, typed, limit: tx.ask(Notebooks).ids(typed, limit))
room.completion("sha256", lambda tx, typed, limit: tx.ask(Notebooks).output_hashes(typed, limit))
room.resource(
    Resource(
        uri="thoughtbox://output/{sha256}",
        name="output",
        title="An output of a notebook",
        description="What a run has shown, whole, by its hash.",
        operation="notebook.output",
        part="content",
        is_self_describing=True,
    )
)


def _notebooks(tx: Tx, after: str, limit: int) -> dict[str, str]:
    view = tx.ask(Notebooks)
    return {each.id: each.name for each in view.by_id(after, limit)}


room.resource(
    Resource(
        uri="thoughtbox://notebook/{notebookId}",
        name="notebook",
        title="A notebook",
        description="A notebook with its cells and what they have shown.",
        operation="notebook.get",
        listed=_notebooks,
        stream="notebooks/{notebookId}",
    )
)


def taken_in(tx: Tx, content: str, form: Readable | None, *, name: str | None, trusted: bool) -> OneNotebook:
    """Make a notebook of a text."""
    form = form or detected(content)
    if form is None:
        raise InvalidPayload(
            "`content` is neither .src.md nor .ipynb",
            recovery="A .src.md begins with <!-- srcbook:{…} -->, an .ipynb is JSON with nbformat and cells.",
            details={"fields": ["content"]},
        )
    read = src_md.read(content) if form == "src.md" else ipynb.read(content)
    document = _without_secrets(read)
    origin = {"format": form, "content": content, "extra": as_json(document.extra)}
    if document != read or redacted(content) != content:  # its own bytes would bring the secret back
        origin.pop("content")
    notebook = made(
        tx,
        (name or document.name)[:LONGEST_NAME],
        document.language,
        [storable(place, cell) for place, cell in enumerate(_with_filenames(document.cells))],
        trusted=trusted,
        tsconfig=document.tsconfig,
        origin=origin,
    )
    return notebook if "content" in origin else notebook.model_copy(update={"notice": NOT_KEPT})


def _without_secrets(document: Document) -> Document:
    """What a file says without secrets: they are kept in outputs and in what we do not know as little as in text."""
    return document._replace(
        cells=tuple(
            cell._replace(
                text=redacted(cell.text),
                outputs=tuple(map(_output_without_secrets, cell.outputs)),
                extra=redacted(cell.extra),
            )
            for cell in document.cells
        ),
        tsconfig=redacted(document.tsconfig),
        extra=redacted(document.extra),
    )


def _output_without_secrets(output: OutputDoc) -> OutputDoc:
    return output._replace(
        text=redacted(output.text),
        data={mime: text if mime.startswith(BINARY) else redacted(text) for mime, text in output.data.items()},
        ename=redacted(output.ename),
        evalue=redacted(output.evalue),
        extra=redacted(output.extra),
    )


def _with_filenames(cells: tuple[CellDoc, ...]) -> list[CellDoc]:
    """Cells whose filenames can be files: one that cannot, or that another has already, gets another."""
    taken: set[str] = {cell.filename for cell in cells if cell.filename is not None}
    seen: set[str] = set()
    found = []
    for cell in cells:
        if cell.type == PACKAGE_JSON and PACKAGE_JSON in seen:
            cell = cell._replace(type="markdown", filename=None)  # a notebook has one
        if cell.type == "code" and cell.language is not None:
            name = cell.filename
            if name is None or name in seen or what_is_wrong_with(name, cell.language) is not None:
                cell = cell._replace(filename=free_filename(cell.language, taken | seen))
        if cell.filename is not None:
            seen.add(cell.filename)
        found.append(cell)
    return found


def storable(place: int, cell: CellDoc) -> CellDoc:
    if (what := unstorable(cell.text)) is not None:
        raise InvalidPayload(f"cell {place} contains {what}, which cannot be stored", details={"fields": ["content"]})
    return cell


def _read(tx: Tx, path: str) -> str:
    """The text of a file in one of the folders that may be read from."""
    folders: tuple[Path, ...] = tx.settings.get("notebook_folders", ())
    if not folders:
        raise PathRefused(
            "no folder may be read from here",
            recovery="Send the notebook as `content`, or name folders in THOUGHTBOX_NOTEBOOK_FOLDERS.",
        )
    wanted = Path(path)
    found = None
    for folder in folders:
        below = wanted.relative_to(folder) if wanted.is_absolute() and wanted.is_relative_to(folder) else wanted
        if below.is_absolute() or ".." in below.parts or not below.parts or "\0" in path:
            continue
        found = _content(folder, below)
        if found is not None:
            break
    if found is None:
        if (
            wanted.is_absolute() and not any(wanted.is_relative_to(folder) for folder in folders)
        ) or ".." in wanted.parts:
            raise PathRefused(
                f"`{shown(path)}` is in none of the folders that may be read from",
                recovery=f"These may: {', '.join(map(str, folders))}.",
            )
        raise FileMissing(f"there is no file `{shown(path)}` in {', '.join(map(str, folders))}")
    return found


def _content(folder: Path, below: PurePath) -> str | None:
    descriptor = opened_below(folder, below)
    if descriptor is None:
        return None
    with os.fdopen(descriptor, "rb") as file:
        data = file.read(4 * LONGEST_FILE + 1)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidPayload(f"the file is no text in UTF-8: {error}", details={"fields": ["path"]}) from None
    if len(text) > LONGEST_FILE:
        raise InvalidPayload(f"the file has more than {LONGEST_FILE} characters", details={"fields": ["path"]})
    if (what := unstorable(text)) is not None:
        raise InvalidPayload(f"the file contains {what}, which cannot be stored", details={"fields": ["path"]})
    return text


def written(tx: Tx, notebook: Notebook, form: str) -> str:
    """The text of a notebook's file: of one that was taken in and not touched since, the text that it came as."""
    made_by = _made_by(tx, notebook)
    origin = made_by.get("origin", {})
    if notebook.is_as_imported and origin.get("format") == form and "content" in origin:
        return origin["content"]
    document = document_of(tx, notebook, extra=from_json(origin.get("extra")))
    if form == "markdown":
        return markdown.write(document)
    return src_md.write(document) if form == "src.md" else ipynb.write(document)


def document_of(tx: Tx, notebook: Notebook, *, extra: dict[str, Any]) -> Document:
    cells = tx.ask(Notebooks).cells(notebook.id)
    texts = texts_of(tx, cells)
    return Document(
        name=notebook.name,
        language=notebook.language,
        cells=tuple(_cell(tx, cell, texts) for cell in cells),
        tsconfig=notebook.tsconfig,
        extra=extra,
    )


def _cell(tx: Tx, cell: Cell, texts: Texts) -> CellDoc:
    said = texts[cell.content_seq].data
    extra = from_json(said.get("extra"))
    if cell.ended_seq is not None:
        outputs = tuple(_output(piece) for piece in pieces_of(tx, texts[cell.ended_seq]))
    else:
        outputs = tuple(OutputDoc(**each) for each in orjson.loads(said.get("shown") or b"[]"))
    return CellDoc(
        type=cell.type,
        text=text_of(cell, texts),
        filename=cell.filename,
        language=cell.language,
        outputs=outputs if cell.type == "code" else (),
        extra={"id": cell.id, **extra},
    )


def _output(piece: Piece) -> OutputDoc:
    text = piece.data.get("text/plain", "")
    match piece.kind:
        case "stream":
            return OutputDoc("stream", name=piece.name, text=text)
        case "error":
            first, _, trace = text.partition("\n")
            return OutputDoc("error", ename=piece.name, evalue=first.removeprefix(f"{piece.name}: "), text=trace)
        case kind:
            pictures = [content for content in piece.contents() if content.mime.startswith("image/")]
            extra = {"sha256": pictures[0].sha256} if pictures else {}
            return OutputDoc("result" if kind == "result" else "display", data=piece.data, extra=extra)


def _made_by(tx: Tx, notebook: Notebook) -> Any:
    made_by = tx.ledger.record(notebook.made_seq)
    assert made_by is not None
    return made_by.data
