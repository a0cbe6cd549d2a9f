"""`python -m tests.support.sdk_door stdio|http [code to run first]`: serve as `thoughtbox serve` did on the SDK.

Settings come from the environment. Over HTTP the address is printed once connections are accepted, and the server
ends with its standard input.
"""

from __future__ import annotations

import gc
import logging
import os
import signal
import sys
import threading

from thoughtbox.doors.terminal import PrintableFormatter
from thoughtbox.settings import load


def main(transport: str, prelude: str = "") -> None:
    exec(prelude, {})
    settings = load()
    logging.basicConfig(stream=sys.stderr, level=settings.log_level.upper())
    for handler in logging.getLogger().handlers:
        handler.setFormatter(PrintableFormatter("thoughtbox: %(levelname)s %(name)s: %(message)s"))
    gc.disable()  # until `Thoughtbox.keep`: looking for garbage would delay the start
    if transport == "stdio":
        from tests.support.sdk_door.transports.stdio import serve_stdio

        serve_stdio(settings)
    else:
        from tests.support.sdk_door.transports.http import serve_http

        threading.Thread(target=_end_with_stdin, daemon=True).start()
        stdout = os.dup(1)  # while serving, it leads elsewhere
        serve_http(settings, lambda address: _say(stdout, address))


def _say(descriptor: int, address: str) -> None:
    os.write(descriptor, f"{address}\n".encode())
    os.close(descriptor)


def _end_with_stdin() -> None:
    os.read(0, 1)
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    main(*sys.argv[1:])
