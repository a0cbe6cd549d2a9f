"""Going through the sessions of a scope, the newest first, within an allowance; and what to say if that ran out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from thoughtbox.domains.mind.notices import Notice
from thoughtbox.domains.mind.transcripts.files import Allowance, Transcript, opened
from thoughtbox.domains.mind.transcripts.head import Head, head_of
from thoughtbox.domains.mind.transcripts.listing import MOST_ENTRIES, Listed, newest_first
from thoughtbox.domains.mind.transcripts.models import (
    MOST_BYTES,
    MOST_FILES,
    Ref,
    Scanned,
    Suggestion,
    TranscriptsDigest,
    TranscriptsSearch,
)
from thoughtbox.domains.mind.transcripts.projects import Scope
from thoughtbox.domains.mind.transcripts.roots import Surroundings, roots_of

OF_HELPERS = "subagents"
"""The folder in which Claude Code keeps what a session's helpers said."""


class Found(NamedTuple):
    """An open transcript of the scope."""

    listed: Listed
    transcript: Transcript
    head: Head


class Scan:
    """One pass over the transcripts that a call is about."""

    def __init__(self, call: TranscriptsSearch | TranscriptsDigest, surroundings: Surroundings) -> None:
        self.roots = roots_of(call.root_dir, surroundings)
        self.scope = Scope(_prefix(call.cwd_prefix, surroundings), surroundings.project_root)
        self.allowance = Allowance(call.max_files, call.max_bytes_total)
        self._call = call
        self._files_used_up = False
        self._listed_all = True

    def sessions(self, *, of_helpers: bool) -> Iterator[Found]:
        """Each session of the scope, open until the next is asked for; those of helpers only on request."""
        listing = newest_first(self.roots.read, self.scope)
        self._listed_all = listing.complete
        for listed in listing.files:
            if not of_helpers and OF_HELPERS in listed.below.parts:
                continue
            if not self.allowance.more_files:
                self._files_used_up = True
                return
            with opened(listed.root.path, listed.below, self.allowance) as transcript:
                if transcript is None:
                    continue
                head = head_of(transcript, self.scope)
                if head.in_scope:
                    yield Found(listed, transcript, head)
            if self.allowance.truncated:
                return

    def ref(self, listed: Listed, *, line: int | None = None, byte: int | None = None) -> Ref:
        return Ref(path=str(listed.below), root=self.roots.prefix_of(listed.root), line=line, byte=byte)

    def scanned(self) -> Scanned:
        spent = self.allowance
        return Scanned(files=spent.files, bytes=spent.bytes, truncated=spent.truncated)

    def warnings(self) -> list[Notice]:
        """What was not looked at, and why."""
        said = self.roots.warnings()
        if self.allowance.truncated:
            said.append(
                Notice(
                    "TRANSCRIPTS_SCAN_TRUNCATED",
                    f"max_bytes_total={self._call.max_bytes_total} was used up after {self.allowance.files} files; "
                    "what is older was not read.",
                    _raise("max_bytes_total", self._call.max_bytes_total, MOST_BYTES),
                )
            )
        if self._files_used_up:
            said.append(
                Notice(
                    "TRANSCRIPTS_MAX_FILES_REACHED",
                    f"max_files={self._call.max_files} files were opened; older ones were not looked at.",
                    _raise("max_files", self._call.max_files, MOST_FILES),
                )
            )
        if not self._listed_all:
            said.append(
                Notice(
                    "TRANSCRIPTS_LISTING_TRUNCATED",
                    f"There are more than {MOST_ENTRIES} files and folders below "
                    f"{', '.join(str(root.path) for root in self.roots.read)}; only that many were considered.",
                    "Send a root_dir that is nearer to the sessions you want.",
                )
            )
        return said

    def retries(self) -> list[Suggestion]:
        """The same call with more of what ran out."""
        more: list[Suggestion] = []
        if self.allowance.truncated and self._call.max_bytes_total < MOST_BYTES:
            more.append(self.again("Read more bytes.", max_bytes_total=min(4 * self._call.max_bytes_total, MOST_BYTES)))
        if self._files_used_up and self._call.max_files < MOST_FILES:
            more.append(self.again("Open more files.", max_files=min(4 * self._call.max_files, MOST_FILES)))
        return more

    def again(self, reason: str, **changed: Any) -> Suggestion:
        target = "transcripts_search" if isinstance(self._call, TranscriptsSearch) else "transcripts_digest"
        given = self._call.model_dump(exclude_unset=True, exclude_none=True)
        return suggestion(target, reason, {**given, **changed}, priority="medium")


def suggestion(target: str, reason: str, params: dict[str, Any], *, priority: str) -> Suggestion:
    """A call to make next, as it stands."""
    return {
        "action": "call_tool",
        "target": target,
        "reason": reason,
        "priority": priority,
        "validated": True,
        "params": params,
    }


def _prefix(asked: str | None, surroundings: Surroundings) -> str | None:
    """The prefix as it was sent, to the letter, but for a home at its beginning."""
    return f"{surroundings.home}/{asked[2:]}" if asked is not None and asked.startswith("~/") else asked


def _raise(name: str, used: int, most: int) -> str:
    if used >= most:
        return f"{name} cannot be larger: narrow the call with root_dir or cwd_prefix."
    return f"Send {name}={min(4 * used, most)}, or narrow the call with root_dir or cwd_prefix."
