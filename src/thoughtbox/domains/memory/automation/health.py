"""Whether all is well: each part looked at by itself, so that one that is broken hides no other."""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterator
from typing import NamedTuple

from thoughtbox.domains.memory.config.validation import findings
from thoughtbox.domains.memory.configuration import active_config, memory_settings
from thoughtbox.domains.memory.folder import project_of
from thoughtbox.domains.memory.hosts.installing import Host, hooks_in
from thoughtbox.domains.memory.project import ProjectFolder, existing_key
from thoughtbox.domains.memory.tokens.files import ids_in, read_token
from thoughtbox.domains.memory.tokens.minting import verify
from thoughtbox.errors import ThoughtboxError
from thoughtbox.ledger.verify import verify_stream
from thoughtbox.operations import TABLE, Tx

SOME_STREAMS = 50
LONGEST_STREAM = 20_000
"""Records of a stream that are verified here; `thoughtbox verify` goes through everything."""


class Check(NamedTuple):
    """How one part is."""

    name: str
    ok: bool
    detail: str
    fix: str | None = None
    is_serious: bool = True


def checks(tx: Tx) -> list[Check]:
    """All parts, one by one; what cannot be looked at is not well."""
    return [found for name, look in _PARTS.items() for found in _looked(tx, name, look)]


def _looked(tx: Tx, name: str, look: Callable[[Tx], Iterator[Check]]) -> list[Check]:
    try:
        return list(look(tx))
    except ThoughtboxError as error:
        return [Check(name, ok=False, detail=error.message, fix=error.recovery)]
    except Exception as error:
        return [Check(name, ok=False, detail=f"it could not be looked at: {type(error).__name__}")]


def _store(tx: Tx) -> Iterator[Check]:
    yield Check("store", ok=True, detail=f"{tx.ledger.last_seq()} records on {tx.sql.dialect}")


def _chain(tx: Tx) -> Iterator[Check]:
    """The newest of this room's streams, each linked and hashed as it was written."""
    verified = 0
    for stream in tx.ledger.streams("memory/", limit=SOME_STREAMS):
        head = tx.ledger.stream_head(stream)
        if head is None or head.length > LONGEST_STREAM:
            continue
        verdict = verify_stream(tx.sql, tx.workspace, stream)
        verified += 1
        if not verdict.valid:
            said = verdict.problem.message if verdict.problem else "it does not hold"
            yield Check("chain", ok=False, detail=f"{stream}: {said}", fix="Run `thoughtbox verify`.")
            return
    yield Check("chain", ok=True, detail=f"{verified} streams hold")


def _project(tx: Tx) -> Iterator[Check]:
    folder = project_of(tx)
    if tx.project_root is None:
        fix = "Start the server in the project's folder, or set THOUGHTBOX_PROJECT_ROOT to it."
        said = "the server was started outside of a project: its files stand in the data directory"
        yield Check("project", ok=False, detail=said, fix=fix, is_serious=False)
    else:
        yield Check("project", ok=True, detail=str(folder.root))


def _key(tx: Tx) -> Iterator[Check]:
    folder = project_of(tx)
    try:
        mode = stat.S_IMODE(folder.signing_key.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        yield Check("signing_key", ok=True, detail="there is none yet: the first token makes it")
        return
    existing_key(folder)
    if mode & 0o077:
        said = f"others could read it, its mode was {mode:04o}; that is put right"
        fix = "If somebody may have copied it, move .claude/signing.key away: what it has signed is then worth nothing."
        yield Check("signing_key", ok=False, detail=said, fix=fix, is_serious=False)
    else:
        yield Check("signing_key", ok=True, detail=f"it is there, with mode {mode:04o}")


def _config(tx: Tx) -> Iterator[Check]:
    folder = project_of(tx)
    config = active_config(folder)
    memory_settings(folder)
    known = {name for each in TABLE.known.values() for name in (each.name, each.bare)}
    errors, warnings = findings(config, known)
    for finding in errors:
        yield Check("config", ok=False, detail=f"{finding.field}: {finding.message}", fix=_mend(folder))
    for finding in warnings:
        said = f"{finding.field}: {finding.message}"
        yield Check("config", ok=False, detail=said, fix=_mend(folder), is_serious=False)
    if not errors and not warnings:
        yield Check("config", ok=True, detail=f"the preset {config['name']} counts")


def _mend(folder: ProjectFolder) -> str:
    return f"Put it right in {folder.config.relative_to(folder.root)}, or apply_preset another."


def _tokens(tx: Tx) -> Iterator[Check]:
    """Every token file against the ledger."""
    folder = project_of(tx)
    worth = {token_id: verify(tx, token_id).status for token_id in ids_in(folder)}
    expired = [token_id for token_id, status in worth.items() if status == "expired"]
    strange = [token_id for token_id, status in worth.items() if status in ("invalid", "spent")]
    if expired:
        said = f"{len(expired)} token files have expired"
        fix = '{"operation": "reset_workflow", "cleanup_only": true}'
        yield Check("tokens", ok=False, detail=said, fix=fix, is_serious=False)
    for token_id in strange[:10]:
        said = f"{token_id}: {verify(tx, token_id).reason}"
        is_read = read_token(folder, token_id) is not None
        fix = f"Remove .claude/tokens/{token_id}.json{'' if is_read else ', which is no token'}."
        yield Check("tokens", ok=False, detail=said, fix=fix)
    if not expired and not strange:
        yield Check("tokens", ok=True, detail=f"{len(worth)} token files, all live")


def _hooks(tx: Tx) -> Iterator[Check]:
    folder = project_of(tx)
    installed = [name for name in ("claude-code", "codex") if hooks_in(project_host(folder, name))]
    if installed:
        yield Check("hooks", ok=True, detail=f"installed in the project for {', '.join(installed)}")
    else:
        said = "none are installed in the project: nothing blocks, and no call of the host is taken down"
        yield Check("hooks", ok=False, detail=said, fix='{"operation": "install_hooks"}', is_serious=False)


def project_host(folder: ProjectFolder, client: str) -> Host:
    """A host's files in the project; nothing of the user's is looked at."""
    return Host("codex" if client == "codex" else "claude-code", "project", folder.root, folder.root, {})


_PARTS: dict[str, Callable[[Tx], Iterator[Check]]] = {
    "store": _store,
    "chain": _chain,
    "project": _project,
    "signing_key": _key,
    "config": _config,
    "tokens": _tokens,
    "hooks": _hooks,
}
