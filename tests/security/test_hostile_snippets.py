"""Snippets that mean harm, sent to a server that others use: each is ended in time, and nobody else notices."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.support.clocks import computed
from tests.support.forks import PATIENCE, forked, spawned
from tests.support.hostile_snippets import ATTACKS, Attack
from tests.support.preludes import slow_verify
from tests.support.servers import HttpServer, StdioServer, command, environment, soon
from tests.support.snippets import LANGUAGES, kinds, records_of, runs, sandboxes

MEMORY_MB = 64
"""That a server may take for all attacks together; what they use up is elsewhere."""

MUCH = {"THOUGHTBOX_CODE_CPU_MS": "60000", "THOUGHTBOX_CODE_WALL_MS": "60000"}
PATIENT = f"""
from thoughtbox.sandbox.javascript.keeper import Keeper
from thoughtbox.sandbox.python import workers
Keeper.__init__.__defaults__ = ({PATIENCE}, 10.0)
workers.PATIENCE = {PATIENCE}
"""
"""A server in which a snippet waits for a sandbox for as long as a test waits."""

HARMLESS = {"javascript": "[1, 2].map(n => n * 2)", "typescript": "[1, 2].map(n => n * 2)", "python": "[2, 4]"}

both_families = pytest.mark.parametrize("language", ["javascript", "python"])

Server = StdioServer | HttpServer


@pytest.fixture(scope="module", params=["stdio", "http"])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    told = environment(tmp_path_factory.mktemp("attacked"), THOUGHTBOX_CODE_WALL_MS="30000")  # calls take their time
    server = StdioServer(told) if request.param == "stdio" else HttpServer(told)
    if isinstance(server, StdioServer):
        server.initialize()
    yield server
    server.stop()


def execute(server: Server, code: str, language: str, **more: Any) -> dict[str, Any]:
    """What the tool answers, or the error that it refuses with."""
    return server.call("execute", code=code, language=language, **more)


class Bystander(threading.Thread):
    """Another client, which asks small things all the time."""

    def __init__(self, server: HttpServer) -> None:
        super().__init__(daemon=True)
        self._server = server
        self._is_to_stop = threading.Event()
        self.answered = 0
        self.wrong: list[Any] = []

    def __enter__(self) -> Bystander:
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._is_to_stop.set()
        self.join(PATIENCE)

    def run(self) -> None:
        while not self._is_to_stop.wait(0.005):
            answer = self._server.call("ledger_status")
            self.answered += 1
            if "records" not in answer:
                self.wrong.append(answer)


def ended_as(answer: dict[str, Any]) -> str:
    """The limit that was broken, or the code of the error."""
    if answer.get("code") == "LIMIT_EXCEEDED":
        return answer["details"]["limit"]
    return answer.get("code", "no error")


def assert_ends_as_it_has_to(attack: Attack, answer: dict[str, Any]) -> None:
    assert ended_as(answer) in attack.ends, (attack.name, answer)
    assert answer["message"]


def with_a_ping_behind_it(server: StdioServer, code: str, language: str) -> dict[str, Any]:
    """Over stdio there is one client only, whose calls wait for each other: its ping is answered meanwhile."""
    asked = server.request("tools/call", {"name": "execute", "arguments": {"code": code, "language": language}})
    answers = {answer["id"]: answer for answer in server.answers({asked, server.request("ping")})}
    return answers[asked]["result"]["structuredContent"]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_attack_is_answered_in_time_with_its_error_while_others_are_served(server: Server, language: str):
    execute(server, HARMLESS[language], language)
    began_at, before = len(records(server)), server.resident_mb()
    attacks = ATTACKS[language]

    if isinstance(server, StdioServer):
        for attack in attacks:
            assert_ends_as_it_has_to(attack, with_a_ping_behind_it(server, attack.code, language))
    else:
        with Bystander(server) as other:
            for attack in attacks:
                assert_ends_as_it_has_to(attack, execute(server, attack.code, language))
            soon(lambda: other.answered)
        assert other.wrong == []

    assert execute(server, HARMLESS[language], language)["result"] == [2, 4]
    assert server.resident_mb() - before < MEMORY_MB
    assert set(kinds(records(server)[began_at:])) == {"tool_call", "tool_result"}


@both_families
@pytest.mark.parametrize("transport", [StdioServer, HttpServer])
def test_while_a_snippet_computes_everything_else_is_answered(
    tmp_path: Path, transport: type[StdioServer] | type[HttpServer], language: str
):
    server = transport(environment(tmp_path, **MUCH))
    endless = {"code": ATTACKS[language][0].code, "language": language}
    try:
        with ThreadPoolExecutor(1) as other:
            if isinstance(server, StdioServer):
                server.initialize()
                asked = server.request("tools/call", {"name": "execute", "arguments": endless})
            else:
                asked = other.submit(server.call, "execute", **endless)
            soon(lambda: any(computed(pid) > 0.5 for pid in sandboxes(server.pid)))
            for _ in range(20):
                if isinstance(server, StdioServer):
                    pinged = server.request("ping")
                    while (said := server.receive().get("id")) != pinged:
                        assert said != asked, "it has ended"
                else:
                    assert "records" in server.call("ledger_status")
            assert isinstance(asked, str) or not asked.done()
            server.stop()
    finally:
        server.stop()


def records(server: Server) -> list[Any]:
    return records_of(lambda tool, arguments: server.call(tool, **arguments))


@both_families
def test_behind_eight_hostile_snippets_a_harmless_one_is_answered_soon(tmp_path: Path, language: str):
    with _served(environment(tmp_path), PATIENT) as server, ThreadPoolExecutor(9) as clients:
        execute(server, HARMLESS[language], language)
        endless = ATTACKS[language][0].code
        attacks = [clients.submit(execute, server, endless, language) for _ in range(8)]

        harmless = clients.submit(execute, server, HARMLESS[language], language).result(PATIENCE)

        assert harmless.get("result") == [2, 4], harmless
        assert {ended_as(attack.result(PATIENCE)) for attack in attacks} == {"cpu"}


@both_families
def test_behind_eight_snippets_that_wait_a_harmless_one_is_answered_when_their_time_is_up(
    tmp_path: Path, language: str
):
    told = environment(tmp_path / "data", THOUGHTBOX_CODE_WALL_MS="2000")
    waits = {"javascript": "tb.ledger.ledger_verify({})", "python": "tb.ledger.ledger_verify()"}[language]
    with _served(told, PATIENT + slow_verify(tmp_path / "mark")) as server, ThreadPoolExecutor(9) as clients:
        execute(server, HARMLESS[language], language)
        attacks = [clients.submit(execute, server, waits, language) for _ in range(8)]

        harmless = clients.submit(execute, server, HARMLESS[language], language).result(PATIENCE)

        assert harmless.get("result") == [2, 4], harmless
        assert {ended_as(attack.result(PATIENCE)) for attack in attacks} == {"wall"}


def close_stdin(server: StdioServer) -> None:
    server.close_stdin()


def terminate(server: StdioServer) -> None:
    server.popen.terminate()


def kill(server: StdioServer) -> None:
    os.kill(server.pid, signal.SIGKILL)


@pytest.mark.sampled(2)
@both_families
@pytest.mark.parametrize("end", [close_stdin, terminate, kill], ids=lambda end: end.__name__)
def test_no_sandbox_outlives_its_server_whatever_it_is_doing(
    tmp_path: Path, language: str, end: Callable[[StdioServer], None]
):
    """One sandbox computes and would do so for long; of Python, whose engine looks at the clock itself, as usual."""
    cpu = {"THOUGHTBOX_CODE_CPU_MS": "60000"} if language == "javascript" else {}
    server = StdioServer(environment(tmp_path / "data", **cpu), start=spawned)
    try:
        server.initialize()
        execute(server, HARMLESS["javascript"], "javascript")
        execute(server, HARMLESS["python"], "python")
        endless = ATTACKS[language][0].code
        server.request("tools/call", {"name": "execute", "arguments": {"code": endless, "language": language}})
        left = sandboxes(server.pid)
        assert len(left) >= 2

        end(server)

        server.ends_within(PATIENCE)
        soon(lambda: not any(map(command, left)))
    finally:
        server.stop()


POLLUTES = {
    "javascript": (
        "Object.prototype.evil = 'evil'; Array.prototype.map = () => 'evil'; JSON.stringify = () => '\"evil\"';"
        " String.prototype.repeat = () => 'evil'; globalThis.leaked = 'evil'; Promise.prototype.then = null;"
        " try { tb.claim = () => ({id: 'evil'}) } catch {} try { tb.ledger = 'evil' } catch {} tb.vars.list()"
    ),
    "python": "leaked = 'evil'\ndef len(x):\n    return 'evil'\nprint = 'evil'\ntb = 'evil'\nlen([1])",
}
LOOKS = {
    "javascript": (
        "[({}).evil, [1].map(n => n + 1), JSON.stringify({a: 1}), 'x'.repeat(2), typeof leaked, tb.claim('c').kind,"
        " tb.ledger.ledger_status({}).workspace]"
    ),
    "python": (
        "def known():\n    try:\n        return leaked\n    except NameError:\n        return None\n"
        "[len([1]), tb.claim('c').kind, tb.ledger.ledger_status()['workspace']]"
    ),
}
SEEN = {
    "javascript": [None, [2], '{"a":1}', "xx", "undefined", "claim", "_default"],
    "python": [1, "claim", "_default"],
}


@both_families
def test_what_one_snippet_changes_in_its_language_is_not_there_for_another_clients(tmp_path: Path, language: str):
    with _served(environment(tmp_path)) as server, ThreadPoolExecutor(2) as clients:

        def pollute() -> list[Any]:
            return [execute(server, POLLUTES[language], language, session="mine") for _ in range(6)]

        def look() -> list[Any]:
            return [execute(server, LOOKS[language], language, session="yours").get("result") for _ in range(6)]

        polluting, looking = clients.submit(pollute), clients.submit(look)

        assert looking.result(PATIENCE) == [SEEN[language]] * 6
        polluting.result(PATIENCE)
        assert execute(server, LOOKS[language], language)["result"] == SEEN[language]


def test_a_global_of_one_snippet_is_unknown_to_the_next(tmp_path: Path):
    with _served(environment(tmp_path)) as server:
        for language, code in (
            ("javascript", "globalThis.leaked = 1; var kept = 2; 0"),
            ("python", "leaked = kept = 1"),
        ):
            execute(server, code, language)
            for name in ("leaked", "kept"):
                assert execute(server, name, language)["code"] in ("SNIPPET_FAILED", "SNIPPET_INVALID")


def test_what_is_stored_under_the_names_of_prototypes_is_plain_data_to_whoever_reads_it(tmp_path: Path):
    names = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "__class__", "then"]
    stores = (
        f'for (const name of {names}) tb.vars.set(name, JSON.parse(\'{{"__proto__": {{"evil": 1}}, "then": 1}}\'));'
        " tb.claim('__proto__', {labels: ['__proto__'], metrics: JSON.parse('{\"__proto__\": 1}')}).id"
    )
    reads = (
        f"const read = {names}.map(name => tb.vars.get(name));"
        " const found = tb.code.authored({}).records;"
        " [({}).evil, [].evil, read.map(each => Object.keys(each).length), found[0].labels, typeof {}.toString]"
    )
    with _served(environment(tmp_path)) as server:
        stored = execute(server, stores, "javascript", session="s1")
        assert "result" in stored, stored

        seen = execute(server, reads, "javascript", session="s1")

        assert seen["result"] == [None, None, [2] * len(names), ["__proto__"], "function"]
        in_python = f"[tb.vars.get(name)['then'] for name in {names}]"
        assert execute(server, in_python, "python", session="s1")["result"] == [1] * len(names)


def test_a_search_is_held_to_the_same_limits_and_leaves_the_catalog_whole(tmp_path: Path):
    spoils = {
        "javascript": "try { catalog.operations.length = 0 } catch {} globalThis.catalog = 'evil'; for (;;) {}",
        "python": "catalog['operations'].clear()\ncatalog = 'evil'\nwhile True:\n    pass",
    }
    counts = {"javascript": "catalog.operations.length", "python": "len(catalog['operations'])"}
    with _served(environment(tmp_path)) as server:
        for language, code in spoils.items():
            for _ in range(2):
                assert ended_as(server.call("search", code=code, language=language)) == "cpu"
                assert server.call("search", code=counts[language], language=language)["result"] > 200
            flood = server.call("search", code="while (true) print('x'.repeat(1000))", language="javascript")
            assert ended_as(flood) == "output"
            asked = server.call("search", code="tb.claim('x')", language=language)
            assert asked["code"] in ("SNIPPET_FAILED", "SNIPPET_INVALID")
        assert records(server) == []


@pytest.mark.parametrize(
    "call",
    [
        "tb.mind.status({workspace: 'theirs'})",
        "tb.mind.notes_commit({workspace: 'theirs', content: 'x'})",
        "tb.calls.batch({calls: [{operation: 'status', arguments: {workspace: 'theirs'}}]})",
        "tb.calls.thoughtbox_gateway({operation: 'status', workspace: 'theirs'})",
    ],
)
def test_a_snippet_reaches_no_other_workspace_than_that_of_its_call(reached: HttpServer, call: str):
    refused = execute(reached, call, "javascript")

    assert refused["code"] == "INVALID_OPERATION"
    assert "SECRET" not in str(refused)


@pytest.mark.parametrize("path", ["/etc/passwd", "../outside", "{outside}", "../../../../etc", ".hidden/secret.json"])
@pytest.mark.parametrize(
    "call",
    [
        "tb.mind.transcripts_search({{query: 'SECRET', root_dir: '{path}'}})",
        "tb.mind.transcripts_digest({{root_dir: '{path}'}})",
        "tb.memory.get_project_context({{project_path: '{path}'}})",
        "tb.memory.export_config({{file_path: '{path}'}})",
        "tb.thoughts.bind_root({{rootUri: 'file://{path}'}})",
    ],
    ids=lambda call: call.split("(")[0],
)
def test_a_snippet_reads_and_writes_no_file_that_is_none_of_its_business(
    reached: HttpServer, outside: Path, call: str, path: str
):
    said = execute(reached, call.format(path=path.format(outside=outside)), "javascript")

    assert "SECRET" not in str(said)
    assert outside.read_text(encoding="utf-8") == "SECRET"
    assert not list(outside.parent.glob("outside?*"))


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("javascript", "tb.os.system({command: 'true'})"),
        ("javascript", "tb.thoughts.nothing({})"),
        ("javascript", "tb['__proto__'].x({})"),
        ("javascript", "tb.thoughts.__proto__.x({})"),
        ("javascript", "tb.thoughts.constructor({})"),
        ("javascript", "tb.code.search({code: 'for (;;) {}', language: 'javascript'})"),
        ("javascript", "tb.code.execute({code: '1'})"),
        ("javascript", "tb.calls.batch({calls: [{operation: 'search', arguments: {code: 'for (;;) {}'}}]})"),
        ("javascript", "tb.calls.batch({calls: [{operation: 'execute', arguments: {code: '1'}}]})"),
        ("javascript", "tb.calls.thoughtbox_gateway({operation: 'execute', code: '1'})"),
        ("javascript", "tb.tool_call('x')"),
        ("javascript", "tb.code.tool_result({})"),
        ("javascript", "tb[`${'a'.repeat(100000)}`].x({})"),
        ("python", "tb.os.system(command='true')"),
        ("python", "tb.thoughts.nothing()"),
        ("python", "tb.thoughts.__class__()"),
        ("python", "tb.code.search(code='1')"),
        ("python", "tb.checkpoint('x')"),
        ("python", "getattr(tb, 'os').system()"),
    ],
)
def test_what_the_table_does_not_have_or_a_snippet_may_not_call_is_refused(
    reached: HttpServer, language: str, code: str
):
    refused = execute(reached, code, language)

    assert refused.get("code") in ("INVALID_OPERATION", "HOST_ONLY", "SNIPPET_FAILED", "SNIPPET_INVALID"), refused
    assert len(str(refused)) < 2_000


def test_none_of_that_has_left_anything_but_failed_pairs(reached: HttpServer):
    """Told last: the server is the one of the stories above."""
    found = records(reached)

    assert all(not each for each in runs(found))
    assert reached.call("ledger_verify")["valid"]


@pytest.fixture(scope="module")
def outside(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("reach") / "outside"
    path.write_text("SECRET", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def reached(outside: Path) -> Iterator[HttpServer]:
    """A server with a neighbour's workspace and files around its project that are none of anybody's business."""
    project = outside.parent / "data-project"
    (project / ".hidden").mkdir(parents=True)
    (project / ".hidden" / "secret.json").write_text('{"secret": "SECRET"}', encoding="utf-8")
    with _served(environment(outside.parent / "data")) as server:
        written = server.call("notes_commit", workspace="theirs", content="SECRET")
        assert written["success"]
        yield server


class _served:  # noqa: N801 - reads like a function
    """An HTTP server that is gone when the test is."""

    def __init__(self, told: dict[str, str], prelude: str = "") -> None:
        self._kept = ExitStack()
        self._server = HttpServer(told, prelude=prelude, start=forked)
        self._kept.callback(self._server.stop)

    def __enter__(self) -> HttpServer:
        return self._server

    def __exit__(self, *error: object) -> None:
        self._kept.close()
