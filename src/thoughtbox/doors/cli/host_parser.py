"""What can be said about a project and the host that agents run in: `init`, `install`, `presets`, `demo`, `hook`."""

from __future__ import annotations

from argparse import SUPPRESS, ArgumentParser
from typing import TYPE_CHECKING

from thoughtbox.domains.memory.hosts.clients import CLIENTS, HOOKS

if TYPE_CHECKING:
    from thoughtbox.doors.cli.parser import Commands

MEANT = ("project",)
"""`--project` says here whose files are meant; the workspace is named by `--workspace`."""


def add_host_commands(commands: Commands) -> None:
    _add_init(commands)
    _add_install(commands)
    _add_presets(commands)
    _add_demo(commands)
    _add_hook(commands)


def _add_init(commands: Commands) -> None:
    parser = commands.add(
        "init",
        "set a project up: its preset, its key, and the hooks of its host",
        run="init:init",
        without=MEANT,
        epilog="On a terminal it asks; elsewhere, and with --yes, it takes the options and the defaults.",
    )
    parser.add_argument("--preset", metavar="NAME", help="the preset (three-gate, or what the project has)")
    parser.add_argument("--client", choices=CLIENTS, default=None, help="the host (claude-code)")
    parser.add_argument("--no-hooks", action="store_true", help="leave the host's files alone")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    _add_workspace(parser)


def _add_install(commands: Commands) -> None:
    parser = commands.add(
        "install",
        "have a host run the hooks and start the server",
        run="install:install",
        without=MEANT,
        epilog="examples:\n"
        "  thoughtbox install --client claude-code --dry-run\n"
        "  thoughtbox install --client codex --user\n"
        "\nWhat a file said before stays in a copy beside it; `thoughtbox uninstall` takes out what was put in.",
    )
    _add_host(parser)
    parser.add_argument("--preset", metavar="NAME", help="also make this preset the project's")
    parser.add_argument("--toolset", metavar="NAME", default=SUPPRESS, help="which tools the server shows there")
    parser = commands.add(
        "uninstall", "take out of a host's files what install has put in", run="install:uninstall", without=MEANT
    )
    _add_host(parser)


def _add_host(parser: ArgumentParser) -> None:
    parser.add_argument("--client", choices=CLIENTS, default=CLIENTS[0], help=f"the host ({CLIENTS[0]})")
    scope = parser.add_mutually_exclusive_group()
    scope.add_argument(
        "--project", dest="scope", action="store_const", const="project", help="for this project (default)"
    )
    scope.add_argument("--user", dest="scope", action="store_const", const="user", help="for all projects of yours")
    parser.set_defaults(scope="project")
    parser.add_argument("--dry-run", action="store_true", help="show what would change, and change nothing")
    _add_workspace(parser)


def _add_presets(commands: Commands) -> None:
    parser = commands.add(
        "presets",
        "list the presets of a project, show one, apply one",
        run="presets:presets",
        epilog="examples:\n  thoughtbox presets\n  thoughtbox presets show strict\n  thoughtbox presets apply minimal",
    )
    parser.add_argument(
        "action", nargs="?", choices=("list", "show", "apply"), default="list", metavar="list|show|apply", help="list"
    )
    parser.add_argument("name", nargs="?", metavar="NAME", help="the preset")
    _add_workspace(parser)


def _add_demo(commands: Commands) -> None:
    commands.add("demo", "walk a guarded cycle on a store of its own, and show each step", run="demo:demo")


def _add_hook(commands: Commands) -> None:
    parser = commands.add(
        "hook",
        "answer a host's event, with its JSON on standard input",
        run="hook:hook",
        epilog=f"events: {', '.join(HOOKS)}. Hosts run this; `thoughtbox install` tells them to.",
    )
    parser.add_argument("event", choices=(*HOOKS, "drain"), metavar="EVENT", help="the event")
    parser.add_argument("--client", choices=CLIENTS, default=CLIENTS[0], help=f"the host ({CLIENTS[0]})")
    parser.add_argument("--no-gateway", action="store_true", help="the agent sees tools, and no gateway")


def _add_workspace(parser: ArgumentParser) -> None:
    parser.add_argument("--workspace", default=SUPPRESS, help="the workspace of the store")
