"""Bytes change under the store: verification names it, or every record still reads as it was written.

Never does a store with a changed or missing record call itself valid, and never does
damage show as anything but one of our errors.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import apsw
import pytest

from tests.faults.store import Store, fill
from thoughtbox.errors import ImportRefused, LedgerBroken, StorageError
from thoughtbox.ledger.importing import import_lines
from thoughtbox.ledger.record import Record

pytestmark = pytest.mark.sampled(3)

SEED = 20260728
PAGE = 4096
WORKSPACES = ("tests", "other")


@dataclass(frozen=True)
class Original:
    """A store after a clean close, and what is in it."""

    directory: Path
    file: bytes
    records: dict[str, list[Record]]
    export: list[bytes]


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Original:
    directory = tmp_path_factory.mktemp("original")
    with Store(directory, workspace="other") as store:
        fill(store, 60, seed=2)
    with Store(directory) as store:
        fill(store, 500, sign_at=(100, 300))
        # Something that was there and is not any more, so that the file has free pages.
        store.engine.write("", lambda sql: sql.run("CREATE TABLE gone (data BLOB)")).result()
        store.engine.write("", lambda sql: sql.run("INSERT INTO gone VALUES (zeroblob(50000))")).result()
        store.engine.write("", lambda sql: sql.run("DROP TABLE gone")).result()
        store.assert_whole()
        records = {"tests": store.by_number()}
        export = store.export()
    with Store(directory, workspace="other") as store:
        records["other"] = store.by_number()
    assert sorted(path.name for path in directory.glob("thoughtbox.db*") if path.name[-4:] in ("-wal", "-shm")) == []
    return Original(directory, (directory / "thoughtbox.db").read_bytes(), records, export)


def places(size: int, count: int, seed: int) -> Iterator[tuple[int, int]]:
    """Where to flip what: a third in headers of the file and its pages, the rest anywhere."""
    chance = Random(seed)
    for number in range(count):
        if number % 3:
            place = chance.randrange(size)
        elif number % 2:
            place = chance.randrange(100)
        else:
            place = chance.randrange(size // PAGE) * PAGE + chance.randrange(24)
        yield place, 1 << chance.randrange(8) if chance.random() < 0.7 else chance.randrange(1, 256)


def outcome(directory: Path, original: Original) -> str:
    """What came of the damage: where it was named, or `harmless`."""
    stores: list[Store] = []
    try:
        for workspace in WORKSPACES:
            try:
                stores.append(store := Store(directory, workspace=workspace))
            except StorageError as error:
                return f"refused: {error.code}"
            except LedgerBroken:
                return "refused: a view could not be replayed"
            try:
                verdict = store.verify()
            except StorageError as error:
                return f"not verified: {error.code}"
            if not verdict.valid:
                assert verdict.problem
                return f"named: {verdict.problem.wrong}"
            assert verdict.records == len(original.records[workspace])
            assert store.by_number() == original.records[workspace], "valid, and a record reads differently by number"
            assert store.by_stream() == original.records[workspace], "valid, and a record reads differently by stream"
    finally:
        for store in stores:
            store.close()
    return "harmless"


def flip_bytes(original: Original, directory: Path, flips: Iterable[tuple[int, int]]) -> Counter[str]:
    """What came of each flip, made to a fresh copy."""
    shutil.copytree(original.directory, directory)
    met: Counter[str] = Counter()
    for place, bits in flips:
        damaged = bytearray(original.file)
        damaged[place] ^= bits
        for rest in directory.glob("thoughtbox.db-*"):
            rest.unlink()
        (directory / "thoughtbox.db").write_bytes(damaged)
        try:
            met[outcome(directory, original)] += 1
        except BaseException as error:
            error.add_note(f"byte {place} (page {place // PAGE + 1}, offset {place % PAGE}) xor {bits:#04x}")
            raise
    print(met)
    return met


@pytest.mark.parametrize("part", range(6))
def test_a_flipped_byte_is_named_or_changes_no_record(part: int, original: Original, tmp_path: Path):
    print(f"seed {SEED + part}")
    met = flip_bytes(original, tmp_path / "damaged", places(len(original.file), 50, SEED + part))
    assert met["named: content"], "most of the file is content, so some flips must have hit it"


@pytest.mark.torture
@pytest.mark.parametrize("part", range(10))
def test_many_flipped_bytes_are_each_named_or_change_no_record(part: int, original: Original, tmp_path: Path):
    print(f"seed {SEED + 100 + part}")
    flip_bytes(original, tmp_path / "damaged", places(len(original.file), 200, SEED + 100 + part))


@pytest.mark.torture
@pytest.mark.parametrize("quarter", range(4))
@pytest.mark.parametrize("name", ["sqlite_schema", "records", "streams"])
def test_every_byte_of_a_root_page_may_change(name: str, quarter: int, original: Original, tmp_path: Path):
    """Where everything hangs on: the schema, and the roots of the records and of the heads."""
    page = 1
    if name != "sqlite_schema":
        connection = apsw.Connection(str(original.directory / "thoughtbox.db"))
        page = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (name,)).get
        connection.close()
    start = (page - 1) * PAGE + quarter * PAGE // 4
    chance = Random(SEED + start)
    flips = ((place, 1 << chance.randrange(8)) for place in range(start, start + PAGE // 4))
    flip_bytes(original, tmp_path / "damaged", flips)


def test_a_flipped_byte_in_the_checkpoint_kept_beside_the_store_is_named(original: Original, tmp_path: Path):
    directory = shutil.copytree(original.directory, tmp_path / "damaged")
    path = directory / "checkpoints" / "tests.note"
    note = path.read_bytes()
    chance = Random(SEED)
    with Store(directory) as store:
        for place in range(0, len(note), 3):
            path.write_bytes(note[:place] + bytes([note[place] ^ chance.randrange(1, 256)]) + note[place + 1 :])
            verdict = store.verify()
            assert verdict.standing != "valid", f"byte {place}"
            assert verdict.problem is None or verdict.problem.wrong == "bad signature"


def import_into(store: Store, file: bytes) -> None:
    lines = file.removesuffix(b"\n").split(b"\n")
    import_lines(store.engine, store.app.views, lines)


def imports(file: bytes, empty: Store, original: Original) -> str:
    """What became of a damaged export: refused whole, or every record as it was."""
    try:
        import_into(empty, file)
    except ImportRefused:
        assert empty.by_number() == []
        assert empty.engine.read(lambda sql: sql.rows("SELECT * FROM workspaces")).result() == []
        return "refused"
    assert empty.by_number() == empty.by_stream() == original.records["tests"]
    return "imported"


@pytest.mark.parametrize("flips", [100, pytest.param(2000, marks=pytest.mark.torture)])
def test_a_flipped_byte_in_an_export_is_refused_or_changes_no_record(flips: int, original: Original):
    print(f"seed {SEED}")
    file = b"\n".join(original.export) + b"\n"
    chance = Random(SEED)
    met: Counter[str] = Counter()
    empty = Store(None)
    for number in range(flips):
        # Every fourth in the trailer, which is not covered by its own digest.
        place = chance.randrange(len(file) if number % 4 else len(original.export[-1]))
        place = place if number % 4 else len(file) - 1 - place
        bits = chance.randrange(1, 256)
        damaged = bytearray(file)
        damaged[place] ^= bits
        try:
            how = imports(bytes(damaged), empty, original)
        except BaseException as error:
            error.add_note(f"byte {place} of {len(file)} xor {bits:#04x}")
            raise
        met[how] += 1
        if how == "imported":
            empty.close()
            empty = Store(None)
    empty.close()
    print(met)
    assert met["refused"] > met["imported"]


def test_an_export_that_was_cut_anywhere_is_refused(original: Original):
    with Store(None) as empty:
        for kept in [0, 1, 2, 100, len(original.export) - 5, len(original.export) - 1]:
            assert imports(b"\n".join(original.export[:kept]), empty, original) == "refused"
        for missing in [0, 1, 50, len(original.export) - 2]:
            lines = original.export[:missing] + original.export[missing + 1 :]
            assert imports(b"\n".join(lines), empty, original) == "refused"
        whole = b"\n".join(original.export)
        for size in range(1, len(whole), len(whole) // 40):
            assert imports(whole[:size], empty, original) == "refused"
        assert imports(whole, empty, original) == "imported"
