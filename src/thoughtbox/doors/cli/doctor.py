"""`doctor`: look for what is wrong here, and say what to do."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterator
from functools import partial

from thoughtbox.doors.cli import checks, notebook_checks, observatory_checks, project_checks, store_checks
from thoughtbox.doors.cli.checks import Finding
from thoughtbox.doors.cli.config import effective, tolerant_settings
from thoughtbox.doors.cli.flags import given_settings
from thoughtbox.doors.cli.output import BAD, DOUBTFUL, GOOD, Output, Styled, count
from thoughtbox.errors import RESTORE, StorageBusy, ThoughtboxError
from thoughtbox.settings import Settings

Check = Callable[[Settings], Iterator[Finding]]

STYLES = {"ok": GOOD, "warn": DOUBTFUL, "fail": BAD}

OUTSIDE: dict[str, Check] = {
    "python": checks.python,
    "sqlite": checks.sqlite,
    "postgresql": checks.postgres,
    "directory": checks.directory,
    "disk": checks.disk,
    "file system": checks.file_system,
    "signing key": checks.signing_key,
    "permissions": checks.permissions,
    "port": checks.port,
    "exposure": checks.exposure,
    "observatory": observatory_checks.observatory,
    "isolation": notebook_checks.isolation,
    "languages": notebook_checks.languages,
    "in use": checks.holders,
    "project": project_checks.project,
    "hooks": project_checks.hooks,
    "spool": project_checks.spool,
}
"""What stands around the store."""

OPENED = ("postgresql", "store")
NEEDS = {"compared": (*OPENED, "chain")}
"""Checks that must not have failed, by the check that rests on them: views are compared with a ledger that holds."""


def doctor(args: Namespace) -> int:
    out = Output(args)
    values = effective(given_settings(args))
    settings = tolerant_settings(values)
    findings = [*checks.settings(values)]
    for name, check in OUTSIDE.items():
        findings += examined(name, check, settings)
    for name, check in _inside(out, deep=args.deep):
        if any(finding.level == "fail" and finding.check in NEEDS.get(name, OPENED) for finding in findings):
            break  # what cannot be opened needs no more than one finding to say so
        findings += examined(name, check, settings)
    failed = sum(finding.level == "fail" for finding in findings)
    if out.as_json:
        out.json({"ok": not failed, "checks": [_as_json(finding) for finding in findings]})
    else:
        _show(out, findings)
    return 1 if failed else 0


def _inside(out: Output, *, deep: bool) -> Iterator[tuple[str, Check]]:
    yield "store", store_checks.store
    yield "log", store_checks.log
    yield "chain", partial(store_checks.chain, deep=deep, bar=out.bar)
    yield "views", store_checks.views
    if deep:
        yield "compared", partial(store_checks.compared_views, bar=out.bar)


def examined(name: str, check: Check, settings: Settings) -> Iterator[Finding]:
    """What a check finds; that it cannot be made is a finding too."""
    try:
        yield from check(settings)
    except ThoughtboxError as error:
        yield Finding(name, "fail", _sentence(error.message), _way_out(error))
    except Exception as error:
        yield Finding(name, "fail", f"This could not be looked at ({type(error).__name__}: {error}).")


def _way_out(error: ThoughtboxError) -> str:
    """What to do, for somebody who has asked the doctor already."""
    advice = error.recovery or ""
    if "thoughtbox doctor" not in advice:
        return advice
    if isinstance(error, StorageBusy):
        return "Try again when those who have it open (see `in use`) are done with it."
    return f"See to what is said in brackets. If that does not help: {RESTORE[:1].lower()}{RESTORE[1:]}"


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


def _show(out: Output, findings: list[Finding]) -> None:
    out.table(
        ("", "check", "finding"),
        [(Styled(finding.level, STYLES[finding.level]), finding.check, _in_words(finding)) for finding in findings],
        wraps=("finding",),
    )
    out.say()
    failed = sum(finding.level == "fail" for finding in findings)
    doubtful = sum(finding.level == "warn" for finding in findings)
    if failed or doubtful:
        said = [count(failed, "failure")] * bool(failed) + [count(doubtful, "warning")] * bool(doubtful)
        out.say(Styled(f"{' and '.join(said)}.", BAD if failed else DOUBTFUL))
    else:
        out.say(Styled("All is well.", GOOD))


def _in_words(finding: Finding) -> str:
    return f"{finding.says}\n→ {finding.do}" if finding.do else finding.says


def _as_json(finding: Finding) -> dict[str, str]:
    shown = {"check": finding.check, "level": finding.level, "says": finding.says}
    return {**shown, "do": finding.do} if finding.do else shown
