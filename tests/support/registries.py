"""Package registries on loopback, with a few small packages: what `pip` and `npm` speak, and no more."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import tarfile
import threading
import zipfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

WHEEL = "tiny_answer-1.0-py3-none-any.whl"
HOSTILE = "evil-1.0-py3-none-any.whl"
SDIST = "tiny_source-1.0.tar.gz"
TARBALL = "tiny-answer-1.0.0.tgz"


MARK = "open('/notebook/was-run', 'w').close()"
"""Left by code of the hostile wheel, wherever that is run."""
_SCRIPT = "#!/bin/sh\ntouch /notebook/was-run\n"
HOSTILE_FILES = {
    "evil_is_here.py": "",
    "evil.pth": f"import os; {MARK}\n",
    "sitecustomize.py": f"{MARK}\n",
    "usercustomize.py": f"{MARK}\n",
    # What pip itself is made of, or tries to import.
    **{f"{name}/__init__.py": f"{MARK}\n" for name in ("pip", "attr", "keyring", "setuptools", "certifi")},
    "pip/__main__.py": f"{MARK}\n",
    **{
        f"evil-1.0.data/scripts/{name}": "#!/bin/sh\ntouch /notebook/was-run\n" for name in ("python", "python3", "pip")
    },
    "evil-1.0.data/data/bin/python": "#!/bin/sh\ntouch /notebook/was-run\n",
}


def _wheel(name: str, given: dict[str, str]) -> bytes:
    made = io.BytesIO()
    info = f"{name}-1.0.dist-info"
    files = {
        **given,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name.replace('_', '-')}\nVersion: 1.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/RECORD": "",
    }
    with zipfile.ZipFile(made, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return made.getvalue()


def _packed(files: dict[str, str]) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return made.getvalue()


def _sdist() -> bytes:
    setup = "open('/notebook/ran-setup', 'w').write('x')\nfrom setuptools import setup\nsetup(name='tiny-source')\n"
    return _packed({"tiny_source-1.0/setup.py": setup, "tiny_source-1.0/PKG-INFO": "Metadata-Version: 2.1\n"})


def _npm_package() -> bytes:
    about = {
        "name": "tiny-answer",
        "version": "1.0.0",
        "main": "index.js",
        "scripts": {"install": "node -e \"require('fs').writeFileSync(process.env.INIT_CWD + '/ran-install', 'x')\""},
    }
    return _packed({"package/package.json": json.dumps(about), "package/index.js": "module.exports = 42;\n"})


@contextmanager
def registries() -> Generator[str]:
    """The address at which both are: `/simple` is that of Python, `/npm/` that of Node."""
    wheel, hostile = _wheel("tiny_answer", {"tiny_answer.py": "ANSWER = 42\n"}), _wheel("evil", HOSTILE_FILES)
    sdist, package = _sdist(), _npm_package()

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            here = f"http://{self.headers['Host']}"
            integrity = "sha512-" + base64.b64encode(hashlib.sha512(package).digest()).decode()
            dist = {"tarball": f"{here}/npm/{TARBALL}", "integrity": integrity}
            version = {"name": "tiny-answer", "version": "1.0.0", "dist": dist, "hasInstallScript": True}
            packument = {"name": "tiny-answer", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": version}}
            found = {
                "/simple/tiny-answer/": ("text/html", f'<a href="/files/{WHEEL}">{WHEEL}</a>'.encode()),
                "/simple/tiny-source/": ("text/html", f'<a href="/files/{SDIST}">{SDIST}</a>'.encode()),
                "/simple/evil/": ("text/html", f'<a href="/files/{HOSTILE}">{HOSTILE}</a>'.encode()),
                f"/files/{WHEEL}": ("application/zip", wheel),
                f"/files/{HOSTILE}": ("application/zip", hostile),
                f"/files/{SDIST}": ("application/gzip", sdist),
                "/npm/tiny-answer": ("application/json", json.dumps(packument).encode()),
                f"/npm/{TARBALL}": ("application/gzip", package),
            }.get(self.path)
            kind, body = found or ("text/plain", b"no such thing")
            self.send_response(200 if found else 404)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: object) -> None:
            """Nothing: tests have no log."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def near(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Both installers go to loopback."""
    with registries() as address:
        monkeypatch.setenv("PIP_INDEX_URL", f"{address}/simple")
        monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
        monkeypatch.setenv("npm_config_registry", f"{address}/npm/")
        monkeypatch.setenv("npm_config_userconfig", "/dev/null")
        for name in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL"):
            monkeypatch.delenv(name, raising=False)
        yield
