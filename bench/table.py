"""What a line of the table says, and when a bar holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Unit = Literal[
    "µs", "ms", "/s", "records/s", "records", "runs", "processes", "modules", "MB", "kB", "characters", "tokens", "%"
]


@dataclass(frozen=True, slots=True)
class Bar:
    """A limit on a ratio, or on the value itself where a line has nothing to stand against."""

    word: Literal["at most", "at least"]
    limit: float

    def holds(self, number: float) -> bool:
        return number <= self.limit if self.word == "at most" else number >= self.limit


def at_most(limit: float) -> Bar:
    return Bar("at most", limit)


def at_least(limit: float) -> Bar:
    return Bar("at least", limit)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One thing that was measured. Without a bar it is there for comparison."""

    what: str
    value: float
    unit: Unit
    against: float | None = None
    against_what: str = ""
    bar: Bar | None = None

    @property
    def ratio(self) -> float | None:
        return None if self.against is None else self.value / self.against

    @property
    def holds(self) -> bool:
        return self.bar is None or self.bar.holds(self.value if self.ratio is None else self.ratio)

    def cells(self) -> tuple[str, str, str, str, str, str]:
        """What, measured, against, ratio, bar, verdict."""
        against = "" if self.against is None else f"{shown(self.against, self.unit)} {self.against_what}"
        ratio = "" if self.ratio is None else f"{self.ratio:.2f}x"
        verdict = "" if self.bar is None else "pass" if self.holds else "MISSED"
        return self.what, shown(self.value, self.unit), against, ratio, self._bar_in_words(), verdict

    def _bar_in_words(self) -> str:
        if self.bar is None:
            return ""
        limit = shown(self.bar.limit, self.unit) if self.ratio is None else f"{self.bar.limit:g}x"
        return f"{self.bar.word} {limit}"


HEADINGS = ("what", "measured", "against", "ratio", "bar", "")


def shown(value: float, unit: Unit) -> str:
    digits = 1 if abs(value) < 100 and unit in ("µs", "ms", "MB") else 0
    return f"{value:,.{digits}f}{'' if unit == '/s' else ' '}{unit}"
