"""What a command that failed says, and the exit code that it ends with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from thoughtbox.doors.cli.exit_codes import NO_STORE, USAGE, WRONG
from thoughtbox.doors.cli.output import Output, UsageError, show_error, show_usage_error
from thoughtbox.doors.cli.shell_words import in_shell
from thoughtbox.doors.cli.store import CannotOpen
from thoughtbox.errors import ConfigurationError, ThoughtboxError

if TYPE_CHECKING:
    from argparse import Namespace


def told(error: Exception, args: Namespace) -> int:
    """Say what went wrong; the exit code for it."""
    as_json = Output(args).as_json
    match error:
        case UsageError():
            show_usage_error(error, as_json=as_json)
            return USAGE
        case ConfigurationError():
            show_error(error, as_json=as_json)
            return USAGE
        case CannotOpen():
            show_error(in_shell(error.error, args), as_json=as_json)
            return NO_STORE
        case ThoughtboxError():
            show_error(in_shell(error, args), as_json=as_json)
            return WRONG
    from thoughtbox.operations.dispatch import fault

    show_error(fault(error), as_json=as_json)
    return WRONG
