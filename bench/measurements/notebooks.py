"""Notebooks: how soon a cell has run, what is left when a server is killed, and what many cost whoever else calls."""

from __future__ import annotations

import random
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any

import orjson

from bench.client import Client
from bench.clock import medians
from bench.machine import wait_until_idle
from bench.measurements import postgres
from bench.measurements.start import started
from bench.notebooks import (
    ENDINGS,
    NODE,
    Agent,
    PlainKernel,
    busy,
    killed,
    left_of,
    processes_of,
    program,
    server,
    told,
)
from bench.run import Run, settings_for
from bench.servers import with_rooms
from bench.stores import thought
from bench.table import Line, at_least, at_most
from thoughtbox.app import Thoughtbox
from thoughtbox.domains import ROOMS
from thoughtbox.operations.dispatch import Call
from thoughtbox.settings import Settings

KILLS = 20
KILLED_WITHIN = (0.05, 0.6)
"""Seconds of a run after which its server is killed: some before the first output, some behind it."""
LEFT_SECONDS = 2.0
SETTLED_SECONDS = 5.0
"""For a new server to say of a run that it was interrupted."""

BUSY_SECONDS = 4
AT_ONCE = ("python", "javascript", "typescript", "python", "javascript", "typescript", "python", "javascript")
MANY, FEW, CELLS = 500, 5, 20
READS: dict[str, dict[str, Any]] = {"notebook.list": {}, "notebook.get": {"notebookId": "latest"}}

PYTHON_CELLS = {
    "an expression": "6 * 7",
    "a thousand lines": "for number in range(1000): print('line', number)",
    "a table": "from IPython.display import HTML, display\ndisplay(HTML('<table><tr><td>7</td></tr></table>'))",
    "an error": "1 / 0",
}
ENDLESS = {
    "python": (
        "import time, subprocess\nsubprocess.Popen(['sleep', '600'])\n"
        "while True:\n    print('on and on')\n    time.sleep(0.1)"
    ),
    "javascript": (
        "import { spawn } from 'node:child_process';\nspawn('sleep', ['600'], { detached: true });\n"
        "setInterval(() => console.log('on and on'), 100);"
    ),
}
BUSY = {
    "python": f"""
import time
end = time.monotonic() + {BUSY_SECONDS}
while time.monotonic() < end:
    print("TOKEN", flush=True)
    pause = time.monotonic() + 0.1
    while time.monotonic() < pause:
        sum(range(1000))
""",
    "javascript": f"""
const end = performance.now() + {BUSY_SECONDS * 1000};
while (performance.now() < end) {{
  console.log("TOKEN");
  const pause = performance.now() + 100;
  while (performance.now() < pause) Math.sqrt(performance.now());
}}
""",
}
BUSY["typescript"] = BUSY["javascript"].replace("const end =", "const end: number =")


def measure(run: Run) -> Iterator[Line]:
    yield from _python(run)
    run.say("notebooks, javascript")
    yield from _javascript(run)
    run.say("notebooks, killed")
    yield from _killed(run)
    run.say("notebooks, at once")
    yield from _at_once(run)
    run.say("notebooks, many")
    yield from _many(run)
    run.say("notebooks, unused")
    yield from _unused(run)


def _python(run: Run) -> Iterator[Line]:
    """First cells of new notebooks on a server that has run one; then later cells beside a kernel in no box."""
    firsts: list[float] = []
    with server(run.new_directory()) as client, PlainKernel() as plain:
        agent = Agent(client)
        agent.begin()
        for number in range(-1, run.rounds(15, 5)):
            notebook_id = agent.notebook("python")
            cell = agent.cell(notebook_id, "python", "6 * 7")
            taken = _taken(lambda given=(notebook_id, cell): agent.run(*given))
            if number >= 0:
                firsts.append(taken)
        notebook_id = agent.notebook("python")
        above: dict[str, float] = {}
        own: dict[str, float] = {}
        for place, (what, source) in enumerate(PYTHON_CELLS.items()):
            cell = agent.cell(notebook_id, "python", source, f"cell{place}")
            call = {"notebookId": notebook_id, "cellId": cell}
            actions: dict[str, Callable[[], object]] = {
                "ours": lambda call=call: agent.call("notebook.run_cell", **call),
                "plain": lambda source=source: plain.run(source),
            }
            p50 = medians(run.rounds(40, 15), actions, warm_up=3)
            above[what], own[what] = p50["ours"] - p50["plain"], p50["plain"]
    yield Line(
        what=f"first Python cell of a notebook, kernel from a warm pool, median of {len(firsts)}",
        value=median(firsts) * 1e3,
        unit="ms",
        bar=at_most(500),
    )
    for what, taken in above.items():
        yield Line(
            what=f"later Python cells above the kernel's own {own[what] * 1e3:.1f} ms: {what}, p50",
            value=taken * 1e3,
            unit="ms",
            bar=at_most(30),
        )
    yield from _cold_python(run)


