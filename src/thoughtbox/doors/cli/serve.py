"""`serve`: start the MCP server."""

from __future__ import annotations

import gc
import json
import logging
import os
import sys
from typing import TYPE_CHECKING

from thoughtbox import __version__
from thoughtbox.doors.cli.store import CannotOpen, settings_of
from thoughtbox.doors.terminal import PrintableFormatter
from thoughtbox.errors import ConfigurationError, StorageError
from thoughtbox.settings import Settings

if TYPE_CHECKING:
    from argparse import Namespace


def serve(args: Namespace) -> int:
    settings = settings_of(args)
    _must_suit(settings)
    if settings.observatory_enabled:
        from thoughtbox.doors.http.admission import check_exposure

        check_exposure(settings, settings.observatory_host, "THOUGHTBOX_OBSERVATORY_HOST")
    logging.basicConfig(stream=sys.stderr, level=settings.log_level.upper())
    for handler in logging.getLogger().handlers:
        handler.setFormatter(PrintableFormatter("thoughtbox: %(levelname)s %(name)s: %(message)s"))
    # All that is imported now stays: looking through it for garbage would delay the start. `Thoughtbox.keep` ends this.
    gc.disable()
    try:
        if settings.transport == "stdio":
            _serve_stdio(settings)
        else:
            return _serve_http(settings)
    except ConfigurationError:
        raise
    except StorageError as error:
        raise CannotOpen(error) from error
    return 0


def _must_suit(settings: Settings) -> None:
    """Refuse several processes where there can be one only."""
    if settings.workers == 1:
        return
    if settings.transport == "stdio":
        raise ConfigurationError(
            f"THOUGHTBOX_WORKERS is {settings.workers}, and over stdio a server is one process, for one client",
            recovery="Leave it at 1, or serve over HTTP.",
        )
    if _is_in_memory(settings):
        raise ConfigurationError(
            f"THOUGHTBOX_WORKERS is {settings.workers}, and a store in memory belongs to one process",
            recovery="Leave it at 1, or keep the store on disk: --storage fs.",
        )


def _is_in_memory(settings: Settings) -> bool:
    """Whether what it has recorded is gone with the process, so that no other one can go on from there."""
    return settings.storage == "memory" and settings.database_url is None


def _serve_stdio(settings: Settings) -> None:
    from thoughtbox.doors.mcp.transports.stdio import serve_stdio

    if sys.stdin and sys.stdin.isatty():
        _say("Waiting for an MCP client on standard input. A client starts this by itself; for people there is --http.")
    serve_stdio(settings)


def _serve_http(settings: Settings) -> int:
    from thoughtbox.doors.mcp.transports.worker import Inherited

    inherited = Inherited.mine()
    if inherited is not None:
        from thoughtbox.doors.mcp.transports.http import serve_as_worker

        serve_as_worker(settings, inherited)
        return 0
    again = [sys.executable, "-P", "-m", "thoughtbox", *sys.argv[1:]]
    if settings.workers > 1:
        from thoughtbox.doors.mcp.transports.supervisor import supervise

        return supervise(settings, lambda address: _say(announcement(settings, address)), again)
    from thoughtbox.doors.mcp.transports.http import serve_http

    serve_http(
        settings, lambda address: _say(announcement(settings, address)), [] if _is_in_memory(settings) else again
    )
    return 0


def announcement(settings: Settings, address: str) -> str:
    """Where the server is, and how to connect a client."""
    from thoughtbox.tokens import Tokens

    url = address.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")
    base = url.rpartition("/")[0]
    store = "PostgreSQL" if settings.database_url else settings.database if settings.storage == "fs" else "memory"
    claude = f"claude mcp add --transport http thoughtbox {url}"
    codex = f"codex mcp add thoughtbox --url {url}"
    cursor: dict[str, object] = {"url": url}
    if settings.token is not None or Tokens(settings.data_dir).read():
        claude += ' --header "Authorization: Bearer $THOUGHTBOX_TOKEN"'
        codex += " --bearer-token-env-var THOUGHTBOX_TOKEN"
        cursor["headers"] = {"Authorization": "Bearer ${env:THOUGHTBOX_TOKEN}"}
    lines = [
        f"Thoughtbox {__version__} listens on {address}",
        f"  store        {store}, workspace {settings.project}, durability {settings.durability}",
        "",
        f"  Claude Code  {claude}",
        f"  Codex        {codex}",
        f"  Cursor       in .cursor/mcp.json: {json.dumps({'mcpServers': {'thoughtbox': cursor}})}",
        f"  health       curl {base}/health",
        *([] if _is_in_memory(settings) else [f"  restart      kill -USR1 {os.getpid()}"]),
        "",
    ]
    if url != address:
        lines.append("  From other machines, use a name that THOUGHTBOX_ALLOWED_HOSTS lists.")
    return "\n".join([*lines, "Ctrl-C ends it."])


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
