"""What trust lifts, reading and the network, and what it does not."""

from __future__ import annotations

import os
import shutil
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from tests.domains.notebooks.conftest import OpenClient
from tests.support.notebooks import Notebook

pytestmark = pytest.mark.one_engine


@pytest.fixture
def told() -> Iterator[Path]:
    """A file that only the server's user may read, outside of all temporary folders that a box has of its own."""
    path = Path.home() / f".thoughtbox-test-{os.getpid()}-{uuid4()}"
    path.write_text("for the server alone", encoding="utf-8")
    path.chmod(0o600)
    yield path
    path.unlink()


@pytest.fixture
def port() -> Iterator[int]:
    """A service on the machine's own loopback."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection:
                    connection.sendall(b"reached")

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
        thread.join()


READS = {
    "a.py": "print(open({path!r}).read())",
    "a.cjs": "console.log(require('fs').readFileSync({path!r}, 'utf8'))",
}
CONNECTS = {
    "a.py": "import socket\nprint(socket.create_connection(('127.0.0.1', {port}), 5).recv(99).decode())",
    "a.cjs": "require('net').connect({port}, '127.0.0.1').on('data', d => console.log(String(d)))",
}


@pytest.mark.parametrize("filename", READS)
def test_files_outside_are_read_by_trusted_notebooks_only(open_client: OpenClient, told: Path, filename: str):
    source = READS[filename].format(path=str(told))
    mia = open_client()
    assert "for the server alone" not in str(Notebook(mia).ran(source, filename))
    assert Notebook(mia, trusted=True).ran(source, filename)["output"] == "for the server alone\n"


@pytest.mark.parametrize("filename", CONNECTS)
def test_the_network_is_there_for_trusted_notebooks_only(open_client: OpenClient, port: int, filename: str):
    source = CONNECTS[filename].format(port=port)
    mia = open_client()
    assert Notebook(mia).ran(source, filename)["status"] == "failed"
    assert Notebook(mia, trusted=True).ran(source, filename)["output"] == "reached\n"


def test_trust_lifts_no_limit_and_gives_no_right_to_write(open_client: OpenClient, told: Path):
    mia = open_client(THOUGHTBOX_NOTEBOOK_CPU_SECONDS="2", THOUGHTBOX_NOTEBOOK_PROCESSES="40")
    notebook = Notebook(mia, trusted=True)
    assert notebook.ran(f"open({str(told)!r}, 'w')", "write.py")["status"] == "failed"
    assert notebook.ran(f"open({str(told.parent / 'more')!r}, 'w')", "make.py")["status"] == "failed"
    assert told.read_text(encoding="utf-8") == "for the server alone"
    bomb = "import subprocess\nall = [subprocess.Popen(['sleep', '900']) for _ in range(99)]"
    assert notebook.ran(bomb, "bomb.py")["status"] == "failed"
    assert notebook.ran("while (true);", "loop.js")["error"].startswith("timeout: ")
    assert notebook.ran("import os; print(sorted(os.environ))", "env.py")["output"].count("THOUGHTBOX") == 0


def test_the_store_and_its_key_are_out_of_sight_even_where_a_notebook_is_trusted(open_client: OpenClient):
    place = Path.home() / f".thoughtbox-test-{os.getpid()}-{uuid4()}"
    try:
        mia = open_client(THOUGHTBOX_DATA_DIR=str(place))
        place.mkdir(mode=0o700, exist_ok=True)
        (place / "kept").write_text("x", encoding="utf-8")
        for trusted in (False, True):
            said = Notebook(mia, trusted=trusted).ran(f"import os; print(os.listdir({str(place)!r}))", "a.py")
            assert said["output"] in ("", "[]\n")
    finally:
        shutil.rmtree(place)
