"""A table back into the list of objects that it was. Whatever does not fit together is refused, with its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from thoughtbox.errors import NotTbx, shown
from thoughtbox.tbx.columns import LATER, NUMBERED, SAME, Column, column
from thoughtbox.tbx.paths import EACH, split
from thoughtbox.tbx.times import milliseconds, time

IN_COMMON = ""
DEEPEST_TABLES = 16
LARGEST_NUMBER = 10**15
MOST_REPEATED = 100_000_000
"""Bytes, more or less, that stand once in a message and again and again in what it means: it could be a flood."""
OBJECT, VALUE = 64, 16
"""Bytes of an object or a list, and of a value in it that is no text."""

_MISSING = object()


class _Cell(NamedTuple):
    """A column that every row of a layout has a cell for."""

    column: Column
    names: Sequence[str]
    inner: _Layouts | None
    """The layouts of the table that its cells are parts of."""


class _Constant(NamedTuple):
    column: Column
    names: Sequence[str]
    value: Any
    size: int
    """What it adds to a row."""


class _Layout(NamedTuple):
    cells: Sequence[_Cell]
    constants: Sequence[_Constant]


class _Layouts(NamedTuple):
    only: _Layout | None
    named: Mapping[str, _Layout]


class Dictionaries:
    """The dictionaries of one part, by the path of their column."""

    def __init__(self, found: Any, where: str) -> None:
        self._where = where
        self._unused = set[str]()
        self._maps: dict[str, Mapping[str, str]] = {}
        if found is None:
            return
        if not isinstance(found, dict):
            raise NotTbx(f"{where} must be an object, by column")
        for path, each in found.items():
            owner = found.get(each) if isinstance(each, str) else each
            if not isinstance(owner, dict) or not all(isinstance(text, str) for text in owner.values()):
                raise NotTbx(
                    f"{where}.{shown(path)} must map short keys to texts, or name the column it shares them with"
                )
            self._maps[path] = owner
        self._unused = set(self._maps)

    def of(self, path: str) -> Mapping[str, str] | None:
        """The dictionary of a column, if it has one."""
        self._unused.discard(path)
        return self._maps.get(path)

    def must_be_used(self) -> None:
        if self._unused:
            raise NotTbx(f"{self._where}.{shown(min(self._unused))} belongs to no column")


class Table:
    """Reads one table, and the tables in its cells."""

    def __init__(self, cols: Any, dictionaries: Dictionaries, where: str) -> None:
        self._dictionaries = dictionaries
        self._where = where
        self._last: dict[str, int] = {}
        self._repeated = 0
        self._layouts = self._read_layouts(cols, f"{where}cols", "", DEEPEST_TABLES)

    def objects(self, rows: Any) -> list[dict[str, Any]]:
        return self._objects(rows, self._layouts, f"{self._where}rows", "")

    def _read_layouts(self, cols: Any, where: str, within: str, deep: int) -> _Layouts:
        if not deep:
            raise NotTbx(f"{where} nests too deeply")
        if isinstance(cols, list):
            return _Layouts(self._read_layout(cols, where, within, deep), {})
        if not isinstance(cols, dict):
            raise NotTbx(f"{where} must be a list of columns, or an object of such lists")
        common = self._read_layout(cols.get(IN_COMMON, []), f'{where}[""]', within, deep)
        if common.cells:
            raise NotTbx(f'{where}[""] may hold only what all rows have in common')
        named: dict[str, _Layout] = {}
        for name, each in cols.items():
            if name != IN_COMMON:
                own = self._read_layout(each, f"{where}.{shown(name)}", within, deep)
                named[name] = _Layout(own.cells, [*own.constants, *common.constants])
        return _Layouts(None, named)

    def _read_layout(self, found: Any, where: str, within: str, deep: int) -> _Layout:
        if not isinstance(found, list):
            raise NotTbx(f"{where} must be a list of columns")
        cells: list[_Cell] = []
        constants: list[_Constant] = []
        for number, each in enumerate(found):
            here = f"{where}[{number}]"
            match each:
                case str():
                    cells.append(self._read_cell(each, None, within))
                case [str(head), inner]:
                    layouts = self._read_layouts(inner, here, within + column(head).path + EACH, deep - 1)
                    cells.append(self._read_cell(head, layouts, within))
                case dict():
                    constants += (self._read_constant(head, value, within, here) for head, value in each.items())
                case _:
                    raise NotTbx(f"{here} is no column")
        return _Layout(cells, constants)

    def _read_cell(self, head: str, inner: _Layouts | None, within: str) -> _Cell:
        found = column(head)
        dictionary = self._dictionaries.of(within + found.path)
        if inner is not None and (found.mark or dictionary is not None):
            raise NotTbx(f"column `{shown(head)}` holds rows, and can have neither a mark but `?` nor a dictionary")
        if dictionary is not None and found.mark in (LATER, NUMBERED):
            raise NotTbx(f"column `{shown(head)}` cannot have a dictionary beside its mark")
        return _Cell(found, split(found.path), inner)

    def _read_constant(self, head: str, value: Any, within: str, where: str) -> _Constant:
        found = column(head)
        if found.is_optional or found.mark not in ("", SAME) or (found.mark == SAME and value is not True):
            raise NotTbx(f"{where} has `{shown(head)}`, which cannot be the same in all rows")
        if found.mark != SAME:
            value = self._in_full(value, within + found.path, where)
        return _Constant(found, split(found.path), value, _size(value))

    def _objects(self, rows: Any, layouts: _Layouts, where: str, within: str) -> list[dict[str, Any]]:
        if not isinstance(rows, list):
            raise NotTbx(f"{where} must be a list of rows")
        return [self._object(row, layouts, f"{where}[{number}]", within) for number, row in enumerate(rows)]

    def _object(self, row: Any, layouts: _Layouts, where: str, within: str) -> dict[str, Any]:
        if not isinstance(row, list):
            raise NotTbx(f"{where} must be a list of cells")
        layout = layouts.only
        if layout is None:
            if not row or not isinstance(row[0], str) or row[0] not in layouts.named:
                raise NotTbx(f"{where} must begin with the name of a layout: {', '.join(layouts.named)}")
            layout, row = layouts.named[row[0]], row[1:]
        if len(row) > len(layout.cells):
            raise NotTbx(f"{where} has {len(row)} cells for {len(layout.cells)} columns")
        values = self._values(row, layout, where, within)
        made: dict[str, Any] = {}
        own = {id(made)}
        for each in (*layout.cells, *layout.constants):
            value = values[each.column.path]
            if value is not _MISSING:
                _put(made, own, each.names, value, where)
        return made

    def _values(self, row: Sequence[Any], layout: _Layout, where: str, within: str) -> dict[str, Any]:
        """What the columns hold in a row, by path."""
        values: dict[str, Any] = {}
        referring: list[Column] = []
        for number, cell in enumerate(layout.cells):
            found = cell.column
            raw = row[number] if number < len(row) else None
            here = f"{where}, `{shown(found.path)}`"
            if found.path in values:
                raise NotTbx(f"{here}: the layout has that column twice")
            if raw is None and (found.is_optional or number >= len(row)):
                if not found.is_optional:
                    raise NotTbx(f"{here}: the row ends before it")
                values[found.path] = _MISSING
            elif found.mark == SAME and raw is True:
                values[found.path] = _MISSING
                referring.append(found)
            elif cell.inner is not None:
                values[found.path] = self._objects(raw, cell.inner, here, within + found.path + EACH)
            else:
                values[found.path] = self._value(raw, found, within + found.path, here)
        for constant in layout.constants:
            if constant.column.path in values:
                raise NotTbx(f"{where}: the layout has the column `{shown(constant.column.path)}` twice")
            if constant.column.mark == SAME:
                values[constant.column.path] = _MISSING
                referring.append(constant.column)
            else:
                self._repeat(constant.size, where)
                values[constant.column.path] = _copy(constant.value)
        own = {column.path for column in referring}
        for found in referring:
            value = values.get(found.argument, _MISSING)
            if found.argument in own or not isinstance(value, str | int | float) or isinstance(value, bool):
                raise NotTbx(f"{where}, `{shown(found.path)}`: there is no text or number in `{shown(found.argument)}`")
            if isinstance(value, str):
                self._repeat(len(value), where)
            values[found.path] = value
        return values

    def _value(self, raw: Any, found: Column, path: str, where: str) -> Any:
        if found.mark == NUMBERED:
            return _numbered(raw, found.argument, where)
        if found.mark != LATER:
            return self._in_full(raw, path, where)
        if isinstance(raw, str):
            ms = milliseconds(raw)
            if ms is not None:
                self._last[path] = ms
            return raw
        if not _is_whole(raw):
            return raw
        ms = self._last.get(path, None)
        later = time(ms + raw) if ms is not None else None
        if later is None:
            raise NotTbx(f"{where}: there is no time {raw} ms after the one before")
        self._last[path] = ms + raw
        return later

    def _in_full(self, raw: Any, path: str, where: str) -> Any:
        """A value with its texts looked up, where its column has a dictionary."""
        dictionary = self._dictionaries.of(path)
        if dictionary is None or not isinstance(raw, str | list | dict):
            return raw
        if isinstance(raw, list):
            if any(isinstance(item, list | dict) for item in raw):
                raise NotTbx(f"{where}: a column with a dictionary holds texts and lists of texts")
            return [self._looked_up(dictionary, item, where) for item in raw]
        return self._looked_up(dictionary, raw, where)

    def _looked_up(self, dictionary: Mapping[str, str], raw: Any, where: str) -> Any:
        if isinstance(raw, dict):
            raise NotTbx(f"{where}: a column with a dictionary holds texts and lists of texts")
        if not isinstance(raw, str):
            return raw
        if raw not in dictionary:
            raise NotTbx(f"{where}: its dictionary has no `{shown(raw)}`")
        text = dictionary[raw]
        self._repeat(len(text), where)
        return text

    def _repeat(self, size: int, where: str) -> None:
        """Count what stands once in the message, and here again."""
        self._repeated += size
        if self._repeated > MOST_REPEATED:
            raise NotTbx(f"{where}: more than {MOST_REPEATED:,} bytes would come of it")


def _numbered(raw: Any, prefix: str, where: str) -> Any:
    if isinstance(raw, list):
        return [_numbered(item, prefix, where) if not isinstance(item, list) else item for item in raw]
    if not _is_whole(raw):
        return raw
    if not 0 <= raw < LARGEST_NUMBER:
        raise NotTbx(f"{where}: {raw} is no number that can stand behind `{shown(prefix)}`")
    return f"{prefix}{raw}"


def _put(made: dict[str, Any], own: set[int], names: Sequence[str], value: Any, where: str) -> None:
    """Put a value where it belongs; `own` are the objects that were made here, and are no values themselves."""
    inner = made
    for name in names[:-1]:
        if name not in inner:
            inner[name] = {}
            own.add(id(inner[name]))
        inner = inner[name]
        if id(inner) not in own:
            raise NotTbx(f"{where}: `{shown(name)}` is a value, and has fields in columns of their own")
    if names[-1] in inner:
        raise NotTbx(f"{where}: `{shown(names[-1])}` is a value, and has fields in columns of their own")
    inner[names[-1]] = value


def _is_whole(raw: Any) -> bool:
    return isinstance(raw, int) and not isinstance(raw, bool)


def _size(value: Any) -> int:
    if isinstance(value, dict):
        return OBJECT + sum(map(_size, value.values())) + sum(map(len, value))
    if isinstance(value, list):
        return OBJECT + sum(map(_size, value))
    return len(value) if isinstance(value, str) else VALUE


def _copy(value: Any) -> Any:
    if isinstance(value, list):
        return [_copy(item) for item in value]
    return {name: _copy(part) for name, part in value.items()} if isinstance(value, dict) else value
