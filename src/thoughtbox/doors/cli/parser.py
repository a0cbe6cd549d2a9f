"""What can be said on the command line. Nothing heavy is imported here: every start pays for it."""

from __future__ import annotations

from argparse import SUPPRESS, ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Collection, Sequence
from typing import Any

from thoughtbox import __version__
from thoughtbox.doors.cli.exit_codes import EXIT_CODES
from thoughtbox.doors.cli.flags import OBSERVE, SERVE, SERVE_FLAGS, STORE_FLAGS, TRANSPORTS, option
from thoughtbox.sandbox.protocol import LANGUAGES
from thoughtbox.settings import all_settings

_HELP = {setting.field: setting.help for setting in all_settings()}
_METAVARS = {
    "data_dir": "DIR",
    "project": "WORKSPACE",
    "database_url": "URL",
    "storage": "fs|memory",
    "durability": "full|normal",
    "transport": "stdio|http",
    "host": "ADDRESS",
    "port": "NUMBER",
    "workers": "NUMBER",
    "toolset": "NAME",
    "token": "TEXT",
}


def build(words: Sequence[str] = ()) -> ArgumentParser:
    """The parser; of a line that begins with a command, with that command alone: to make all of them takes a while."""
    parser = ArgumentParser(
        prog="thoughtbox",
        description="The reasoning ledger for AI agents: serve it, ask it, and check that nobody has touched it.",
        epilog="exit codes:\n" + "\n".join(f"  {code:<4} {meaning}" for code, meaning in EXIT_CODES.items()),
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"thoughtbox {__version__}")
    parser.set_defaults(run=None, rest=None, workspace=None)
    _add_common(parser)
    commands = Commands(parser)
    own = own_commands()
    if words and words[0] in own:
        own[words[0]](commands)
        return parser
    from thoughtbox.doors.cli.host_parser import add_host_commands

    for add in (*own.values(), add_host_commands):
        add(commands)
    return parser


def own_commands() -> dict[str, Callable[[Commands], None]]:
    """How each command is added to the parser, by its name; those about hosts and projects stand in `host_parser`."""
    return {
        "serve": _add_serve,
        "observe": _add_observe,
        "call": _add_call,
        "exec": _add_exec,
        "ops": _add_ops,
        "sessions": _add_sessions,
        "show": _add_show,
        "verify": _add_verify,
        "trust": _add_trust,
        "rebuild": _add_rebuild,
        "checkpoint": _add_checkpoint,
        "prove": _add_prove,
        "decode": _add_decode,
        "export": _add_export,
        "import": _add_import,
        "doctor": _add_doctor,
        "config": _add_config,
        "token": _add_token,
    }


