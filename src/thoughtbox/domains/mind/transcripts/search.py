"""Finding messages by their text."""

from __future__ import annotations

import re
from hashlib import blake2b

from thoughtbox.domains.mind.notices import Notice
from thoughtbox.domains.mind.transcripts.formats import Message, message_of, read_line
from thoughtbox.domains.mind.transcripts.lines import Block, blocks
from thoughtbox.domains.mind.transcripts.models import (
    MOST_HITS,
    Hit,
    MessageFound,
    ProjectFound,
    ProjectShown,
    SearchFilters,
    SessionShown,
    Suggestion,
    TranscriptsFound,
    TranscriptsSearch,
)
from thoughtbox.domains.mind.transcripts.projects import project_of
from thoughtbox.domains.mind.transcripts.roots import Surroundings
from thoughtbox.domains.mind.transcripts.scan import Found, Scan
from thoughtbox.domains.mind.transcripts.texts import snippet

MOST_PROJECTS = 20

_ALWAYS_ESCAPED = re.compile(r'["\\/\x00-\x1f\ufffd]')
"""What JSON spells otherwise than it reads, or may; and what stands for broken bytes."""

_SPELT_BY_NUMBER = re.compile(rb"\\u(?!00[01])")
"""A character by its number, but for control characters: colours of terminals are in many lines."""


def search(
    call: TranscriptsSearch, surroundings: Surroundings
) -> tuple[TranscriptsFound, list[Notice], list[Suggestion]]:
    """Messages that contain the query, those of the newest session first, each session from its beginning."""
    scan = Scan(call, surroundings)
    found = _Search(call, surroundings, scan)
    for session in scan.sessions(of_helpers=True):
        found.read(session)
        if found.full:
            break
    answer = TranscriptsFound(
        root_dir=str(scan.roots.shown),
        roots=[str(root.path) for root in scan.roots.read],
        filters=SearchFilters(cwd_prefix=scan.scope.prefix, role=call.role, dedupe=call.dedupe),
        scanned=scan.scanned(),
        projects=found.projects(),
        hits=found.hits,
    )
    return answer, scan.warnings() + found.warnings(), scan.retries() + found.retries()


class Needle:
    """A query, and how to see that a line cannot hold it without reading the line as JSON."""

    def __init__(self, query: str) -> None:
        self.query = query
        # Between the characters that JSON may spell in another way, a text stands as it is; unless the line has
        # \u in it, by which every character can be written.
        self._part = max(_ALWAYS_ESCAPED.split(query), key=len).encode("utf-8")

    def may_be_in(self, raw: bytes) -> bool:
        return self._part in raw or _SPELT_BY_NUMBER.search(raw) is not None


class _Search:
    """Hits as they are found."""

    def __init__(self, call: TranscriptsSearch, surroundings: Surroundings, scan: Scan) -> None:
        self._call = call
        self._redact = surroundings.redact
        self._scan = scan
        self._needle = Needle(call.query)
        self._seen: set[tuple[str, str, bytes]] = set()
        self._by_place: dict[str | None, ProjectShown] = {}
        self._projects: dict[str, ProjectFound] = {}
        self.hits: list[Hit] = []

    @property
    def full(self) -> bool:
        return len(self.hits) >= self._call.hits_limit

    def read(self, session: Found) -> None:
        project = self._project(session.head.session.place)
        for block in blocks(session.transcript, session.head.raw):
            if self._needle.may_be_in(block.raw):
                self._look_into(block, session, project)
            if self.full:
                return

    def _look_into(self, block: Block, session: Found, project: ProjectShown) -> None:
        for number, line in enumerate(block.raw.split(b"\n"), block.number):
            if not self._needle.may_be_in(line) or (parsed := read_line(line)) is None:
                continue
            message = message_of(parsed)
            if message is not None and self._is_wanted(message, project):
                self._keep(message, number, session, project)
                if self.full:
                    return

    def _is_wanted(self, message: Message, project: ProjectShown) -> bool:
        if self._call.role not in (None, message.role) or self._call.query not in message.text:
            return False
        if not self._call.dedupe:
            return True
        key = (project.id, message.role, blake2b(message.text.encode("utf-8"), digest_size=16).digest())
        repeated = key in self._seen
        self._seen.add(key)
        return not repeated

    def _keep(self, message: Message, number: int, session: Found, project: ProjectShown) -> None:
        self._projects[project.id].hits += 1
        told = session.head.session
        self.hits.append(
            Hit(
                ref=self._scan.ref(session.listed, line=number),
                session=SessionShown(id=told.id, ts=told.ts),
                project=project,
                message=MessageFound(
                    role=message.role,
                    ts=message.ts,
                    snippet=snippet(message.text, self._call.query, self._call.context_chars, self._redact),
                ),
            )
        )

    def _project(self, place: str | None) -> ProjectShown:
        """The project that a session ran in, which counts one file more."""
        if place not in self._by_place:
            self._by_place[place] = project_of(place)
        project = self._by_place[place]
        known = self._projects.setdefault(
            project.id,
            ProjectFound(id=project.id, name=project.name, confidence=project.confidence, files=0, hits=0),
        )
        known.files += 1
        return project

    def projects(self) -> list[ProjectFound]:
        order = sorted(self._projects.values(), key=lambda found: (-found.hits, -found.files, found.name, found.id))
        return order[:MOST_PROJECTS]

    def warnings(self) -> list[Notice]:
        if not self.full:
            return []
        more = min(4 * self._call.hits_limit, MOST_HITS)
        return [
            Notice(
                "TRANSCRIPTS_HITS_LIMIT_REACHED",
                f"hits_limit={self._call.hits_limit} messages were found, and the search ended there.",
                f"Send hits_limit={more}, or a longer query."
                if more > self._call.hits_limit
                else "Send a longer query, a role, or a cwd_prefix.",
            )
        ]

    def retries(self) -> list[Suggestion]:
        if not self.full or self._call.hits_limit >= MOST_HITS:
            return []
        return [self._scan.again("Show more hits.", hits_limit=min(4 * self._call.hits_limit, MOST_HITS))]
