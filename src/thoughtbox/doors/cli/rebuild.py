"""`rebuild`: drop views and make them again, and say whether they are what they were."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from difflib import get_close_matches

from thoughtbox.doors.cli.output import BAD, GOOD, Output, Styled, UsageError
from thoughtbox.doors.cli.store import opened_existing, settings_of
from thoughtbox.ledger import replay
from thoughtbox.ledger.view import View


def rebuild(args: Namespace) -> int:
    out = Output(args)
    with opened_existing(settings_of(args)) as box:
        chosen = _chosen(box.views.kinds, args.views)
        same: dict[type[View], bool] = {}
        for kind in chosen:
            with out.bar(f"Rebuilding {kind.name}") as bar:
                same[kind] = replay.rebuild(box.engine, kind, bar)
    if out.as_json:
        out.json({"views": [{"view": kind.name, "pace": kind.pace, "same": is_same} for kind, is_same in same.items()]})
    else:
        out.table(
            ("view", "tables", "rebuilt"),
            [
                (
                    kind.name,
                    ", ".join(kind.tables(box.engine.dialect)),
                    Styled("equals what it was", GOOD) if is_same else Styled("was different, and is mended", BAD),
                )
                for kind, is_same in same.items()
            ],
            wraps=("tables",),
        )
    return 1 if args.check and not all(same.values()) else 0


def _chosen(kinds: Sequence[type[View]], names: Sequence[str]) -> list[type[View]]:
    known = {kind.name: kind for kind in kinds}
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"did you mean `{near[0]}`?" if near else f"the views are {', '.join(known)}"
            raise UsageError(f"there is no view `{name}`; {hint}")
    return [known[name] for name in dict.fromkeys(names)] if names else list(kinds)
