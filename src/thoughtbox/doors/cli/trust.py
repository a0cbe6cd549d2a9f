"""`trust`: whose checkpoints count here beside our own."""

from __future__ import annotations

from argparse import Namespace

from thoughtbox.app import trusted_keys
from thoughtbox.doors.cli.output import Output, UsageError
from thoughtbox.doors.cli.store import settings_of
from thoughtbox.errors import ConfigurationError, InvalidProof
from thoughtbox.ledger.signing import VerifierKey
from thoughtbox.ledger.trust import TrustedKeys
from thoughtbox.settings import Settings


def trust(args: Namespace) -> int:
    settings = settings_of(args)
    out = Output(args)
    if settings.storage == "memory":
        raise ConfigurationError("a store in memory keeps no keys", recovery="Set THOUGHTBOX_STORAGE to fs.")
    file = TrustedKeys(settings.data_dir)
    if args.key is None:
        if args.remove:
            raise UsageError("--remove needs the KEY that is to be trusted no more")
        return _list(out, settings, file)
    key = _key(args.key)
    if args.remove:
        changed = file.remove(key)
        said = "is trusted no more" if changed else f"does not stand in {file.path}"
        if key in trusted_keys(settings):
            out.note("It still stands in THOUGHTBOX_TRUSTED_KEYS, and is trusted because of that.")
    else:
        changed = file.add(key)
        said = "is trusted from now on" if changed else "was trusted before"
    if out.as_json:
        out.json({"key": str(key), "trusted": not args.remove, "changed": changed})
    else:
        out.say(f"{key} {said}.")
    return 0


def _key(text: str) -> VerifierKey:
    try:
        return VerifierKey.parse(text)
    except InvalidProof as error:
        raise UsageError(
            f"`{text}` is no public key ({error.message.rstrip('.')});"
            " `thoughtbox checkpoint --public-key` prints one as it is to be written"
        ) from None


def _list(out: Output, settings: Settings, file: TrustedKeys) -> int:
    rows = [(str(key), "THOUGHTBOX_TRUSTED_KEYS") for key in trusted_keys(settings)]
    rows += [(str(key), str(file.path)) for key in file.all()]
    if out.as_json:
        out.json({"trusted": [{"key": key, "from": where} for key, where in rows]})
    elif rows:
        out.table(("key", "stands in"), rows)
    else:
        out.say("No key is trusted here but our own.")
    return 0
