import { said } from "../api/said";
import type { Envelope, Neighbour, RecordRead, Relation, SessionRead, Thought } from "../api/types";
import { allThoughts } from "../rooms/branches";
import { hexOf, sha256OfText } from "../verify/sha256";

/** What the operation ledger_prove answers. */
export interface Proven {
  id: string;
  record: Envelope;
  previous_hash: string;
  hash: string;
  index: number;
  size: number;
  root: string;
  path: string[];
  checkpoint: string | null;
}

/** JSON in its one canonical spelling (RFC 8785): these are the bytes that were hashed. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(",")}}`;
}

function neighbourOf(thought: Thought | undefined, stream: string, relation?: Relation["type"]): Neighbour | null {
  if (thought === undefined) return null;
  const { recordId: id, seq, kind } = thought;
  return { id, seq, kind, text: said(thought.thought).slice(0, 200), stream, relation: relation ?? null };
}

/** A record with its hashes, between the thoughts of its session. */
export function recordReadOf(proven: Proven, read: SessionRead): RecordRead {
  const { stream } = read.session;
  const thoughts = allThoughts(read);
  const place = thoughts.findIndex((thought) => thought.recordId === proven.id);
  const previous = neighbourOf(thoughts[place - 1], stream);
  const next = place < 0 ? null : neighbourOf(thoughts[place + 1], stream);
  const { index, size, root, path, checkpoint } = proven;
  return {
    seq: index + 1,
    id: proven.id,
    stream,
    streamIndex: Math.max(0, place),
    room: "thoughts",
    kind: proven.record.kind,
    contentHash: hexOf(sha256OfText(canonical(proven.record))),
    hash: proven.hash,
    record: proven.record,
    previousHash: proven.previous_hash,
    proof: { index, size, root, path, checkpoint },
    neighbours: { previous, next, before: previous, after: next },
    referredToBy: thoughts.flatMap((thought) =>
      thought.relations
        .filter((relation) => relation.to === proven.id)
        .map((relation) => neighbourOf(thought, stream, relation.type) as Neighbour),
    ),
    session: read.session,
  };
}
