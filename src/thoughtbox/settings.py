"""Every setting, in one table: its name, where it comes from, its default, what it is for.

Rooms have settings of their own, in a module `settings` beside their operations, found by its name. `thoughtbox config`
shows the whole table, and the documentation is checked against it.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, NamedTuple

from thoughtbox import installation, projects
from thoughtbox.errors import ConfigurationError

Transport = Literal["stdio", "http"]
Storage = Literal["fs", "memory"]
Origin = Literal["flag", "environment", "config.json", "default"]

DOMAINS = "thoughtbox.domains"
WORKSPACE = re.compile(r"(?=.{1,128}\Z)[A-Za-z0-9_][A-Za-z0-9._-]*(?:/(?!\.\.?(?:/|\Z))[A-Za-z0-9._-]+)*")
WORKSPACE_RULE = (
    "letters, digits and . _ / - (128 at most), begins with a letter, digit or _,"
    " and no part of it between slashes is empty, . or .."
)
_ORIGIN = re.compile(r"https?://(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\])(?::[0-9]{1,5})?")
SHORTEST_TOKEN = 16
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


class Settings(NamedTuple):
    """What a process was told. Made by `load`; every field stands in `SETTINGS`."""

    transport: Transport
    host: str
    port: int
    token: str | None
    allowed_hosts: tuple[str, ...]
    max_body_bytes: int
    workers: int
    data_dir: Path
    project: str
    project_root: Path | None
    workspace_lock: bool
    workspace_allowlist: tuple[str, ...]
    storage: Storage
    database_url: str | None
    durability: Literal["full", "normal"]
    toolset: str
    checkpoint_every: int
    trusted_keys: tuple[str, ...]
    agent: str | None
    task_after_ms: int
    task_ttl_ms: int
    observatory_enabled: bool
    observatory_host: str
    observatory_port: int
    observatory_cors: tuple[str, ...]
    observatory_max_connections: int
    observatory_http_api: bool
    disable_thought_logging: bool
    log_level: str
    rooms: Mapping[str, Any]
    """What the rooms were told, by the name of the setting."""

    @property
    def database(self) -> Path:
        return self.data_dir / "thoughtbox.db"

    @property
    def signing_key(self) -> Path:
        return self.data_dir / "signing.key"


class Setting(NamedTuple):
    """One row of the table."""

    field: str
    variable: str
    default: str
    parse: Callable[[str], Any]
    help: str
    secret: bool = False
    kept: str | None = None
    """Its name in `config.json`, where it can be kept."""

    def value(self, text: str, origin: Origin) -> Any:
        """What the text stands for; raises `ValueError` when it stands for nothing."""
        if self.field == "token" and origin == "flag" and not text:
            # As from a variable that was never set: whoever writes --token wants one to be asked for.
            raise ValueError("it is empty")
        return self.parse(text)


def one_of(*allowed: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text not in allowed:
            raise ValueError(f"it must be one of {', '.join(allowed)}")
        return text

    return parse


def number(low: int, high: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise ValueError("it must be a whole number") from None
        if not low <= value <= high:
            raise ValueError(f"it must lie between {low} and {high}")
        return value

    return parse


def switched_on(text: str) -> bool:
    return text.strip().lower() in ("1", "true", "yes", "on")


def _workspace(text: str) -> str:
    if not WORKSPACE.fullmatch(text):
        raise ValueError(f"the name of a workspace has {WORKSPACE_RULE}")
    return text


def optional_text(text: str) -> str | None:
    return text or None


def _token(text: str) -> str | None:
    """Refuses what could be guessed, and what would not arrive in a header as it was meant."""
    if not text:
        return None
    if any(not "!" <= character <= "~" for character in text):
        raise ValueError("it may have no blanks, and nothing but letters, digits and signs of ASCII")
    if len(text) < SHORTEST_TOKEN:
        raise ValueError(f"it is shorter than {SHORTEST_TOKEN} characters")
    return text


def _database_url(text: str) -> str | None:
    if text and not text.startswith(("postgresql://", "postgres://")):
        raise ValueError("it must begin with postgresql://")
    return text or None


def _list(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _origins(text: str) -> tuple[str, ...]:
    """Origins as browsers send them. A star would let every page that somebody visits read the whole ledger."""
    found = _list(text)
    for origin in found:
        if not _ORIGIN.fullmatch(origin):
            raise ValueError("each is http:// or https://, a name, and a port where it is not the usual one; never *")
    return found


def _workspaces(text: str) -> tuple[str, ...]:
    return tuple(map(_workspace, _list(text)))


def _directory(text: str) -> Path:
    return Path(text).expanduser().absolute()


def _project_root(text: str) -> Path | None:
    """The folder named, or the project around the folder that the server was started in."""
    return _directory(text) if text else projects.around(Path.cwd())


SETTINGS: tuple[Setting, ...] = (
    Setting("transport", "THOUGHTBOX_TRANSPORT", "http", one_of("stdio", "http"), "How MCP clients connect."),
    Setting(
        "host",
        "THOUGHTBOX_HOST",
        "127.0.0.1",
        str,
        "Address the HTTP server binds; wider than loopback needs a token.",
    ),
    Setting("port", "THOUGHTBOX_PORT", "1731", number(0, 65535), "Port of the HTTP server; 0 takes a free one."),
    Setting(
        "token",
        "THOUGHTBOX_TOKEN",
        "",
        _token,
        "Bearer token that HTTP clients must send; it reaches every workspace. 16 characters or more, no blanks.",
        secret=True,
    ),
    Setting(
        "allowed_hosts",
        "THOUGHTBOX_ALLOWED_HOSTS",
        "",
        _list,
        "More Host names (and their http and https origins) to accept, separated by commas.",
    ),
    Setting(
        "max_body_bytes",
        "THOUGHTBOX_MAX_BODY_BYTES",
        str(4 * 1024 * 1024),
        number(1024, 2**31),
        "Longest message a client may send, over HTTP or stdio.",
    ),
    Setting(
        "workers",
        "THOUGHTBOX_WORKERS",
        "1",
        number(1, 64),
        "Processes that serve HTTP, on one address and one store.",
    ),
    Setting(
        "data_dir", "THOUGHTBOX_DATA_DIR", "~/.thoughtbox", _directory, "Directory of the store and its signing key."
    ),
    Setting("project", "THOUGHTBOX_PROJECT", "_default", _workspace, "Workspace that calls go to."),
    Setting(
        "project_root",
        "THOUGHTBOX_PROJECT_ROOT",
        "",
        _project_root,
        "Directory of the project, for its `.claude` folder, exports and transcripts; when empty, the one around where"
        " the server starts.",
    ),
    Setting(
        "workspace_lock",
        "THOUGHTBOX_WORKSPACE_LOCK",
        "false",
        switched_on,
        "true: calls that name any other workspace than this are refused.",
    ),
    Setting(
        "workspace_allowlist",
        "THOUGHTBOX_WORKSPACE_ALLOWLIST",
        "",
        _workspaces,
        "Workspaces that calls may name besides this one, separated by commas; empty: any.",
    ),
    Setting(
        "storage", "THOUGHTBOX_STORAGE", "fs", one_of("fs", "memory"), "Keep the store on disk, or in memory only."
    ),
    Setting(
        "database_url",
        "THOUGHTBOX_DATABASE_URL",
        "",
        _database_url,
        "PostgreSQL to use in place of SQLite: postgresql://user:password@host/database.",
        secret=True,
    ),
    Setting(
        "durability",
        "THOUGHTBOX_DURABILITY",
        "full",
        one_of("full", "normal"),
        "full: what was answered survives a power cut. normal: it survives a killed process.",
    ),
    Setting(
        "toolset", "THOUGHTBOX_TOOLSET", "default", str, "Which tools `tools/list` shows; hidden ones stay callable."
    ),
    Setting(
        "checkpoint_every",
        "THOUGHTBOX_CHECKPOINT_EVERY",
        "1000",
        number(0, 10**9),
        "Sign a checkpoint after this many records; 0 leaves it to `thoughtbox checkpoint`.",
    ),
    Setting(
        "trusted_keys",
        "THOUGHTBOX_TRUSTED_KEYS",
        "",
        _list,
        "Public keys of other installations whose checkpoints are trusted, separated by commas.",
    ),
    Setting(
        "agent", "THOUGHTBOX_AGENT", "", optional_text, "Name to record as the author, in place of the client's own."
    ),
    Setting(
        "task_after_ms",
        "THOUGHTBOX_TASK_AFTER_MS",
        "1000",
        number(0, 60_000),
        "When a long call becomes a task, for clients that know tasks: if it is not done after so many milliseconds;"
        " 0: at once.",
    ),
    Setting(
        "task_ttl_ms",
        "THOUGHTBOX_TASK_TTL_MS",
        str(60 * 60 * 1000),
        number(1_000, 7 * 24 * 60 * 60 * 1000),
        "How long a client may ask for the result of a task after its end, in milliseconds; a week at most.",
    ),
    Setting(
        "observatory_enabled",
        "THOUGHTBOX_OBSERVATORY_ENABLED",
        "false",
        switched_on,
        "true: a server also serves the Observatory, the page to watch, search and verify everything with.",
    ),
    Setting(
        "observatory_host",
        "THOUGHTBOX_OBSERVATORY_HOST",
        "127.0.0.1",
        str,
        "Address the Observatory binds; wider than loopback needs a token.",
    ),
    Setting(
        "observatory_port",
        "THOUGHTBOX_OBSERVATORY_PORT",
        "1729",
        number(0, 65535),
        "Port of the Observatory; 0 takes a free one.",
    ),
    Setting(
        "observatory_cors",
        "THOUGHTBOX_OBSERVATORY_CORS",
        "",
        _origins,
        "Origins of other pages that may ask the Observatory's API, such as https://dash.example, separated by commas.",
    ),
    Setting(
        "observatory_max_connections",
        "THOUGHTBOX_OBSERVATORY_MAX_CONNECTIONS",
        "100",
        number(1, 4_000),
        "People and programs that may watch over WebSocket at the same time.",
    ),
    Setting(
        "observatory_http_api",
        "THOUGHTBOX_OBSERVATORY_HTTP_API",
        "true",
        switched_on,
        "false: of the Observatory's HTTP API only its health is answered, and the page cannot show anything.",
    ),
    Setting(
        "disable_thought_logging",
        "DISABLE_THOUGHT_LOGGING",
        "false",
        switched_on,
        "true: do not echo what is written to stderr.",
        kept="disableThoughtLogging",
    ),
    Setting(
        "log_level",
        "THOUGHTBOX_LOG_LEVEL",
        "warning",
        one_of("debug", "info", "warning", "error"),
        "How much the server's own log says on stderr.",
    ),
)


@cache
def all_settings() -> tuple[Setting, ...]:
    """The settings above, and those of every room."""
    modules = (f"{DOMAINS}.{room}.settings" for room in import_module(DOMAINS).ROOMS)
    found = [import_module(module) for module in modules if find_spec(module) is not None]
    return (*SETTINGS, *(setting for module in found for setting in module.SETTINGS))


def source(
    setting: Setting, given: Mapping[str, str | None], environment: Mapping[str, str], kept: Mapping[str, Any]
) -> tuple[str, Origin]:
    """What a setting is set to, and where: the command line over the environment over `config.json`."""
    if (text := given.get(setting.field)) is not None:
        return text, "flag"
    if text := environment.get(setting.variable):  # a variable that is set to nothing counts as not set
        return text, "environment"
    if setting.kept is not None and setting.kept in kept:
        value = kept[setting.kept]
        return (value if isinstance(value, str) else json.dumps(value)), "config.json"
    return setting.default, "default"


def data_dir(given: Mapping[str, str | None], environment: Mapping[str, str]) -> Path:
    """The directory whose `config.json` counts."""
    text, _ = source(next(setting for setting in SETTINGS if setting.field == "data_dir"), given, environment, {})
    return _directory(text)


def load(environment: Mapping[str, str] | None = None, **given: str | None) -> Settings:
    """Settings from the environment and `config.json`, with those given on the command line on top."""
    environment = os.environ if environment is None else environment
    unknown = given.keys() - {setting.field for setting in all_settings()}
    if unknown:
        raise TypeError(f"no such setting: {', '.join(sorted(unknown))}")
    kept = installation.read(data_dir(given, environment))
    values: dict[str, Any] = {}
    for setting in all_settings():
        text, origin = source(setting, given, environment, kept)
        try:
            values[setting.field] = setting.value(text, origin)
        except ValueError as error:
            where = {"flag": f"--{setting.field.replace('_', '-')}", "config.json": f"{setting.kept} in config.json"}
            shown = "a value" if setting.secret else repr(text)
            raise ConfigurationError(
                f"{where.get(origin, setting.variable)} is set to {shown}: {error}", recovery=setting.help
            ) from None
    return made(values)


def made(values: Mapping[str, Any]) -> Settings:
    """Settings from the value of each."""
    own = {setting.field for setting in SETTINGS}
    return Settings(
        **{field: values[field] for field in own},
        rooms={field: value for field, value in values.items() if field not in own},
    )
