"""What the page shows in these tests, and in the pictures of its documentation: a day in every room."""

from __future__ import annotations

from typing import NamedTuple

from tests.support.box import Box
from tests.support.memory import fill_memory
from tests.support.mind_day import EVENING, MORNING, TRIAL, spend
from tests.support.thinker import Client

SLOW = "Slow pages"
CACHE = "Where to keep the cache"
FLAKY = "The login test fails on every tenth run"
ACTION = "deploy-7"
TASKS = (
    ("Measure each part alone", "DONE"),
    ("Make the index", "ACTIVE"),
    ("Look at the network", "TODO"),
    ("Move the cache beside the database", "PARKED"),
    ("Warm the cache before a release", "CANCELED"),
)
FORK = 5
"""The thought of the main line that both branches of `SLOW` begin from."""
FORKED_AT = "Which of them is to be mended first?"

MEASURED = """\
S4|E|S3|Measured over a week, in **milliseconds**:

| part | median | p95 |
| --- | --- | --- |
| database | 2,900 | 4,100 |
| cache | 310 | 900 |
| network | 40 | 120 |

The slow one is `SELECT … FROM orders WHERE email = ?`, which reads all of the table.\
"""

MAIN = (
    "S1|O|Customers say that the page of their orders takes four seconds to load",
    "S2|Q|S1|Which part of the request takes the time?",
    "S3|P|S2|Measure the database, the cache and the network, each alone",
    MEASURED,
    f"S5|Q|S4|{FORKED_AT}",
    "S6|H|S4|The cache hides the worst of it: without it, every page would be as slow",
    "S7|E|S6|With the cache off, the median is 3,100 ms instead of 2,900",
    "S8|C|S5,S7|∴ The database comes first",
)
INDEX = (
    "S6|H|S5|An index on orders.email makes the query read one page instead of all",
    "S7|E|S6|On a copy of the shop: 12 ms instead of 2,900",
    "S8|C|S7|∴ Add the index with the next release",
)
WARM = (
    "S6|H|S5|Warming the cache before a release is enough",
    "S7|E|S6|Nine of ten orders are looked at once: they are never in the cache",
)


class Story(NamedTuple):
    """Where things are in a store with the story in it."""

    slow: str
    """Sessions, by their ids."""
    cache: str
    flaky: str
    last: int
    """The newest record."""


def tell(box: Box) -> Story:
    """Fill a store."""
    flaky = _flaky(box)
    cache = _cache(box)
    slow = _slow(box)
    decided = _action(box)
    for _ in spend(lambda tool, arguments: box.call(tool, arguments), [*MORNING, *TRIAL, *EVENING]):
        pass
    _plan(box)
    fill_memory(box)
    box.evidence(text="The page of orders takes 180 ms since the release", supports=decided, session="release-7")
    return Story(slow, cache, flaky, box.ledger_status()["records"])


def _slow(box: Box) -> str:
    """An active session with a revision and two branches: one is adopted, the other rejected."""
    mia = Client(box, agent="mia").ready(sessionTitle=SLOW, sessionTags=["performance", "database"])
    for text in MAIN:
        mia.think(text)
    for text in INDEX:
        mia.think(text, branchId="index", branchFromThought=FORK)
    for text in WARM:
        mia.think(text, branchId="warm-cache", branchFromThought=FORK)
    mia.call("branch.adopt", branchId="index", why="Twelve milliseconds")
    mia.call("branch.reject", branchId="warm-cache", why="It helps one order of ten")
    mia.think("S9|C|S8|∴ The index, then the network", isRevision=True, revisesThought=8, actionId=ACTION)
    return mia.session_id


def _cache(box: Box) -> str:
    """A session that has come to its end."""
    noah = Client(box, agent="noah").ready(sessionTitle=CACHE, sessionTags=["cache"])
    noah.think("S1|O|Every release drops the cache, since it lives in the process")
    noah.think("S2|H|S1|Beside the database it would outlive a release")
    noah.think("S3|C|S2|∴ It moves beside the database", nextThoughtNeeded=False)
    return noah.session_id


def _flaky(box: Box) -> str:
    noah = Client(box, agent="noah").ready(sessionTitle=FLAKY)
    noah.think("It fails when it runs after the test of the clock, and only then.")
    return noah.session_id


def _action(box: Box) -> str:
    """Why there was a release: the decision that led to it."""
    plan = box.thought_plan(sessionId="release-7", planDescription="Bring the index to the shop")["thought"]
    found = box.thought_analysis(
        sessionId="release-7", analysis="It takes 40 s to make, and locks nothing", parentId=plan["thoughtId"]
    )["thought"]
    decided = box.thought_decision(
        sessionId="release-7", decision="Release on Tuesday", parentId=found["thoughtId"], actionId=ACTION
    )["thought"]
    return decided["thoughtId"]


def _plan(box: Box) -> None:
    """Tasks of every status, and jobs that others do."""
    plan = box.tasks_create(kind="plan", title="Orders within 200 ms")["result"]["id"]
    for title, status in TASKS:
        task = box.tasks_create(parent=plan, title=title)["result"]["id"]
        box.tasks_complete(task=task, status=status)
    job = box.tasks_jobs_create(title="Measure the page of orders", prompt="Twice; report the median.")["result"]["job"]
    box.tasks_jobs_claim(job=job["id"], runner_id="runner-1")
