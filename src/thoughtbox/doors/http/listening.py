"""The address that a server is at."""

from __future__ import annotations

import socket

from thoughtbox.doors.http import limits
from thoughtbox.errors import ConfigurationError

LONGEST_QUEUE = 1024
"""Connections that wait to be accepted; the system may have a lower limit."""


def base_of(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def listen_at(host: str, port: int, *, variable: str) -> socket.socket:
    """Take the port before anything else: a busy one is said at once. `variable` is the setting that names it."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        # Whoever has vanished without a word is given up in time; connections inherit it.
        patience = round(limits.SILENCE_SECONDS * 1000)
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, patience)
    try:
        listening.bind((host, port))
        listening.listen(LONGEST_QUEUE)
    except OSError as error:
        listening.close()
        raise ConfigurationError(
            f"{host} port {port} cannot be had ({error.strerror})",
            recovery=f"Set {variable} to another one, or 0 for any that is free; `thoughtbox doctor` shows more.",
        ) from error
    return listening
