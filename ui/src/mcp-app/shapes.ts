import type { Branch, Graph, Session, SessionRead, Thought } from "../api/types";
import { kindIndex } from "../lanes/kinds";
import { BEGINS_BRANCH, ENDS_SESSION, HAS_ACTION, REVISES, seqOf } from "../lanes/row";
import { allThoughts } from "../rooms/branches";
import type { SessionGot, ThoughtGot } from "./answers";

// What session.get answers, in the shapes of the Observatory's own API.

const MAIN = "main";

function sessionOf(got: SessionGot["session"]): Session {
  return {
    id: got.id,
    title: got.title ?? null,
    tags: got.tags ?? [],
    createdAt: got.createdAt,
    updatedAt: got.updatedAt,
    completedAt: got.status === "completed" ? got.updatedAt : null,
    status: got.status,
    thoughtCount: got.thoughtCount,
    branchCount: got.branchCount,
    stream: `thoughts/${got.id}`,
    description: got.description ?? null,
    project: got.project ?? null,
    deleted: false,
  };
}

/** The node that a thought goes on from: the one before it on its line, or its fork point. */
function parentOf(thought: ThoughtGot, before: ThoughtGot | undefined, pages: SessionGot): string | undefined {
  if (before !== undefined) return before.nodeId;
  if (thought.branchId === undefined) return undefined;
  const branch = pages.branches[thought.branchId];
  const fork = branch?.fromThought ?? thought.branchFromThought;
  if (fork === undefined) return undefined;
  return [pages.session.id, branch?.fromBranch, fork].filter((part) => part !== undefined).join(":");
}

/** All pages of one session as one reading of it. */
export function sessionReadOf(pages: readonly SessionGot[]): SessionRead {
  const last = pages.at(-1) as SessionGot;
  const read: Pick<SessionRead, "thoughts" | "branches"> = { thoughts: [], branches: {} };
  const ends = new Map<string, ThoughtGot>();
  let seq = 0;
  for (const got of pages.flatMap((page) => page.thoughts)) {
    const line = got.branchId ?? "";
    const parentId = parentOf(got, ends.get(line), last);
    ends.set(line, got);
    const { id: recordId, nodeId: id, ...rest } = got;
    const thought: Thought = { ...rest, id, recordId, seq: seqOf(recordId), ...(parentId === undefined ? {} : { parentId }) };
    seq = Math.max(seq, thought.seq);
    lineOf(read, got, last).push(thought);
  }
  const nextCursor = last.cursor ?? null;
  return { session: sessionOf(last.session), ...read, seq, truncated: nextCursor !== null, nextCursor };
}

function lineOf(read: Pick<SessionRead, "thoughts" | "branches">, got: ThoughtGot, pages: SessionGot): Thought[] {
  if (got.branchId === undefined) return read.thoughts;
  const known = pages.branches[got.branchId];
  const branch: Branch = (read.branches[got.branchId] ??= {
    id: got.branchId,
    fromThoughtNumber: known?.fromThought ?? got.branchFromThought ?? 0,
    ...(known?.fromBranch === undefined ? {} : { fromBranch: known.fromBranch }),
    ...(known?.fate === undefined ? {} : { fate: known.fate }),
    thoughts: [],
  });
  return branch.thoughts;
}

/** The skeleton that the lane graph draws. */
export function graphOf(read: SessionRead): Graph {
  const thoughts = allThoughts(read);
  const { id: session, stream } = read.session;
  const branches = [MAIN, ...Object.keys(read.branches)];
  const seqOfNode = new Map(thoughts.map((thought) => [thought.id, thought.seq]));
  const numberOfBranch = new Map(branches.map((branch, number) => [branch, number]));
  const isEnd = (thought: Thought): boolean => !thought.nextThoughtNeeded && read.session.status === "completed" && thought.seq === read.seq;
  return {
    seq: read.seq,
    total: thoughts.length,
    lanes: branches.map((branch) => ({ stream, branch, room: "thoughts", session })),
    seqs: thoughts.map((thought) => thought.seq),
    lane: thoughts.map((thought) => numberOfBranch.get(thought.branchId ?? MAIN) ?? 0),
    kind: thoughts.map((thought) => kindIndex(thought.kind)),
    parent: thoughts.map((thought) => (thought.parentId === undefined ? 0 : (seqOfNode.get(thought.parentId) ?? 0))),
    times: thoughts.map((thought) => Date.parse(thought.timestamp) || 0),
    numbers: thoughts.map((thought) => thought.thoughtNumber),
    flags: thoughts.map(
      (thought) =>
        (thought.isRevision === true || thought.relations.some((relation) => relation.type === "revises") ? REVISES : 0) |
        (thought.branchId !== undefined && thought.branchFromThought !== undefined ? BEGINS_BRANCH : 0) |
        (thought.actionId === undefined ? 0 : HAS_ACTION) |
        (isEnd(thought) ? ENDS_SESSION : 0),
    ),
    links: thoughts.flatMap((thought) =>
      thought.relations.map((relation): [number, number, string] => [thought.seq, seqOf(relation.to), relation.type]),
    ),
    nextCursor: null,
  };
}
