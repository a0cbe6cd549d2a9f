"""Calls in more than one round, for stateless clients: what a call has done so far travels with the client.

The client gets it back as `requestState`, together with the question, and sends both again with the answer. It is
encrypted under a key of this installation, which all its processes know (AES-256-GCM), and good for ten minutes, for
the same call, of the same token, on this product: whatever it is bound to goes into the cipher as associated data, so
that nothing else opens it. That it is good for one time only is seen to here, too.
"""

from __future__ import annotations

import hmac
import logging
import os
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from hashlib import sha256
from secrets import token_hex
from typing import TYPE_CHECKING, Any

import orjson

from thoughtbox.doors.mcp.jsonrpc import INVALID_PARAMS, ProtocolError
from thoughtbox.doors.mcp.request import Request
from thoughtbox.doors.mcp.revisions import STAMP
from thoughtbox.ledger.keyring import Keyring

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

logger = logging.getLogger(__name__)

AUDIENCE = "thoughtbox"
FORMAT = "t1."
"""What a sealed state begins with; it is bound into the seal, as all else is."""

SECONDS = 600.0
SKEW_SECONDS = 60.0
"""How far the clocks of two servers of one installation may lie apart."""

MOST_USED = 10_000
NONCE_BYTES = 12

ASKED = "asked"
"""A round asks one thing, under this name."""

Question = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """A call that waits for its client: in which workspace, and what it has answered so far, if it has run."""

    workspace: str
    answer: dict[str, Any] | None = None
    id: str = field(default_factory=lambda: token_hex(16))

    def must_be_about(self, workspace: str) -> None:
        if self.workspace != workspace:
            raise refusal("the requestState belongs to another workspace")


class Rounds:
    """Seals rounds, opens them again, and knows which of them have been used."""

    def __init__(self, keyring: Keyring) -> None:
        self._keyring = keyring
        self._used: dict[str, float] = {}

    def asking(self, request: Request, one: Round, question: Question) -> dict[str, Any]:
        """The result that asks the client, and will bring the round back."""
        return {
            "resultType": "input_required",
            "inputRequests": {ASKED: question},
            "requestState": self._sealed(request, one),
            "_meta": STAMP,
        }

    def resumed(self, request: Request) -> Round | None:
        """The round that a call goes on with; None when it is a new call."""
        sealed = request.params.get("requestState")
        return None if sealed is None else self._opened(request, sealed)

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

    def _sealed(self, request: Request, one: Round) -> str:
        nonce = os.urandom(NONCE_BYTES)
        content = orjson.dumps({"made": time.time(), "round": asdict(one)})
        return FORMAT + _written(nonce + self._cipher.encrypt(nonce, content, _bound_to(request)))

    def _opened(self, request: Request, sealed: str) -> Round:
        from cryptography.exceptions import InvalidTag

        try:
            raw = _read(sealed.removeprefix(FORMAT)) if sealed.startswith(FORMAT) else b""
            content = orjson.loads(self._cipher.decrypt(raw[:NONCE_BYTES], raw[NONCE_BYTES:], _bound_to(request)))
        except (ValueError, InvalidTag) as error:
            raise _rejected(f"it was not sealed here for this call ({type(error).__name__})") from None
        age = time.time() - content["made"]
        if not -SKEW_SECONDS <= age < SECONDS:
            raise _rejected(f"it is {age:.0f} s old")
        try:
            return Round(**content["round"])
        except TypeError:
            raise refusal("the requestState is of another version of this server") from None

    @cached_property
    def _cipher(self) -> AESGCM:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        return AESGCM(hmac.digest(self._keyring.signer.seed, b"thoughtbox request state, sealed", "sha256"))


def response(request: Request) -> Mapping[str, Any] | None:
    """What the client sends in answer to what it was asked."""
    return (request.params.get("inputResponses") or {}).get(ASKED)


def used_before() -> ProtocolError:
    return refusal("the requestState was used before: this call has been answered, and what it recorded stays")


def refusal(message: str) -> ProtocolError:
    return ProtocolError(INVALID_PARAMS, message, {"reason": "invalid_request_state"})


def _rejected(why: str) -> ProtocolError:
    """Why is for the log only: who forges one learns nothing."""
    logger.warning("a requestState was refused: %s", why)
    return refusal("Invalid or expired requestState")


def _bound_to(request: Request) -> bytes:
    """All that a state is good for: this format and product, this method, tool and arguments, this token."""
    arguments = orjson.dumps(request.params.get("arguments") or {}, option=orjson.OPT_SORT_KEYS)
    principal = request.principal.id if request.principal is not None else None
    return orjson.dumps(
        [FORMAT, AUDIENCE, request.method, request.params.get("name"), sha256(arguments).hexdigest(), principal]
    )


def _written(raw: bytes) -> str:
    return urlsafe_b64encode(raw).decode().rstrip("=")


def _read(text: str) -> bytes:
    """The bytes; raises `ValueError` for anything but the one way to write them."""
    raw = urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if _written(raw) != text:
        raise ValueError("it is not written in the one way")
    return raw
