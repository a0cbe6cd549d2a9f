"""`hook`, as the command line knows it: with options that a hook does not read by itself."""

from __future__ import annotations

from argparse import Namespace

from thoughtbox.doors.cli.flags import given_settings
from thoughtbox.doors.hooks import main


def hook(args: Namespace) -> int:
    given = given_settings(args)
    told = [word for field in ("data_dir", "project") if field in given for word in (_flag(field), given[field])]
    words = [args.event, "--client", args.client, *told, *(["--no-gateway"] if args.no_gateway else [])]
    return main.hook(words) or 0


def _flag(field: str) -> str:
    return f"--{field.replace('_', '-')}"
