"""Starts a server the way tests want it: `python -P serve.py stdio|http [code to run first]`.

Settings come from the environment. Over HTTP the address is printed once connections are
accepted, and the server ends with its standard input, so that none outlives the tests.
"""

from __future__ import annotations

import os
import signal
import sys
import threading

from thoughtbox.settings import load


def main(transport: str, prelude: str = "") -> None:
    exec(prelude, {})
    if transport == "stdio":
        from thoughtbox.doors.mcp.transports.stdio import serve_stdio

        serve_stdio(load())
    else:
        from thoughtbox.doors.mcp.transports.http import serve_http

        threading.Thread(target=_end_with_stdin, daemon=True).start()
        stdout = os.dup(1)  # while serving, it leads elsewhere
        serve_http(load(), lambda address: _say(stdout, address))


def _say(descriptor: int, address: str) -> None:
    os.write(descriptor, f"{address}\n".encode())
    os.close(descriptor)


def _end_with_stdin() -> None:
    os.read(0, 1)
    os.kill(os.getpid(), signal.SIGTERM)


main(*sys.argv[1:])