def _cold_python(run: Run) -> Iterator[Line]:
    """The first cell that a server runs at all, sent as soon as the cell is there, and once all is quiet."""
    for what, is_quiet in (("at once", False), ("once all is quiet", True)):
        taken = []
        for _ in range(run.rounds(5, 3)):
            with server(run.new_directory()) as client:
                agent = Agent(client)
                agent.begin()
                notebook_id = agent.notebook("python")
                cell = agent.cell(notebook_id, "python", "6 * 7")
                if is_quiet:
                    wait_until_idle(process.number for process in processes_of(client.pid))
                taken.append(_taken(lambda agent=agent, given=(notebook_id, cell): agent.run(*given)))
        yield Line(what=f"first Python cell of a server, {what}, median", value=median(taken) * 1e3, unit="ms")


def _javascript(run: Run) -> Iterator[Line]:
    """The first cell that a server runs, and Node alone, in turns; then the ones behind it."""
    directory = run.new_directory()
    firsts: dict[str, list[float]] = {"javascript": [], "typescript": []}
    sources = {"javascript": "console.log(6 * 7);", "typescript": "const six: number = 6;\nconsole.log(six * 7);"}
    nodes: list[float] = []
    laters: list[float] = []
    for number in range(-1, run.rounds(15, 5)):
        for language, source in sources.items():
            node = _taken(lambda: subprocess.run([str(NODE), "-e", ""], check=True))
            with server(directory) as client:
                agent = Agent(client)
                agent.begin()
                notebook_id = agent.notebook(language)
                cell = agent.cell(notebook_id, language, source)
                first = _taken(lambda agent=agent, given=(notebook_id, cell): agent.run(*given))
                later = _taken(lambda agent=agent, given=(notebook_id, cell): agent.run(*given))
            if number >= 0:
                nodes.append(node)
                firsts[language].append(first)
                if language == "javascript":
                    laters.append(later)
    floor = (2 * median(nodes) + 0.05) * 1e3
    floored: dict[str, Any] = {"unit": "ms", "against": floor, "against_what": '2x `node -e ""` plus 50 ms'}
    yield Line(
        what=f"first JavaScript cell of a server, median of {len(laters)}",
        value=median(firsts["javascript"]) * 1e3,
        bar=at_most(1),
        **floored,
    )
    yield Line(what="first TypeScript cell of a server, median", value=median(firsts["typescript"]) * 1e3, **floored)
    yield Line(
        what="a later JavaScript cell, median",
        value=median(laters) * 1e3,
        unit="ms",
        against=median(nodes) * 1e3,
        against_what='`node -e ""`',
    )


def _killed(run: Run) -> Iterator[Line]:
    """A server killed in the middle of a run, and the next one on its store."""
    directory = run.new_directory()
    chance = random.Random(KILLS)
    intact = settled = left = 0
    for number in range(KILLS):
        language = ("python", "javascript")[number % 2]
        client = server(directory)
        agent = Agent(client)
        agent.begin()
        notebook_id = agent.notebook(language)
        agent.call("notebook.add_cell", notebookId=notebook_id, type="markdown", content=f"Notebook {number}")
        cell = agent.cell(notebook_id, language, ENDLESS[language])
        before = _cells(agent, notebook_id)
        agent.send("notebook.run_cell", notebookId=notebook_id, cellId=cell)
        _until_running(agent, notebook_id, cell)
        time.sleep(chance.uniform(*KILLED_WITHIN))
        known = killed(client)
        with client:
            left += len(left_of(known, LEFT_SECONDS))
        with server(directory) as later:
            agent = Agent(later)
            agent.begin()
            settled += _is_interrupted(agent, notebook_id, cell)
            intact += _cells(agent, notebook_id) == before
    what = f"`kill -9` of the server during a run, {KILLS} times"
    yield Line(what=f"{what}: notebooks that are intact", value=intact, unit="runs", bar=at_least(KILLS))
    yield Line(
        what=f"{what}: recorded as interrupted at the next start", value=settled, unit="runs", bar=at_least(KILLS)
    )
    yield Line(what=f"{what}: left {LEFT_SECONDS:g} s later", value=left, unit="processes", bar=at_most(0))


