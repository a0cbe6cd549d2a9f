"""What the page of notebooks shows in these tests and in its picture: drawn, checked, replayed and cited."""

from __future__ import annotations

from typing import Any, NamedTuple

from tests.support.box import Box
from tests.support.notebooks import Notebook
from tests.support.thinker import Client

NAME = "How long does the page of orders take?"
OTHER = "Prime numbers"

PROSE = """\
A week of requests, before the index and after it. What counts is the **95th percentile**: that is what customers
complain about.

- before the release: [the session](https://shop.example/slow-pages) says four seconds
- after it: see below\
"""

MEASURED = """\
import pandas as pd

parts = ["database", "cache", "network"]
measured = pd.DataFrame({"median": [2900, 310, 40], "p95": [4100, 900, 120], "share": [0.88, 0.09, 0.03]}, index=parts)
print(f"{len(measured)} parts")
measured\
"""

DRAWN = """\
from IPython.display import SVG

bar = '<text x="8" y="{0}" font-size="13">{1}</text><rect x="80" y="{2}" width="{3}" height="18" fill="#2560c4"/>'
bars = [bar.format(24 * n + 22, part, 24 * n + 8, ms / 10) for n, (part, ms) in enumerate(measured["p95"].items())]
SVG(f'<svg xmlns="http://www.w3.org/2000/svg" width="520" height="88">{"".join(bars)}</svg>')\
"""

CHECKED = """\
const limit: number = 200;
const after = [12, 31, 180];
console.log(`${after.filter((ms) => ms <= limit).length} of ${after.length} within ${limit} ms`);
console.error("one of them is close");\
"""

BROKEN = """\
def share(part):
    return measured.loc[part, "share"] / measured.loc[part, "errors"]

share("database")\
"""

TIMED = "import time\nprint(f'measured at {time.time_ns()}')"


class NotebookStory(NamedTuple):
    """Where things are in a store with the notebook in it."""

    id: str
    cells: dict[str, str]
    """By filename."""
    run: dict[str, Any]
    """The run that is cited."""
    evidence: str
    claim: str
    replay: str
    made: int
    """The record that made it."""
    last: int


def tell(box: Box) -> NotebookStory:
    """Fill a store."""
    mia = Client(box, stateless=True, agent="mia")
    other = Notebook(mia, name=OTHER)
    other.call("add_cell", type="markdown", content="To be continued.")
    claim = box.claim(text="The index makes the page of orders fast enough", session="release-7")["id"]
    made = box.ledger_status()["records"] + 1
    notebook = Notebook(mia, name=NAME, language="python")
    notebook.call("add_cell", type="title", content=NAME)
    notebook.call("add_cell", type="markdown", content=PROSE)
    sources = {
        "measured.py": MEASURED,
        "drawn.py": DRAWN,
        "checked.ts": CHECKED,
        "broken.py": BROKEN,
        "timed.py": TIMED,
    }
    cells = {name: notebook.code(source, name) for name, source in sources.items()}
    first = notebook.run(cells["measured.py"])
    assert first["status"] == "completed", first
    noah = Client(box, stateless=True, agent="noah")
    noah.call("notebook.run_cell", notebookId=notebook.id, cellId=cells["checked.ts"])
    notebook.call("run_all", continueOnError=True)
    ran = notebook.run(cells["checked.ts"])
    assert ran["status"] == "completed", ran
    cited = mia.call("notebook.cite", runId=ran["runId"], target=claim, note="All three parts are within 200 ms.")
    replayed = notebook.call("replay")
    last = box.ledger_status()["records"]
    return NotebookStory(notebook.id, cells, ran, cited["id"], claim, replayed["id"], made, last)
