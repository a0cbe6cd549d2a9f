"""What `docs/code-mode.md` shows is what happens, and what it says of builders, limits and names is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support import pages
from tests.support.box import Box
from tests.support.pages import CODE
from tests.support.senders import Sender
from tests.support.servers import StdioServer, environment
from thoughtbox.domains.code import settings, snippets, variables
from thoughtbox.domains.code.signatures import BUILDERS, COMMON_OPTIONS
from thoughtbox.errors import SnippetError
from thoughtbox.ledger.record import RELATIONS
from thoughtbox.sandbox.javascript.refusals import DEEPEST_CALLS
from thoughtbox.sandbox.protocol import LONGEST_SNIPPET, Limits
from thoughtbox.sandbox.python.failures import MODULES
from thoughtbox.sandbox.python.worker import DEEPEST_CALL

PAGE = CODE.read_text(encoding="utf-8")
RECIPES = PAGE[PAGE.index("## Recipes") :]
WORDS = " ".join(PAGE.split())


def test_every_answer_on_the_page_is_what_the_snippet_above_it_gets(sender: Sender):
    exchanges = pages.code()
    assert [exchange.call for exchange in exchanges if exchange.shown is None] == []

    answers = pages.tell(pages.word_for_word(exchanges), sender.send)

    assert pages.unlike(exchanges, answers, exactly=sender.exactly) == []


def test_the_recipe_for_an_empty_context_works_in_one(tmp_path: Path):
    """On the page it comes behind yesterday's, from the same client; here from one that has only just come."""
    recipe = RECIPES[RECIPES.index("### Go on where you left off") :]
    yesterday, today = re.findall(r"^```js\n(.*?)^```$", recipe, re.DOTALL | re.MULTILINE)[:2]
    answers = []
    for code in (yesterday, today):
        server = StdioServer(environment(tmp_path))
        try:
            server.initialize()
            answers.append(server.call("execute", code=code)["result"])
        finally:
            server.stop()

    assert answers[0] == 3
    assert answers[1]["now"] == "completed"


def test_there_are_ten_recipes_and_each_has_a_snippet():
    recipes = re.split(r"^### ", RECIPES, flags=re.MULTILINE)[1:]
    snippets_in = [len(re.findall(r"^```(?:js|ts|python)$", recipe, re.MULTILINE)) for recipe in recipes]

    assert len(recipes) == 10
    assert all(snippets_in)
    assert {language for language in ("js", "ts", "python") if f"```{language}\n" in RECIPES} == {"js", "ts", "python"}


def test_every_builder_option_and_relation_is_named():
    missing = [kind for kind in BUILDERS if f"| `tb.{kind}` |" not in PAGE]
    missing += [name for builder in BUILDERS.values() for name in builder.own if f"`{name}`" not in PAGE]
    missing += [name for name in (*COMMON_OPTIONS, *RELATIONS) if f"`{name}`" not in PAGE]

    assert missing == []


def test_the_limits_are_those_that_hold():
    limits, megabyte = Limits(), 1024 * 1024
    rows = dict(re.findall(r"^\| `(\w+)` \|[^|]*\| ([^|]*) \|", PAGE[PAGE.index("## Limits") :], re.MULTILINE))
    assert rows == {
        "cpu": f"{limits.cpu_ms} ms",
        "wall": f"{limits.wall_ms // 1000} s; {snippets.PATIENT_WALL_MS // 1000} s as a [task](#long-snippets)",
        "memory": f"{limits.memory_bytes // megabyte} MB",
        "calls": f"{limits.calls:,}",
        "output": f"{limits.output_chars:,}",
        "length": f"{LONGEST_SNIPPET:,}",
        "held": f"{limits.held_ms / 1000:g} s",
        "recursion": f"{DEEPEST_CALL:,} in Python, about {DEEPEST_CALLS:,} in JavaScript",
    }
    assert [setting.variable for setting in settings.SETTINGS if f"`{setting.variable}`" not in PAGE] == []
    most = (variables.MOST, f"{variables.LONGEST:,}", f"{variables.LONGEST_TOGETHER:,}")
    assert "has at most {} values, {} characters of JSON each, {} together".format(*most) in WORDS


def test_the_modules_that_python_can_import_are_those_that_errors_name():
    listed = WORDS[WORDS.index("It can import ") : WORDS.index(" and `unicodedata`.")]

    assert [*re.findall(r"`(\w+)`", listed), "unicodedata"] == MODULES.split(", ")


LACKING = {
    "class inheritance, exceptions of one's own": "class Mine(ValueError):\n    pass",
    "`yield`": "def numbers():\n    yield 1\nlist(numbers())",
    "`next(x for x in …)`: a generator expression is a list": "next(n for n in [1, 2])",
    "`del`": "names = {}\ndel names",
    "decorators on methods (`@property`, `@staticmethod`, `@classmethod`)": (
        "class Card:\n    @property\n    def title(self):\n        return 1\nCard().title"
    ),
    "methods as values (`key=str.lower`)": "sorted(['b', 'A'], key=str.lower)",
    "exceptions with more than one text": "raise ValueError('one', 'two')",
    "`type` aliases, `except*`, `enum`, `TypedDict`": "from enum import Enum",
}


def test_what_python_lacks_is_what_the_page_says():
    rows = re.findall(r"^\| (.*?) \|", PAGE[PAGE.index("| it has no |") :].split("\n\n")[0], re.MULTILINE)
    assert rows[2:] == list(LACKING)
    box = Box()
    try:
        for code in LACKING.values():
            with pytest.raises(SnippetError):
                box.execute(code=code, language="python")
    finally:
        box.close()


def test_every_page_and_place_that_it_names_exists():
    for name, place in re.findall(r"\]\(([^):#]*)(?:#([\w-]+))?\)", PAGE):
        page = CODE.parent / name if name else CODE
        assert page.exists(), name
        assert not place or place in headings(page), f"{name}#{place}"


def headings(page: Path) -> set[str]:
    """As links name them."""
    found = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in found}