def _cells(agent: Agent, notebook_id: str) -> list[dict[str, Any]]:
    """What stands in a notebook, without what became of it."""
    cells = agent.call("notebook.get", notebookId=notebook_id)["notebook"]["cells"]
    ran = ("status", "output", "error")
    return [{name: value for name, value in cell.items() if name not in ran} for cell in cells]


def _until_running(agent: Agent, notebook_id: str, cell: str) -> None:
    while agent.call("notebook.get_cell", notebookId=notebook_id, cellId=cell)["cell"]["status"] != "running":
        time.sleep(0.01)


def _is_interrupted(agent: Agent, notebook_id: str, cell: str) -> bool:
    """Whether the ledger says so, without anything else being run or asked for."""
    until = time.monotonic() + SETTLED_SECONDS
    while time.monotonic() < until:
        found = agent.call("notebook.get_cell", notebookId=notebook_id, cellId=cell)["cell"]
        if found["status"] == "failed" and (found["error"] or "").startswith("interrupted"):
            return True
        time.sleep(0.05)
    return False


def _at_once(run: Run) -> Iterator[Line]:
    """Eight notebooks that compute, and calls beside them; against the same calls beside as many busy programs."""
    files = run.new_directory()
    files.mkdir()
    programs = [program(language, _file(files, place, language)) for place, language in enumerate(AT_ONCE)]
    boxed: list[float] = []
    plain: list[float] = []
    alone: list[float] = []
    wrong = 0
    with server(run.new_directory()) as client:
        agent = Agent(client)
        agent.begin()
        cells = [_busy_cell(agent, place, language) for place, language in enumerate(AT_ONCE)]
        _at_once_round(agent, cells)  # kernels are started, and are there from now on
        for _ in range(run.rounds(4, 2)):
            alone += _called(client, time.monotonic() + 1)
            wrong += _at_once_round(agent, cells, boxed)
            with busy(programs):
                time.sleep(0.3)
                plain += _called(client, time.monotonic() + BUSY_SECONDS - 1)
    what = f"{len(AT_ONCE)} notebooks that compute at once"
    yield Line(what=f"{what}: runs that show what is not theirs", value=wrong, unit="runs", bar=at_most(0))
    yield Line(
        what=f"{what}: thought_record beside them, p50",
        value=median(boxed) * 1e6,
        unit="µs",
        against=median(plain) * 1e6,
        against_what="beside as many busy programs in no box",
        bar=at_most(1.5),
    )
    yield Line(
        what=f"{what}: thought_record beside them, mean",
        value=sum(boxed) / len(boxed) * 1e6,
        unit="µs",
        against=sum(plain) / len(plain) * 1e6,
        against_what="beside as many busy programs in no box",
        bar=at_most(1.5),
    )
    yield Line(
        what=f"{what}: thought_record beside them, p50",
        value=median(boxed) * 1e6,
        unit="µs",
        against=median(alone) * 1e6,
        against_what="alone on the machine",
    )


def _token(place: int) -> str:
    return f"token-{place}-of-its-own"


def _file(folder: Path, place: int, language: str) -> Path:
    """The same as the cell, for ever."""
    path = folder / f"busy{place}.{ENDINGS[language]}"
    source = BUSY[language].replace("TOKEN", _token(place)).replace(f"+ {BUSY_SECONDS}", "+ 1e9", 1)
    path.write_text(source, encoding="utf-8")
    return path


def _busy_cell(agent: Agent, place: int, language: str) -> tuple[str, str]:
    notebook_id = agent.notebook(language)
    return notebook_id, agent.cell(notebook_id, language, BUSY[language].replace("TOKEN", _token(place)))


def _at_once_round(agent: Agent, cells: list[tuple[str, str]], times: list[float] | None = None) -> int:
    """Run all of them and call beside them; how many have shown anything but their own token."""
    sent = [agent.send("notebook.run_cell", notebookId=each, cellId=cell) for each, cell in cells]
    if times is not None:
        time.sleep(0.5)
        times += _called(agent.client, time.monotonic() + BUSY_SECONDS - 1.5)
    wrong = 0
    for place, request in enumerate(sent):
        ran = told(agent.client.answer(request))
        lines = set(ran["output"].split())
        wrong += ran["status"] != "completed" or lines != {_token(place)} or ran["notebookId"] != cells[place][0]
    return wrong


def _called(client: Client, until: float) -> list[float]:
    """What calls take, one after the other, until then."""
    taken = []
    while time.monotonic() < until:
        number = len(taken)
        taken.append(_taken(lambda number=number: client.call_tool("thought_record", thought("busy", number))))
        time.sleep(0.002)
    return taken


