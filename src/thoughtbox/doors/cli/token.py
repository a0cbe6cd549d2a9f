"""`token`: tokens with a name, each for certain workspaces."""

from __future__ import annotations

from argparse import Namespace

from thoughtbox.doors.cli.output import Output, UsageError, count
from thoughtbox.doors.cli.store import settings_of
from thoughtbox.settings import WORKSPACE, WORKSPACE_RULE
from thoughtbox.tokens import Tokens
from thoughtbox.world import World


def token(args: Namespace) -> int:
    tokens = Tokens(settings_of(args).data_dir)
    out = Output(args)
    if args.action == "list":
        _list(args, tokens, out)
    elif args.name is None:
        raise UsageError(f"token {args.action}: the name of the token is missing")
    elif args.action == "add":
        _add(args, tokens, out)
    else:
        _remove(args, tokens, out)
    return 0


def _add(args: Namespace, tokens: Tokens, out: Output) -> None:
    """Print the token, alone: it can go straight to where it is kept."""
    if not args.workspaces:
        raise UsageError("token add: say which workspaces it reaches, with --workspace (may be repeated)")
    for workspace in args.workspaces:
        if not WORKSPACE.fullmatch(workspace):
            raise UsageError(f"--workspace {workspace}: the name of a workspace has {WORKSPACE_RULE}")
    made = tokens.add(args.name, args.workspaces, World())
    if out.as_json:
        out.json({"name": args.name, "workspaces": args.workspaces, "token": made})
        return
    out.say(made)
    out.note(f"This is the token `{args.name}`. It is not kept, and cannot be shown again.")


def _list(args: Namespace, tokens: Tokens, out: Output) -> None:
    if args.name is not None or args.workspaces:
        raise UsageError("token list: it takes no name and no workspace")
    found = tokens.read()
    if out.as_json:
        shown = [{"name": one.name, "workspaces": list(one.workspaces), "createdAt": one.created_at} for one in found]
        out.json({"tokens": shown})
        return
    if found:
        out.table(
            ("token", "workspaces", "made"),
            [(one.name, ", ".join(one.workspaces), one.created_at) for one in found],
            wraps=("workspaces",),
        )
    out.note(f"{count(len(found), 'token')}.")


def _remove(args: Namespace, tokens: Tokens, out: Output) -> None:
    if args.workspaces:
        raise UsageError("token remove: a token is removed as a whole, without --workspace")
    tokens.remove(args.name)
    if out.as_json:
        out.json({"removed": args.name})
    else:
        out.note(f"The token `{args.name}` opens nothing any more.")
