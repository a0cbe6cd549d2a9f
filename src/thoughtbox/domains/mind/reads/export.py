"""A context pack as a file."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import orjson

from thoughtbox.domains.mind.reads.files import file_within, write_whole
from thoughtbox.domains.mind.reads.models import ContextPackExported, ExportContextPack
from thoughtbox.domains.mind.reads.packing import context_packed
from thoughtbox.operations import Pages, Tx, fit, redacted


def exported(
    tx: Tx, call: ExportContextPack, *, keep: Sequence[str], newest_first: Collection[str], pages: Sequence[Pages]
) -> ContextPackExported:
    """Write the pack, cut to its budget and without secrets as in an answer."""
    project, data_dir = tx.project_root, tx.data_dir
    path = file_within(call.out_file, project, data_dir)
    pack = context_packed(tx, call).answer()
    fitted, _ = fit(pack, call.file_chars, keep=keep, newest_first=newest_first, pages=pages)
    content = orjson.dumps(redacted(fitted))
    write_whole(path, content, call.out_file, project, data_dir)
    is_cut = bool(fitted.get("budget", {}).get("truncated"))
    return ContextPackExported(out_file=str(path), bytes=len(content), truncated=is_cut)
