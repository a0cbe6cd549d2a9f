"""What a sandbox is: a snippet goes in, calls come out, and in the end a value, or an error that names what went wrong.

A run is driven by whoever holds it, step by step:

    run = sandbox.run(snippet, limits)
    with closing(run):
        step = run.start()
        while isinstance(step, Asked):
            step = run.resume(Reply(answer=…, base=…))
        step.result

`start` and `resume` wait until the snippet asks for something or ends; any thread may call them, one at a time.
What a snippet does wrong comes out of them as a `SnippetError`, and ends the run.

**Builders.** The snippet's library writes records such as `tb.claim("…")` without asking each time. It takes the next
free number from `base`, which the start and every reply tell, hands out a handle with the id `th:{number}`, and queues
the record. What is queued comes with the next thing asked for, or with the end; whoever holds the run writes it before
anything else. A builder that is called in a way that is not plainly right is asked for like any operation, and so
refused at once, where the snippet can catch it. While no base is known, and whenever much is queued, a builder asks for
`BASE`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol

from thoughtbox.errors import LimitExceeded

Language = Literal["javascript", "typescript", "python"]

LANGUAGES: tuple[Language, ...] = ("javascript", "typescript", "python")

LONGEST_SNIPPET = 65_536
"""Characters of a snippet."""

BASE = "base"
"""Asked for when a builder is called and no number is known yet; the reply's `base` is the answer."""


class Limits(NamedTuple):
    """What a snippet may use up. Beyond any of them it is ended with `LimitExceeded`, whose details name the limit."""

    cpu_ms: int = 50
    """`cpu`: time that the snippet itself computes; while it waits for an answer, none passes."""
    wall_ms: int = 10_000
    """`wall`: time from its start to its end, waiting included."""
    held_ms: int = 2_000
    """`held`: time that it may keep others from writing; seen to by whoever holds the run (`Run.end_by`)."""
    memory_bytes: int = 32 * 1024 * 1024
    """`memory`: what its values take up."""
    calls: int = 1_000
    """`calls`: what it may ask for, builders included."""
    output_chars: int = 100_000
    """`output`: what it may log, and as much again for the JSON of its result."""

    @property
    def by_name(self) -> dict[str, int]:
        """As errors and the documentation name them."""
        return {
            "cpu": self.cpu_ms,
            "wall": self.wall_ms,
            "held": self.held_ms,
            "memory": self.memory_bytes,
            "calls": self.calls,
            "output": self.output_chars,
        }


class Snippet(NamedTuple):
    """What is to be run."""

    code: str
    language: Language
    operations: Collection[str] = ()
    """Every operation that it may ask for, as `room.name` or `room.family.name`: `tb.` goes before them."""
    builders: Mapping[str, Collection[str]] = {}
    """Functions right below `tb` that take a text and options and return a handle, and the names of the options
    whose values are handles or lists of handles."""
    stubs: str | None = None
    """Declarations of `tb` (or `catalog`) for a type checker: Python is held against them before it runs."""
    catalog: bytes | None = None
    """For a snippet that searches: the JSON of the global `catalog`. It then has no `tb`."""


class Built(NamedTuple):
    """A record that a builder has queued."""

    kind: str
    text: str
    options: Mapping[str, Any]
    """As the snippet gave them, with ids in the place of handles."""


class Asked(NamedTuple):
    """The snippet waits for an answer."""

    name: str
    """An operation as `room.name`, a builder by its own name, or `BASE`."""
    arguments: Mapping[str, Any]
    queued: Sequence[Built] = ()
    """To be written first."""


class Ended(NamedTuple):
    """The snippet has come to its end."""

    result: Any
    """Plain JSON: what the last expression came to, or what was returned. A handle is `{"id", "kind"}`."""
    logs: Sequence[str]
    """What it has printed: an entry for each call, or line."""
    queued: Sequence[Built] = ()


class Reply(NamedTuple):
    """What a snippet is told that waits."""

    answer: Any = None
    error: Mapping[str, Any] | None = None
    """Raised in the snippet: `code`, `message`, perhaps `recovery` and `details`."""
    base: int = 0
    """The number that the next record of a builder gets, as long as nothing else is asked for."""


class Run(Protocol):
    """One snippet on its way. It must be closed, wherever it has come to."""

    @property
    def logs(self) -> Sequence[str]:
        """What it has printed so far, also when it has failed."""
        ...

    def end_by(self, moment: float, error: LimitExceeded) -> None:
        """Have it end by that moment of the monotonic clock, or sooner; else it is ended with the error."""
        ...

    def start(self, base: int = 0) -> Asked | Ended:
        """Let it run; `base` as in a reply, where it is known."""
        ...

    def resume(self, reply: Reply) -> Asked | Ended: ...

    def close(self) -> None:
        """Let go of the sandbox; one in which something may still be running is ended, not used again.

        May be called from another thread while `start` or `resume` waits, which then raises `SnippetFailed`.
        """
        ...


class Sandbox(Protocol):
    """Runs snippets of one family of languages, several at once, each in a process of its own."""

    def run(self, snippet: Snippet, limits: Limits) -> Run:
        """Take a process for the snippet; raises `SandboxUnavailable` when none can be had."""
        ...

    def warm(self, snippet: Snippet | None = None) -> None:
        """Have a process ready, so that the next snippet need not wait for one; if that is known, all that it needs."""
        ...

    def close(self) -> None:
        """End all processes."""
        ...
