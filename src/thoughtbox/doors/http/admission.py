"""Who may come in: which names the server goes by, and which tokens open it."""

from __future__ import annotations

import hmac
import logging
from collections.abc import Callable
from pathlib import Path

from thoughtbox.doors.http.principal import Principal
from thoughtbox.errors import ConfigurationError
from thoughtbox.settings import LOOPBACK, Settings
from thoughtbox.tokens import Token, Tokens, digest_of

logger = logging.getLogger(__name__)

ONCE = frozenset(
    {b"host", b"origin", b"authorization", b"content-length", b"transfer-encoding", b"content-type", b"mcp-session-id"}
)
"""Headers that mean one thing each. Of two, one program would believe the first and the next one the second."""


def check_exposure(settings: Settings, host: str, variable: str) -> None:
    """Refuse to listen beyond this machine without a token; `variable` is the setting that says where."""
    named = Tokens(settings.data_dir).read()  # in any case: a file that cannot be read is said at the start
    if host in LOOPBACK or settings.token is not None or named:
        return
    raise ConfigurationError(
        f"{variable} is {host}, which others can reach, and there is no token",
        recovery="Set THOUGHTBOX_TOKEN, make one with `thoughtbox token add NAME --workspace WORKSPACE`,"
        f" or leave {variable} at 127.0.0.1.",
    )


class Hosts:
    """The names that a server is known by. Another one is somebody's who wants its pages to be taken for ours."""

    def __init__(self, host: str, allowed: tuple[str, ...]) -> None:
        self._known = {"127.0.0.1", "localhost", "[::1]", *map(str.lower, allowed)}
        if host not in ("0.0.0.0", "::"):
            self._known.add(f"[{host}]" if ":" in host else host.lower())

    def __contains__(self, host: str) -> bool:
        """Whether a Host header names this server, on whichever port: there may be a tunnel in between."""
        return host in self._known or without_port(host).lower() in self._known


class Admission:
    """Recognises tokens, if any is asked for."""

    def __init__(self, data_dir: Path, token: str | None, *, is_exposed: bool) -> None:
        self._master = [holder(token.encode())] if token is not None else []
        self._tokens = Tokens(data_dir)
        self._named: tuple[Token, ...] = ()
        self.changes = 0
        """How often there were other tokens than before."""
        self.known = self._master
        # Once a token is asked for, it always is: removing the last one does not open the gate.
        self.is_guarded = is_exposed or token is not None
        self.after_turn: Callable[[Callable[[], None]], object] | None = None
        """Has something done once all that has come by now is seen."""
        self._is_looked_for = False
        self.look_for_changes()

    def look_for_changes(self) -> None:
        """Take note of tokens that were made or removed. When they cannot be read, those with a name open nothing."""
        try:
            named = self._tokens.read()
        except ConfigurationError as error:
            if self._named:
                logger.error("%s", error)
            named = ()
            self.is_guarded = True
        if named == self._named:
            return
        self.changes += 1
        self._named = named
        self.known = [*self._master, *(Principal(token.digest, token.workspaces) for token in named)]
        self.is_guarded = self.is_guarded or bool(named)

    def still_admits(self, principal: Principal | None) -> bool:
        """Whether a request that was let in with this would be let in now."""
        return principal in self.known if principal is not None else not self.is_guarded

    def know_tokens(self) -> None:
        """Look for changes, once for all requests that have come in the same turn of the event loop."""
        if self._is_looked_for:
            return
        self.look_for_changes()
        if self.after_turn is not None:
            self._is_looked_for = True
            self.after_turn(self._look_again)

    def _look_again(self) -> None:
        self._is_looked_for = False

    def bearer(self, authorization: bytes) -> Principal | None:
        """Whose token an Authorization header shows, if it is a known one."""
        scheme, _, given = authorization.partition(b" ")
        found = self.holder_of(given.strip())
        return found if scheme.lower() == b"bearer" else None

    def holder_of(self, token: bytes) -> Principal | None:
        shown = holder(token)
        # All are compared, and each in full: how long it takes tells nothing of any of them.
        found = [known for known in self.known if hmac.compare_digest(known.id, shown.id)]
        return found[0] if found else None


def holder(token: bytes) -> Principal:
    """The holder of a token that reaches everything."""
    return Principal(digest_of(token), None)


def without_port(host: str) -> str:
    head, separator, port = host.rpartition(":")
    return head if separator and port.isdigit() and not head.endswith(":") else host
