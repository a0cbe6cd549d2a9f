"""`thoughtbox decode`: a message as plain JSON, wherever it stands."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.doors.cli.conftest import Cli, Terminal
from thoughtbox.tbx import encode

ROWS = [{"name": name, "age": age} for name, age in (("ann", 31), ("bob", 45), ("cem", 27))]
VALUE = {"people": ROWS, "count": 3}


def message(value: Any = VALUE) -> bytes:
    return json.dumps(encode(value)).encode()


def test_a_message_in_a_file_or_from_standard_input_is_printed_in_one_line(cli: Cli, tmp_path: Path):
    (tmp_path / "saved.json").write_bytes(message())

    for ran in (
        cli("decode", "saved.json"),
        cli("decode", stdin=message()),
        cli("decode", "-", stdin=b"\xef\xbb\xbf" + message()),
    ):
        assert (ran.code, ran.err) == (0, "")
        assert ran.json() == VALUE
        assert ran.out.count("\n") == 1


def test_people_at_a_terminal_get_it_laid_out(cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    (tmp_path / "saved.json").write_bytes(message())
    screen = Terminal()
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sys, "stdout", screen)

    cli("decode", "saved.json")

    assert json.loads(screen.getvalue()) == VALUE
    assert '\n  "count": 3' in screen.getvalue()


def test_what_a_call_answers_can_be_read_at_once(cli: Cli):
    cli.think(5)
    compact = cli("call", "ledger_tail", "format=tbx")

    ran = cli("decode", stdin=compact.out.encode())

    assert compact.json()["v"] == "tbx-c1"
    assert ran.json() == cli("call", "ledger_tail").json()


def test_a_failed_call_says_so_in_the_same_form(cli: Cli):
    failed = cli("call", "thought_tree", "sessionId=s2", "format=tbx")

    ran = cli("decode", stdin=failed.err.encode())

    assert failed.code == 1
    assert failed.error()["m"][0]["a"]["status"] == "error"
    assert ran.json()["code"] == "SESSION_NOT_FOUND"


@pytest.mark.parametrize(
    "around",
    [
        lambda text: {"content": [{"type": "text", "text": text}], "isError": False},
        lambda text: {"content": [{"type": "text", "text": text}], "structuredContent": json.loads(text)},
        lambda text: {"structuredContent": json.loads(text)},
        lambda text: {"jsonrpc": "2.0", "id": 7, "result": {"structuredContent": json.loads(text)}},
        lambda text: {"jsonrpc": "2.0", "id": 7, "result": {"content": [{"type": "text", "text": f"Found:\n{text}"}]}},
    ],
    ids=["text", "both", "structured", "response", "in a text"],
)
def test_the_result_of_a_tool_will_do(cli: Cli, around: Any):
    ran = cli("decode", stdin=json.dumps(around(message().decode())).encode())

    assert (ran.code, ran.json()) == (0, VALUE)


def test_so_will_a_text_with_a_message_in_it(cli: Cli):
    ran = cli("decode", stdin=b"The tool said:\n\n```json\n" + message() + b"\n```\nThat {is} all.\n")

    assert (ran.code, ran.json()) == (0, VALUE)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "there is no TBX-C1 in it, and it is not JSON"),
        (b"nothing here", "there is no TBX-C1 in it, and it is not JSON"),
        (b'{"count": 3}', "`v` must be `tbx-c1`, and it has none"),
        (b"[]", "a message is an object"),
        (b'{"v": "tbx-c9", "j": 1}', "it says `tbx-c9`"),
        (b"\xff\xfe", "it is not UTF-8: byte 0"),
        (message()[:-5], "the message at character 1 is not whole"),
        (b"so: " + message()[:40], "the message at character 5 is not whole"),
        (message() + b" and " + message(), "there are 2 messages in it"),
        (b'{"v": "tbx-c1", "j": 1, "j": 2}', "an object has a field twice"),
        (b'{"v": "tbx-c1", "j": NaN}', "NaN is no JSON"),
        (b'{"v": "tbx-c1", "j": ' + b"[" * 100_000, "it nests too deeply"),
        (b'{"v": "tbx-c1", "cols": ["a"], "rows": [[1, 2]]}', "rows[0] has 2 cells for 1 columns"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_is_no_message_is_refused_with_the_place(cli: Cli, data: bytes, says: str):
    ran = cli("decode", "--json", stdin=data)

    assert (ran.code, ran.out) == (1, "")
    assert ran.error()["code"] == "NOT_TBX"
    assert says in ran.error()["message"]


def test_a_record_whose_attributes_are_not_those_of_its_kind_is_refused(cli: Cli):
    record = {"v": "tbx-c1", "m": [{"i": "th:1", "k": "claim", "x": "so it is"}]}

    ran = cli("decode", "--json", stdin=json.dumps(record).encode())

    assert ran.code == 1
    assert (ran.error()["code"], ran.error()["message"]) == ("INVALID_RECORD", "a claim needs `attrs.relations`")


def test_a_file_that_is_not_there_is_a_wrong_command(cli: Cli):
    ran = cli("decode", "nowhere.json")

    assert ran.code == 2
    assert ran.err == "thoughtbox: nowhere.json cannot be read: No such file or directory\n"


def test_numbers_and_texts_come_through_that_are_not_for_every_library(cli: Cli):
    value = [12345678901234567890123, -(2**63), 0.1, "\ud800", "é"]

    ran = cli("decode", stdin=json.dumps({"v": "tbx-c1", "j": value}).encode())

    assert ran.json() == value


def test_it_needs_no_store(cli: Cli):
    assert cli("decode", stdin=message()).code == 0
    assert not cli.database.exists()
