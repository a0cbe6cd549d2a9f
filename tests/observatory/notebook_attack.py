"""Notebooks in which every text is hostile: their names, what cells say, and what runs have shown, in every form."""

from __future__ import annotations

import json
from typing import NamedTuple

from tests.observatory.attack import is_a_line
from tests.support.box import Box
from tests.support.hostile_texts import ALL, ELSEWHERE, RUN
from tests.support.notebooks import Notebook
from tests.support.thinker import Client
from thoughtbox.doors.observatory.reads.notebooks import MOST_PIECES

MARKED = "All of it is here"

SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="40" height="40"'
    f' onload="{RUN}">'
    f"<script>{RUN}; parent.{RUN}</script><style>@import '{ELSEWHERE}/x.css';</style>"
    f'<image href="{ELSEWHERE}/x.png" width="9" height="9"/><use xlink:href="{ELSEWHERE}/x.svg#a"/>'
    f'<foreignObject><body xmlns="http://www.w3.org/1999/xhtml"><img src="x" onerror="{RUN}"/></body></foreignObject>'
    f'<a href="javascript:{RUN}"><rect width="40" height="40"/></a></svg>'
)

FORMS = {
    "html": "{'text/html': text}",
    "html-with-text": "{'text/html': text, 'text/plain': text}",
    "table": "{'text/html': f'<table onclick={text!r}><tr><th>{text}</th><td style={text!r}>{text}</td></tr></table>'}",
    "markdown": "{'text/markdown': text}",
    "json": "{'application/json': text}",
    "svg": "{'image/svg+xml': text}",
    "script": "{'application/javascript': text, 'application/vnd.x': text}",
    "named": "{text[:80]: text, 'text/plain': 'named'}",
}
"""How a cell shows each of the texts."""


class Planted(NamedTuple):
    notebooks: dict[str, str]
    """By what is hostile in them."""
    outputs: list[tuple[str, str]]
    """Outputs that would like to run when they are opened by themselves: hash and type."""


def plant(box: Box) -> Planted:
    mia = Client(box, stateless=True)
    for hostile in ALL:
        if is_a_line(hostile.text):
            mia.call("notebook.create", name=hostile.text[:100])
    notebooks = {"said": _said(mia), "printed": _printed(mia)}
    for name, form in FORMS.items():
        notebooks[name] = _shown(mia, name, form)
    return Planted(notebooks, _alone(mia))


def _said(mia: Client) -> str:
    """In titles, prose, code and packages."""
    notebook = Notebook(mia, name="Said")
    for number, hostile in enumerate(ALL):
        notebook.call("add_cell", type=("title", "markdown")[number % 2], content=hostile.text)
        notebook.code(hostile.text, f"cell-{number}.js")
    notebook.call("add_cell", type="markdown", content=MARKED)
    return notebook.id


def _printed(mia: Client) -> str:
    """As streams and as an error."""
    notebook = Notebook(mia, name="Printed", language="python")
    texts = f"import json, sys\nTEXTS = json.loads({json.dumps(json.dumps([each.text for each in ALL]))})\n"
    notebook.ran(f"{texts}for text in TEXTS:\n    print(text)", "stdout.py")
    notebook.ran("for text in TEXTS:\n    print(text, file=sys.stderr)", "stderr.py")
    notebook.ran("raise ValueError('\\n'.join(TEXTS))", "error.py")
    notebook.call("add_cell", type="markdown", content=MARKED)
    return notebook.id


def _shown(mia: Client, name: str, form: str) -> str:
    """As results of a program, which says itself what they are."""
    notebook = Notebook(mia, name=f"Shown as {name}", language="python")
    all_texts = [SVG, *(each.text for each in ALL)]
    for number in range(0, len(all_texts), MOST_PIECES):
        texts = json.dumps(json.dumps(all_texts[number : number + MOST_PIECES]))
        ran = notebook.ran(
            "import json\nfrom IPython.display import display\n"
            f"for text in json.loads({texts}):\n    display({form}, raw=True)",
            f"shown-{number}.py",
        )
        assert ran["status"] == "completed", ran
    notebook.call("add_cell", type="markdown", content=MARKED)
    return notebook.id


def _alone(mia: Client) -> list[tuple[str, str]]:
    notebook = Notebook(mia, name="Alone", language="python")
    page = f"<!doctype html><script>{RUN}</script><img src=x onerror={RUN}>"
    shown = json.dumps(json.dumps([{"image/svg+xml": SVG}, {"text/html": page}, {"text/markdown": page}]))
    ran = notebook.ran(
        "import json\nfrom IPython.display import display\n"
        f"for shown in json.loads({shown}):\n    display(shown, raw=True)",
        "alone.py",
    )
    return [(output["sha256"], output["mime"]) for output in ran["outputs"]]