class Commands:
    """The commands of the parser, each with the function that runs it, by name: it is imported when it runs."""

    def __init__(self, parser: ArgumentParser, *, dest: str = "command") -> None:
        self._parsers = parser.add_subparsers(title=f"{dest}s", metavar=dest.upper(), dest=dest)

    def add(
        self,
        name: str,
        help: str,
        *,
        run: str,
        rest: str | None = None,
        epilog: str | None = None,
        without: Collection[str] = (),
    ) -> Any:
        """`rest` names the list that takes words standing behind options, `without` what it means otherwise."""
        parser = self._parsers.add_parser(
            name,
            help=help,
            description=f"{help[:1].upper()}{help[1:]}.",
            epilog=epilog,
            formatter_class=RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        parser.set_defaults(run=run, rest=rest)
        _add_common(parser, json=name != "call", without=without)
        return parser


def _add_common(parser: ArgumentParser, *, json: bool = True, without: Collection[str] = ()) -> None:
    """Options that may stand before the command or behind it."""
    group = parser.add_argument_group("the store")
    for field in STORE_FLAGS:
        if field not in without:
            _add_setting(group, field)
    group = parser.add_argument_group("output")
    if json:
        group.add_argument("--json", dest="as_json", action="store_true", default=SUPPRESS, help="answer in JSON")
    group.add_argument(
        "--no-color", action="store_true", default=SUPPRESS, help="no colours; NO_COLOR says the same for good"
    )


def _add_setting(group: Any, field: str, name: str = "") -> None:
    metavar = _METAVARS[field.removeprefix("observatory_")]
    group.add_argument(name or option(field), dest=field, metavar=metavar, default=SUPPRESS, help=_HELP[field])


def _add_serving(parser: ArgumentParser) -> Any:
    group = parser.add_argument_group("the server")
    for field in SERVE_FLAGS:
        _add_setting(group, field)
    return group


def _add_serve(commands: Commands) -> None:
    parser = commands.add("serve", "start the MCP server", run=SERVE)
    group = _add_serving(parser)
    for transport in TRANSPORTS:
        group.add_argument(
            f"--{transport}",
            dest="transport",
            action="store_const",
            const=transport,
            default=SUPPRESS,
            help=f"the same as --transport {transport}",
        )
    told = "serve the Observatory too: a page to watch, search and verify everything with"
    on = {"action": "store_const", "const": "true"}
    group.add_argument(OBSERVE, dest="observatory_enabled", **on, default=SUPPRESS, help=told)


def _add_observe(commands: Commands) -> None:
    parser = commands.add(
        "observe",
        "serve the Observatory alone: a page to watch, search and verify everything with",
        run="observe:observe",
        epilog="examples:\n  thoughtbox observe\n  thoughtbox observe backup.jsonl.gz",
    )
    parser.add_argument("file", nargs="?", metavar="FILE", help="an export to look at; the store when left out")
    group = parser.add_argument_group("the server")
    _add_setting(group, "observatory_host", "--host")
    _add_setting(group, "observatory_port", "--port")
    _add_setting(group, "token")
    _add_workspace(parser)


def _add_call(commands: Commands) -> None:
    parser = commands.add(
        "call",
        "run an operation and print its answer as JSON",
        run="operations:call",
        rest="pairs",
        epilog="examples:\n"
        "  thoughtbox call thought_plan sessionId=s1 planDescription='Move the cache.'\n"
        '  thoughtbox call thought_tree --json \'{"sessionId":"s1","includeChildren":true}\'\n'
        "\n`thoughtbox ops` lists the operations; `thoughtbox ops NAME` shows the arguments of one.",
    )
    parser.add_argument("name", metavar="NAME", help="the operation")
    parser.add_argument("pairs", nargs="*", metavar="key=value", help="arguments, one by one")
    given = parser.add_mutually_exclusive_group()
    given.add_argument("--json", dest="arguments", metavar="OBJECT", help="arguments as JSON; - reads standard input")
    given.add_argument("--file", metavar="FILE", help="a file with the arguments as JSON")
    parser.add_argument("--key", help="idempotency key: the same key again returns the first answer")
    parser.add_argument("--as-of", metavar="SEQ", help="read as if this record were the newest, such as 17 or th:17")
    _add_workspace(parser)


def _add_exec(commands: Commands) -> None:
    parser = commands.add(
        "exec",
        "run a snippet of JavaScript, TypeScript or Python: all of its records are written, or none",
        run="snippets:run",
        epilog="example:\n  echo 'tb.claim(\"Reads dominate\").id' | thoughtbox exec -\n"
        "\nWhat it logs goes to standard error, its result to standard output.",
    )
    parser.add_argument("file", metavar="FILE", help="the snippet; - reads standard input")
    parser.add_argument(
        "--language", choices=LANGUAGES, help="without it, what the file's name or the snippet itself says"
    )
    parser.add_argument("--session", help="session that its records go to; without one, a new one")
    parser.add_argument("--key", help="idempotency key: the same key again returns the first answer")
    _add_workspace(parser)


def _add_ops(commands: Commands) -> None:
    parser = commands.add("ops", "list the operations, or show one in full", run="operations:ops")
    parser.add_argument(
        "name",
        nargs="?",
        metavar="NAME",
        help="show this one in full; of `session`, list those that begin with session.",
    )
    parser.add_argument("--room", help="only those of this room")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--writes", action="store_true", help="only those that write")
    kind.add_argument("--reads", action="store_true", help="only those that read")
    parser.add_argument("--filter", metavar="TEXT", help="only those whose name or description has this text")


def _add_sessions(commands: Commands) -> None:
    parser = commands.add(
        "sessions",
        "list the sessions of thought, show one, search or export them",
        run="browse:list_sessions",
        epilog="examples:\n"
        "  thoughtbox sessions\n"
        "  thoughtbox sessions --tag database --limit 50\n"
        "  thoughtbox sessions search slow pages\n"
        "  thoughtbox sessions export latest --format markdown --to session.md\n"
        "\nA session is named by its id, the beginning of its id, its title, or `latest`.",
    )
    _add_listing(parser)
    actions = Commands(parser, dest="action")
    _add_listing(actions.add("list", "list them, newest first (which is the default)", run="browse:list_sessions"))
    _add_shown(actions.add("show", "show one with its thoughts, or one thought", run="browse:show"))
    parser = actions.add(
        "search", "find sessions by words in them, the best hit of each", run="browse:search", rest="words"
    )
    parser.add_argument("words", nargs="+", metavar="WORD", help="what to look for, as in docs/search.md")
    parser.add_argument("--limit", metavar="NUMBER", default="10", help="how many sessions at most (10)")
    _add_workspace(parser)
    parser = actions.add("export", "write one as a document", run="browse:export")
    parser.add_argument("what", metavar="SESSION", help="its id, the beginning of its id, its title, or `latest`")
    parser.add_argument(
        "--format", choices=("markdown", "json", "cipher"), default="markdown", help="markdown when left out"
    )
    parser.add_argument("--to", metavar="FILE", default="-", help="where to; - is standard output (default)")
    _add_workspace(parser)


def _add_listing(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--tag", dest="tags", metavar="TAG", action="append", default=SUPPRESS, help="with this tag; may be repeated"
    )
    parser.add_argument("--search", metavar="TEXT", default=SUPPRESS, help="with these words")
    parser.add_argument("--in-project", metavar="NAME", default=SUPPRESS, help="of this project, as agents named it")
    parser.add_argument("--limit", metavar="NUMBER", default=SUPPRESS, help="how many at most (20)")
    _add_workspace(parser)


def _add_show(commands: Commands) -> None:
    _add_shown(commands.add("show", "show a session with its thoughts, or one thought", run="browse:show"))


def _add_shown(parser: ArgumentParser) -> None:
    parser.add_argument(
        "what",
        metavar="ID",
        help="a session: its id, the beginning of its id, its title, or `latest`; or a thought, such as th:17",
    )
    parser.add_argument("--limit", metavar="NUMBER", help="only the first so many thoughts")
    _add_workspace(parser)


def _add_verify(commands: Commands) -> None:
    parser = commands.add("verify", "check that the ledger is what was written", run="verify:verify")
    parser.add_argument("file", nargs="?", metavar="FILE", help="an exported file, in place of the store")
    what = parser.add_mutually_exclusive_group()
    _add_workspace(what)
    what.add_argument("--all", action="store_true", help="every workspace (which is the default)")
    parser.add_argument("--stream", metavar="NAME", help="one stream of the workspace alone")
    parser.add_argument(
        "--checkpoint",
        dest="checkpoints",
        metavar="FILE",
        action="append",
        default=[],
        help="also hold it against the signed checkpoints in this file; may be repeated, - reads standard input",
    )
    parser.add_argument("--deep", action="store_true", help="also compare every view with what the ledger makes of it")
    _add_keys(parser)


def _add_trust(commands: Commands) -> None:
    parser = commands.add("trust", "let the checkpoints that another installation signed count here", run="trust:trust")
    parser.add_argument(
        "key",
        nargs="?",
        metavar="KEY",
        help="its public key, as `thoughtbox checkpoint --public-key` prints it there; without one, list those trusted",
    )
    parser.add_argument("--remove", action="store_true", help="trust it no more")


def _add_rebuild(commands: Commands) -> None:
    parser = commands.add(
        "rebuild", "drop views and make them again from the ledger", run="rebuild:rebuild", rest="views"
    )
    parser.add_argument("views", nargs="*", metavar="VIEW", help="these alone; all when left out")
    parser.add_argument("--check", action="store_true", help="exit with 1 when one is not what it was")


def _add_checkpoint(commands: Commands) -> None:
    parser = commands.add("checkpoint", "sign the ledger as it is now", run="checkpoint:checkpoint")
    parser.add_argument(
        "--to",
        metavar="FILE|git|-",
        default="-",
        help="where the signed note goes: a file, a git note on HEAD (refs/notes/thoughtbox), or standard output",
    )
    parser.add_argument("--public-key", action="store_true", help="print the key that verifies the signatures, only")
    _add_workspace(parser)


def _add_prove(commands: Commands) -> None:
    parser = commands.add("prove", "prove that a record is in the ledger, or check such a proof", run="prove:prove")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("id", nargs="?", metavar="ID", help="the record, such as th:17")
    what.add_argument("--check", metavar="FILE", help="check a saved proof, without the store")
    what.add_argument(
        "--consistency", metavar="FILE", help="prove that the ledger still begins with what this old checkpoint signed"
    )
    parser.add_argument("--out", metavar="FILE", help="write the proof there")
    _add_keys(parser)
    _add_workspace(parser)


def _add_decode(commands: Commands) -> None:
    parser = commands.add(
        "decode",
        "print a TBX-C1 message, which calls with format=tbx answer with, as plain JSON",
        run="decode:decode",
        epilog="examples:\n"
        "  thoughtbox call ledger_tail format=tbx | thoughtbox decode\n"
        "  thoughtbox decode saved.json\n"
        "\nA message may stand alone, in the result of an MCP tool, or somewhere in a text.",
    )
    parser.add_argument(
        "file", nargs="?", default="-", metavar="FILE", help="where it is; - is standard input (default)"
    )


def _add_export(commands: Commands) -> None:
    parser = commands.add("export", "write a workspace as JSON Lines, or its sessions as files", run="transfer:export")
    parser.add_argument("-o", "--output", metavar="FILE", default="-", help="where to; - is standard output (default)")
    parser.add_argument(
        "--layout",
        choices=("ledger", "files", "json", "markdown", "cipher"),
        default="ledger",
        help="ledger: all records (default). files: sessions as directories below --output, or below `exports` in the"
        " data directory. json, markdown, cipher: one session",
    )
    parser.add_argument(
        "--session",
        dest="sessions",
        metavar="ID",
        action="append",
        default=[],
        help="this session, or `latest`; may be repeated with --layout files, which takes all without it",
    )
    parser.add_argument(
        "--partition",
        choices=("monthly", "weekly", "daily", "none"),
        help="how sessions are put into folders, in place of the setting",
    )
    parser.add_argument("--gzip", action="store_true", help="compress it; a name ending in .gz says so too")
    _add_workspace(parser)


def _add_import(commands: Commands) -> None:
    parser = commands.add(
        "import", "take exported files in: all of them, or nothing", run="transfer:import_", rest="files"
    )
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="an export, gzip or not; - is standard input; or a directory that holds sessions as files; or one session:"
        " a .json file, or a .cipher or .txt file in cipher; or the experiences.db of an older server",
    )
    _add_workspace(parser)


