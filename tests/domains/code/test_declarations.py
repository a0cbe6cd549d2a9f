"""What both declarations have in common."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from thoughtbox.domains.code.declarations import can_be_checked, python, typescript
from thoughtbox.domains.code.reachable import reachable
from thoughtbox.domains.code.signatures import BUILDERS, HOST_ONLY
from thoughtbox.operations import Table

PRINTED = """
from hashlib import sha256
from thoughtbox import domains
from thoughtbox.domains.code.declarations import python, typescript
table = domains.known()
print(*(sha256(text.encode()).hexdigest() for text in (python(table), typescript(table))))
"""


def test_the_same_table_gives_the_same_text_in_every_process():
    said = {
        subprocess.run(
            [sys.executable, "-P", "-c", PRINTED],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }

    assert len(said) == 1


def test_they_are_made_once(table: Table):
    assert python(table) is python(table)
    assert typescript(table, ["trail", "ledger"]) is typescript(table, ["ledger", "trail"])


def test_all_that_can_be_called_is_declared_in_both(table: Table):
    operations = [operation.bare.rpartition(".")[2] for operation in reachable(table)]
    names = {*BUILDERS, *HOST_ONLY, *operations}

    assert names <= set(re.findall(r"^  (\w+)\(", typescript(table), re.MULTILINE))
    assert names <= {name.rstrip("_") for name in re.findall(r"^    def (\w+)\(", python(table), re.MULTILINE)}


def test_what_stands_right_below_tb_has_a_name_of_its_own(table: Table):
    assert not {*BUILDERS, *HOST_ONLY, "vars", "Error"} & set(table.rooms)


@pytest.mark.parametrize(
    "code",
    ["tb.claim('a')", "n = 2 ** 10", "tb.thoughts.session.get(limit=2**3)", "def f(*names): ..."],
)
def test_most_snippets_can_be_checked(code: str):
    assert can_be_checked(code)


@pytest.mark.parametrize("code", ["tb.claim('a', **given)", "f(\n    **given\n)", "f(**{'a': 1})"])
def test_a_snippet_that_hands_over_whole_dictionaries_cannot(code: str):
    assert not can_be_checked(code)
