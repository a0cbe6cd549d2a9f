"""`config`: every setting, its value, and where that comes from."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thoughtbox import installation
from thoughtbox.doors.cli.flags import given_settings
from thoughtbox.doors.cli.output import BAD, DOUBTFUL, QUIET, Output, Styled
from thoughtbox.errors import ConfigurationError
from thoughtbox.settings import Origin, Setting, Settings, all_settings, data_dir, made, source

ROOMY = 140
"""Columns that a table of all there is to say takes."""


@dataclass(frozen=True, slots=True)
class Effective:
    """A setting in effect. One that cannot be honoured has a fault, and its default for a value."""

    setting: Setting
    text: str
    origin: Origin
    value: Any
    fault: str | None = None

    @property
    def is_told(self) -> bool:
        """Whether somebody has said so: `config.json` is made with the defaults in it."""
        return self.origin != "default" and (self.origin != "config.json" or self.text != self.setting.default)

    @property
    def shown(self) -> str:
        """As it was written, but for secrets, and with a directory in full."""
        if self.setting.secret:
            return "(set, not shown)" if self.text else ""
        return str(self.value) if isinstance(self.value, Path) else self.text


def effective(given: Mapping[str, str], environment: Mapping[str, str] | None = None) -> list[Effective]:
    """Options over environment over `config.json` over defaults."""
    environment = os.environ if environment is None else environment
    try:
        kept = installation.read(data_dir(given, environment))
    except ConfigurationError:
        kept = {}  # `doctor` says so
    return [_effective(setting, given, environment, kept) for setting in all_settings()]


def tolerant_settings(found: Sequence[Effective]) -> Settings:
    """Settings to go on with, whatever is wrong with some of them."""
    return made({one.setting.field: one.value for one in found})


def _effective(
    setting: Setting, given: Mapping[str, str], environment: Mapping[str, str], kept: Mapping[str, Any]
) -> Effective:
    text, origin = source(setting, given, environment, kept)
    try:
        return Effective(setting, text, origin, setting.value(text, origin))
    except ValueError as error:
        said = "this value" if setting.secret else f"`{text}`"
        return Effective(setting, text, origin, setting.parse(setting.default), f"{said} cannot be: {error}")


def config(args: Namespace) -> int:
    out = Output(args)
    found = effective(given_settings(args))
    if out.as_json:
        out.json({"settings": [_as_json(one) for one in found]})
    elif out.width < ROOMY:
        _show_list(out, found)
    else:
        _show_table(out, found)
    return 2 if any(one.fault for one in found) else 0


def _show_table(out: Output, found: Sequence[Effective]) -> None:
    out.table(
        ("setting", "variable", "value", "from", "what for"),
        [
            (
                one.setting.field,
                one.setting.variable,
                Styled(one.fault, BAD) if one.fault else one.shown,
                Styled(one.origin, QUIET if one.origin == "default" else DOUBTFUL),
                one.setting.help,
            )
            for one in found
        ],
        wraps=("value", "what for"),
    )


def _show_list(out: Output, found: Sequence[Effective]) -> None:
    """One below the other, where a table would have no room for what they are for."""
    for one in found:
        value = one.fault or one.shown or "none"
        out.paragraph(Styled(f"{one.setting.field}: {value} ({one.origin})", BAD if one.fault else "bold"))
        out.paragraph(f"{one.setting.variable}. {one.setting.help}", indent="  ")


def _as_json(one: Effective) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "name": one.setting.field,
        "variable": one.setting.variable,
        "value": one.shown,
        "from": one.origin,
        "help": one.setting.help,
    }
    return {**shown, "fault": one.fault} if one.fault else shown
