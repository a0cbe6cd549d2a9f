"""Calls in more than one round, for stateless clients: what a call has done so far travels with the client.

The client gets it back as `requestState`, together with the question, and sends both again with the answer.
It is encrypted under the installation's key, bound to the call and to its token, and good for ten minutes: the
SDK sees to that. That it is good for one time only is seen to here.
"""

from __future__ import annotations

import hmac
import time
from dataclasses import asdict, dataclass, field
from functools import cached_property
from secrets import token_hex
from typing import Any

import orjson
from mcp.server.request_state import AESGCMRequestStateCodec, RequestStateBoundary, RequestStateSecurity
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolRequestParams, InputRequest, InputRequiredResult, InputResponse

from tests.support.sdk_door.principal import principal_id
from thoughtbox.ledger.keyring import Keyring

AUDIENCE = "thoughtbox"
SECONDS = 600.0
MOST_USED = 10_000

ASKED = "asked"
"""A round asks one thing, under this name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """A call that waits for its client: in which workspace, and what it has answered so far, if it has run."""

    workspace: str
    answer: dict[str, Any] | None = None
    id: str = field(default_factory=lambda: token_hex(16))

    def asking(self, request: InputRequest) -> InputRequiredResult:
        """The result that asks the client, and will bring this back."""
        return InputRequiredResult(input_requests={ASKED: request}, request_state=orjson.dumps(asdict(self)).decode())


class Rounds:
    """Which of them have been used."""

    def __init__(self) -> None:
        self._used: dict[str, float] = {}

    def resumed(self, params: CallToolRequestParams, workspace: str) -> Round | None:
        """The round that a call goes on with; None when it is a new call. What was sealed can be believed."""
        if params.request_state is None:
            return None
        try:
            earlier = Round(**orjson.loads(params.request_state))
        except (ValueError, TypeError):
            raise refusal("the requestState is of another version of this server") from None
        if earlier.workspace != workspace:
            raise refusal("the requestState belongs to another workspace")
        return earlier

    def use(self, one: Round) -> None:
        """Refuse one that was used before."""
        now = time.monotonic()
        for id, since in list(self._used.items()):
            if now - since <= SECONDS and len(self._used) < MOST_USED:
                break
            del self._used[id]  # expired, or the oldest of too many
        if one.id in self._used:
            raise used_before()
        self._used[one.id] = now


def response(params: CallToolRequestParams) -> InputResponse | None:
    """What the client sends in answer to what it was asked."""
    return (params.input_responses or {}).get(ASKED)


def used_before() -> MCPError:
    return refusal("the requestState was used before: this call has been answered, and what it recorded stays")


def refusal(message: str) -> MCPError:
    return MCPError(INVALID_PARAMS, message, data={"reason": "invalid_request_state"})


def sealing(keyring: Keyring) -> RequestStateBoundary:
    """What stands between the wire and the server, and lets no `requestState` pass that was not sealed here."""
    security = RequestStateSecurity(codec=_Codec(keyring), ttl=SECONDS, bind_principal=principal_id)
    return RequestStateBoundary(security, default_audience=AUDIENCE)


class _Codec:
    """The SDK's cipher under a key of this installation, which all its processes know. Made when first needed."""

    def __init__(self, keyring: Keyring) -> None:
        self._keyring = keyring

    def seal(self, payload: bytes) -> str:
        return self._cipher.seal(payload)

    def unseal(self, token: str) -> bytes:
        return self._cipher.unseal(token)

    @cached_property
    def _cipher(self) -> AESGCMRequestStateCodec:
        return AESGCMRequestStateCodec([hmac.digest(self._keyring.signer.seed, b"thoughtbox request state", "sha256")])
