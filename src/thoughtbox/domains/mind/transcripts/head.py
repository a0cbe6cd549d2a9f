"""The beginning of a transcript: whose session it is and where it ran."""

from __future__ import annotations

from dataclasses import dataclass, field

from thoughtbox.domains.mind.transcripts.files import Transcript
from thoughtbox.domains.mind.transcripts.formats import origin_of, read_line
from thoughtbox.domains.mind.transcripts.models import KIB
from thoughtbox.domains.mind.transcripts.projects import Scope

STEPS = (16 * KIB, 64 * KIB, 128 * KIB)
"""How far the beginning is read: no further once it is known where the session ran (decision 0073)."""

MOST_HINTS = 32


@dataclass
class Session:
    """What the beginning of a file tells of its session."""

    id: str | None = None
    ts: str | None = None
    cwd: str | None = None
    hints: list[str] = field(default_factory=list)

    @property
    def place(self) -> str | None:
        """Where it ran: what it says itself, else the first hint."""
        return self.cwd or next(iter(self.hints), None)

    def learn(self, line: bytes) -> None:
        parsed = read_line(line)
        origin = origin_of(parsed) if parsed is not None else None
        if origin is None:
            return
        self.id = self.id or origin.id
        self.ts = self.ts or origin.ts
        self.cwd = self.cwd or origin.cwd
        for hint in (*([origin.cwd] if origin.cwd else []), *origin.hints):
            if len(self.hints) < MOST_HINTS and hint not in self.hints:
                self.hints.append(hint)


@dataclass(frozen=True)
class Head:
    """The bytes read so far from the beginning, and what they tell."""

    raw: bytes
    session: Session
    in_scope: bool


def head_of(transcript: Transcript, scope: Scope) -> Head:
    """Read on until the session is known to be in scope, or says where it ran, or not even 128 KiB told."""
    session = Session()
    raw = b""
    learnt = 0
    for step in STEPS:
        raw += transcript.read(len(raw), step - len(raw))
        ended = len(raw) < step
        stop = len(raw) if ended and len(raw) == transcript.size else raw.rfind(b"\n") + 1
        for line in raw[learnt:stop].split(b"\n"):
            session.learn(line)
        learnt = max(learnt, stop)
        if ended or session.cwd is not None:
            break
    return Head(raw, session, scope.holds(session.hints))
