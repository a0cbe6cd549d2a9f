"""Packages for a notebook, from registries on loopback."""

from __future__ import annotations

import pytest

from tests.domains.notebooks.conftest import OpenClient
from tests.support.notebooks import Notebook
from tests.support.registries import near
from thoughtbox.errors import InvalidPayload

pytestmark = pytest.mark.one_engine

__all__ = ["near"]


@pytest.mark.usefixtures("near")
def test_python_packages_go_into_an_environment_of_the_notebook_and_are_there_at_once(open_client: OpenClient):
    mia = open_client()
    notebook, other = Notebook(mia, language="python"), Notebook(mia, language="python")
    assert "ModuleNotFoundError" in notebook.ran("import tiny_answer", "before.py")["error"]

    installed = notebook.call("install_deps", packages=["tiny-answer==1.0"])

    assert (installed["success"], installed["manager"]) == (True, "pip"), installed
    assert notebook.ran("import tiny_answer; tiny_answer.ANSWER", "after.py")["output"] == "42\n"
    assert "ModuleNotFoundError" in other.ran("import tiny_answer", "a.py")["error"]
    event = notebook.call("history")["events"][3]
    assert (event["what"], event["packages"]) == ("packages installed", ["tiny-answer==1.0"])
    notebook.call("delete_cell", cellId="before.py")
    assert notebook.call("replay")["same"] is True


@pytest.mark.usefixtures("near")
def test_npm_packages_go_into_the_folder_without_their_install_scripts_unless_trusted(open_client: OpenClient):
    mia = open_client()
    for trusted in (False, True):
        notebook = Notebook(mia, trusted=trusted)
        notebook.call(
            "add_cell", type="package.json", content='{"name": "mine", "dependencies": {"tiny-answer": "1.0.0"}}'
        )

        installed = notebook.call("install_deps")

        assert installed["success"] is True, installed
        assert installed["manager"] == "npm"
        assert notebook.ran("console.log(require('tiny-answer'))", "a.cjs")["output"] == "42\n"
        ran = notebook.ran("console.log(require('fs').existsSync('ran-install'))", "b.cjs")["output"]
        assert ran == f"{str(trusted).lower()}\n"
        assert notebook.call("replay")["cells"][0]["same"] is True


@pytest.mark.usefixtures("near")
def test_what_is_not_there_or_would_have_to_be_built_is_an_answer_and_no_error(open_client: OpenClient):
    notebook = Notebook(open_client(), language="python")
    missing = notebook.call("install_deps", packages=["no-such-thing"])
    assert missing["success"] is False
    assert "no-such-thing" in missing["error"]
    built = notebook.call("install_deps", packages=["tiny-source"])
    assert built["success"] is False
    assert notebook.ran("import os; os.path.exists('ran-setup')", "a.py")["output"] == "False\n"
    assert notebook.call("history")["events"][3]["what"] == "packages not installed"


NO_PACKAGES = [
    *(
        "--index" + "-url=http://x",
        "-r",
        "../x",
        "/etc/passwd",
        "./x",
        "file:///x",
        "git+https://x/y",
        "http://x/y.tgz",
    ),
    *("a b", "a;b", "$(id)", "`id`", "a|b", "x@file:../y", "x@npm:y", "x@git+ssh://y", "a\tb", "@/x", "x@", "~/x"),
]


@pytest.mark.parametrize("language", ["javascript", "python"])
def test_names_that_are_options_paths_or_commands_are_refused(open_client: OpenClient, language: str):
    mia = open_client()
    notebook = Notebook(mia, language=language)
    before = mia.records()
    for name in NO_PACKAGES:
        with pytest.raises(InvalidPayload) as refused:
            notebook.call("install_deps", packages=["good", name])
        assert refused.value.details["fields"][0].startswith("packages")
    assert mia.records() == before


def test_without_any_package_it_is_said_what_to_send(open_client: OpenClient):
    for language in ("javascript", "python"):
        with pytest.raises(InvalidPayload) as refused:
            Notebook(open_client(), language=language).call("install_deps")
        assert "left-pad" in (refused.value.recovery or "")
