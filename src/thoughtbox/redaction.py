"""Secrets in answers: shown as `<redacted>`. What is stored is never altered by reading it.

A field is redacted by its whole name (`password`, not `password_hint` or `tokens_used`), a text by what a secret looks
like. Ids, branch names and the like pass: nothing that is an address has such a shape.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

REDACTED = "<redacted>"

DEEPEST = 200

SECRET_NAMES = frozenset(
    {
        *("token", "access_token", "refresh_token", "auth_token", "bearer", "bearer_token", "authorization"),
        *("api_key", "apikey", "secret", "client_secret", "secret_key", "password", "passwd", "private_key"),
        *("aws_secret_access_key", "access_key"),
    }
)

_SHAPES = re.compile(
    r"\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|sk-[A-Za-z0-9_-]{20,}|xox[abprs]-[A-Za-z0-9-]{10,}"
    r"|AKIA[0-9A-Z]{16})\b"
    r"|(?<=[Bb]earer )[A-Za-z0-9._~+/-]{16,}=*"
    r"|(?<=://)[^/\s:@]{1,256}:[^/\s@]{1,256}(?=@)"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"
    r"|(?<=[?&])(?:(?:access_|auth_|refresh_)?token|api_?key|secret|client_secret|password)=[^&\s#\"']+"
)
_LIKELY = re.compile(r"gh[pousr]_|github_pat_|sk-|xox|AKIA|[Bb]earer |://|PRIVATE KEY|[?&][a-z_]+=")


def redacted(value: Any, depth: int = 0) -> Any:
    """The value with every secret in it replaced; what holds none is passed on as it is."""
    if isinstance(value, str):
        return _SHAPES.sub(_replaced, value) if _LIKELY.search(value) else value
    if depth > DEEPEST:
        return value
    if isinstance(value, Mapping):
        return {
            name: REDACTED if isinstance(part, str) and part and _is_secret(name) else redacted(part, depth + 1)
            for name, part in value.items()
        }
    if isinstance(value, list | tuple):
        return [redacted(part, depth + 1) for part in value]
    return value


def _is_secret(name: object) -> bool:
    return isinstance(name, str) and name.lower().replace("-", "_") in SECRET_NAMES


def _replaced(found: re.Match[str]) -> str:
    text = found.group()
    name, equals, _ = text.partition("=")
    return f"{name}={REDACTED}" if equals and name.replace("_", "").isalpha() and name.islower() else REDACTED