def _add_doctor(commands: Commands) -> None:
    parser = commands.add("doctor", "look for what is wrong here, and say what to do", run="doctor:doctor")
    parser.add_argument(
        "--deep",
        action="store_true",
        help="verify the whole ledger, not only where it ends, and compare the views with it",
    )
    _add_serving(parser)


def _add_config(commands: Commands) -> None:
    parser = commands.add("config", "show every setting, its value, and where that comes from", run="config:config")
    _add_serving(parser)


def _add_token(commands: Commands) -> None:
    parser = commands.add(
        "token",
        "make, list or remove tokens that reach certain workspaces over HTTP",
        run="token:token",
        epilog="examples:\n"
        "  thoughtbox token add ci --workspace builds\n"
        "  thoughtbox token add alice --workspace alice --workspace shared\n"
        "  thoughtbox token list\n"
        "  thoughtbox token remove ci\n"
        "\nA server that is running takes notice within a second.",
    )
    parser.add_argument("action", choices=("add", "list", "remove"), metavar="add|list|remove", help="what to do")
    parser.add_argument("name", nargs="?", metavar="NAME", help="the token")
    parser.add_argument(
        "--workspace",
        dest="workspaces",
        metavar="WORKSPACE",
        action="append",
        default=[],
        help="one that the new token reaches; may be repeated, and the first is meant when a request names none",
    )


def _add_workspace(parser: Any) -> None:
    # Left out, it says nothing: where a command has actions, it may stand before the action.
    parser.add_argument("--workspace", default=SUPPRESS, help="the workspace, in place of --project")


def _add_keys(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--key",
        dest="keys",
        metavar="VKEY",
        action="append",
        default=[],
        help="trust signatures of this public key alone, not this installation's; may be repeated",
    )
