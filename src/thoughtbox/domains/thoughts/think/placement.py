"""Where a thought goes: its line, its number, and what it is linked to."""

from __future__ import annotations

from dataclasses import dataclass, replace

from thoughtbox.domains.thoughts.arguments import HIGHEST_NUMBER
from thoughtbox.domains.thoughts.numbers import Numbers
from thoughtbox.domains.thoughts.think.models import Think
from thoughtbox.domains.thoughts.view.lines import MAIN, Line, Node
from thoughtbox.errors import InvalidPayload


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a thought goes."""

    branch: str
    line: Line | None
    number: int
    total: int
    prev: int | None
    origin: Node | None
    revises: Node | None = None

    @property
    def seen_from(self) -> str:
        """The line on which a number that it names is looked for first: its own, or the one that it forks from."""
        return self.origin.branch if self.line is None and self.origin is not None else self.branch


def place(numbers: Numbers, session_id: str, call: Think) -> Placement:
    """The line, the number and the links of a thought; refuses what cannot be placed."""
    branch = call.branch_id or MAIN
    if branch == MAIN and (call.branch_from_thought is not None or call.branch_from_branch is not None):
        raise InvalidPayload(
            "a branch needs a name: branchId is missing",
            recovery="Send branchId: letters a-z, digits and -.",
            details={"fields": ["branchId"]},
        )
    line = numbers.line(branch)
    origin = _origin(numbers, call, branch, line)
    number = call.thought_number or (line.highest_number if line else origin.number if origin else 0) + 1
    if number > HIGHEST_NUMBER:
        raise InvalidPayload(
            f"the next thought would be number {number}, and there is none above {HIGHEST_NUMBER}",
            recovery="Send a thoughtNumber that is free.",
            details={"fields": ["thoughtNumber"]},
        )
    if line is not None and call.thought_number is not None and numbers.has(branch, number):
        free = line.highest_number + 1
        raise InvalidPayload(
            f"thought {number} is already there{f' on branch `{branch}`' if branch else ''}; none is overwritten",
            recovery=f"Send thoughtNumber {free}, or leave it out; to put it right, send revisesThought {number}.",
            details={"fields": ["thoughtNumber"], "nextFree": free},
        )
    placed = Placement(
        branch=branch,
        line=line,
        number=number,
        total=max(number, call.total_thoughts or (line.last_total if line else 1)),
        prev=line.last_seq if line else origin.seq if origin else None,
        origin=origin,
    )
    if call.revises_thought is None:
        return placed
    return replace(placed, revises=numbers.target(placed.seen_from, call.revises_thought, "revisesThought"))


def _origin(numbers: Numbers, call: Think, branch: str, line: Line | None) -> Node | None:
    """The fork point of the branch that the thought stands on; None on the main line."""
    if branch == MAIN:
        return None
    if line is None:
        if call.branch_from_thought is None:
            raise InvalidPayload(
                f"there is no branch `{branch}` yet: its first thought needs branchFromThought",
                recovery="Send branchFromThought, the number of the thought it forks from.",
                details={"fields": ["branchFromThought"]},
            )
        return numbers.fork_point(call.branch_from_thought, call.branch_from_branch)
    if call.branch_from_thought not in (None, line.origin_number):
        raise InvalidPayload(
            f"branch `{branch}` forks from thought {line.origin_number}, not from {call.branch_from_thought}",
            recovery="Leave branchFromThought out, or choose another branchId for a new branch.",
            details={"fields": ["branchFromThought"]},
        )
    if call.branch_from_branch not in (None, line.parent or None):
        raise InvalidPayload(
            f"branch `{branch}` forks from {f'branch `{line.parent}`' if line.parent else 'the main line'},"
            f" not from branch `{call.branch_from_branch}`",
            recovery="Leave branchFromBranch out, or choose another branchId for a new branch.",
            details={"fields": ["branchFromBranch"]},
        )
    if line.origin is None or line.origin_number is None:
        return None  # it came from files that did not say where it forked
    return Node(line.parent or MAIN, line.origin_number, line.origin, "")