def _many(run: Run) -> Iterator[Line]:
    """Reads in a store of many notebooks and in one of few, in turns: over stdio, in process, on PostgreSQL."""
    directories = {count: run.new_directory() for count in (FEW, MANY)}
    with ExitStack() as stack:
        boxes = {count: _filled(stack, count, settings_for(path)) for count, path in directories.items()}
        yield from _reads(run, boxes, "in process")
    with ExitStack() as stack:
        agents = {count: Agent(stack.enter_context(server(path))) for count, path in directories.items()}
        for agent in agents.values():
            agent.begin()
        for operation, arguments in READS.items():
            actions = {
                count: lambda agent=agent, call=(operation, arguments): agent.call(call[0], **call[1])
                for count, agent in agents.items()
            }
            yield _read(f"`{operation}`", "over stdio", medians(run.rounds(300, 100), actions, warm_up=20))
    with postgres.server() as url, postgres.server() as other:
        if not url or not other:
            run.notes.append("PostgreSQL was left out of the notebooks: it is not there, or did not start.")
            return
        with ExitStack() as stack:
            boxes = {}
            for count, address in ((FEW, url), (MANY, other)):
                settings = settings_for(run.new_directory(), database_url=address)
                settings.data_dir.mkdir(parents=True)
                boxes[count] = _filled(stack, count, settings)
            yield from _reads(run, boxes, "on PostgreSQL")


def _filled(stack: ExitStack, count: int, settings: Settings) -> Thoughtbox:
    box = stack.enter_context(Thoughtbox(settings))
    for number in range(count):
        box.dispatcher.call(_call(box, "notebook.import", {"content": _written(number)}))
    return box


def _reads(run: Run, boxes: dict[int, Thoughtbox], where: str) -> Iterator[Line]:
    """The list is also asked for so short that both stores answer with as many lines."""
    asked = [
        *((f"`{operation}`", operation, arguments) for operation, arguments in READS.items()),
        (f"`notebook.list` of {FEW}", "notebook.list", {"limit": FEW}),
    ]
    for what, operation, arguments in asked:
        actions = {
            count: lambda box=box, call=(operation, arguments): box.dispatcher.call(_call(box, *call))
            for count, box in boxes.items()
        }
        yield _read(what, where, medians(run.rounds(300, 100), actions, warm_up=20))


def _read(what: str, where: str, p50: dict[int, float]) -> Line:
    return Line(
        what=f"{what} at {MANY} notebooks of {CELLS} cells, {where}, p50",
        value=p50[MANY] * 1e6,
        unit="µs",
        against=p50[FEW] * 1e6,
        against_what=f"at {FEW}",
        bar=at_most(2),
    )


def _call(box: Thoughtbox, operation: str, arguments: dict[str, Any]) -> Call:
    return Call(operation=operation, workspace=box.settings.project, arguments=arguments)


def _written(number: int) -> str:
    """A notebook with outputs, as Jupyter writes it."""
    printed = {"output_type": "stream", "name": "stdout", "text": ["42\n"]}
    cells = [
        {
            "cell_type": "code",
            "execution_count": place,
            "id": f"c{place}",
            "metadata": {},
            "outputs": [printed],
            "source": [f"print({place} * {number})  # a cell of an ordinary length, with a remark"],
        }
        for place in range(CELLS)
    ]
    about = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return orjson.dumps({"cells": cells, "metadata": about, "nbformat": 4, "nbformat_minor": 5}).decode()


def _unused(run: Run) -> Iterator[Line]:
    """Starts of a copy with this room and of one without it, in turns, and what the first has imported."""
    others = [room for room in ROOMS if room != "notebooks"]
    with_it = with_rooms(run.new_directory(), run.new_directory())
    without = with_rooms(run.new_directory(), run.new_directory(), others)
    for each in (with_it, without):
        with Client(each) as client:
            client.call()
            wait_until_idle([client.pid])
    found = started({"with": lambda: with_it, "without": lambda: without}, run.rounds(15, 5))
    for what, ms, other in (
        ("start to `initialize` answer, no notebook used", found["with"].ms, found["without"].ms),
        ("start to the first answered call, no notebook used", found["with"].call_ms, found["without"].call_ms),
    ):
        yield Line(what=what, value=ms, unit="ms", against=other, against_what="without the room", bar=at_most(1.05))
    yield Line(
        what="resident memory after start, no notebook used",
        value=found["with"].mb,
        unit="MB",
        against=found["without"].mb,
        against_what="without the room",
        bar=at_most(1.05),
    )


def _taken(action: Callable[[], object]) -> float:
    began = time.perf_counter()
    action()
    return time.perf_counter() - began
