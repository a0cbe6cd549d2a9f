import type { Source } from "../api/source";
import type { Diff, SessionRead, Thought } from "../api/types";

/** What the API calls the line that a session begins with. */
export const MAIN = "main";

export interface BranchChoice {
  id: string;
  words: string;
}

/** The branches of a session, main first, as one chooses among them. */
export function choicesOf(read: SessionRead, others: readonly string[] = []): BranchChoice[] {
  const choices = [{ id: MAIN, words: MAIN }];
  for (const branch of Object.values(read.branches)) {
    const name = branch.name ?? branch.id;
    choices.push({ id: branch.id, words: branch.fate === undefined ? name : `${name} (${branch.fate})` });
  }
  const known = new Set(choices.map((choice) => choice.id));
  for (const id of others) if (!known.has(id)) choices.push({ id, words: id });
  return choices;
}

export interface Compared {
  /** The record as of which it was read; null is now. */
  asOf: number | null;
  read: SessionRead;
  choices: BranchChoice[];
}

/** A session as far as one page goes; of a longer one the other branches are known by their lanes. */
export async function comparedSession(source: Source, id: string, asOf: number | null, signal: AbortSignal): Promise<Compared> {
  const at = asOf === null ? {} : { asOf };
  const read = await source.session(id, { limit: 2000, ...at }, signal);
  if (!read.truncated) return { read, choices: choicesOf(read), asOf };
  const { lanes } = await source.graph({ sessionId: id, ...at }, signal);
  return { read, choices: choicesOf(read, lanes.map((lane) => lane.branch)), asOf };
}

/** Every thought that was read, by seq. */
export function allThoughts(read: SessionRead): Thought[] {
  const all = [...read.thoughts, ...Object.values(read.branches).flatMap((branch) => branch.thoughts)];
  return all.sort((a, b) => a.seq - b.seq);
}

/** What both sides of a comparison hold, as far as it was read. */
export function commonThoughts(read: SessionRead, diff: Diff): Thought[] {
  if (diff.by === "branches") return diff.fork === null ? [] : commonPath(read, diff.fork.id);
  const earlier = Math.min(diff.from.seq ?? 0, diff.to.seq ?? 0);
  return allThoughts(read).filter((thought) => thought.seq <= earlier);
}

/** The thoughts from the session's first to the fork, as far as they have been read. */
export function commonPath(read: SessionRead, fork: string): Thought[] {
  const byId = new Map(allThoughts(read).map((thought) => [thought.id, thought]));
  const path: Thought[] = [];
  let at = byId.get(fork);
  while (at !== undefined && path.length <= byId.size) {
    path.push(at);
    at = at.parentId === undefined ? undefined : byId.get(at.parentId);
  }
  return path.reverse();
}
