import type { RecordShown, Session, SessionRead, Thought } from "./types";

export interface Subscription {
  channel: "reasoning" | "sessions" | "records";
  sessionId?: string;
  workspace?: string;
  /** Go on behind this record. Without it a snapshot or a list comes first, and `records` starts now. */
  since?: number;
  room?: string;
  kind?: string;
  stream?: string;
  agent?: string;
}

interface ThoughtEvent {
  seq: number;
  sessionId: string;
  nodeId: string;
  thought: Thought;
  parentId: string | null;
}

interface LiveData {
  "session:snapshot": SessionRead;
  "thought:added": ThoughtEvent;
  "thought:revised": ThoughtEvent & { revisedNodeId: string; newNodeId: string; originalThoughtNumber: number };
  "thought:branched": ThoughtEvent & {
    originNodeId: string;
    newNodeId: string;
    branchId: string;
    fromThoughtNumber: number;
  };
  "sessions:list": { sessions: Session[]; seq: number };
  "session:started": { session: Session; seq: number };
  "session:updated": { session: Session; seq: number };
  "session:ended": { sessionId: string; finalThoughtCount: number; session: Session; seq: number };
  "record:added": RecordShown;
  /** Too many to tell one by one: read those from `from` to `to` over HTTP. */
  "records:coalesced": { from: number; to: number; seq: number };
  error: { code: string; message: string };
}

export type LiveEvent = {
  [E in keyof LiveData]: { channel?: Subscription["channel"]; event: E; seq: number; data: LiveData[E] };
}[keyof LiveData];

/** Read what came over the socket; null for what is not an event. */
export function eventOf(message: unknown): LiveEvent | null {
  if (typeof message !== "string") return null;
  let said: unknown;
  try {
    said = JSON.parse(message);
  } catch {
    return null;
  }
  if (typeof said !== "object" || said === null) return null;
  const { channel, event, seq, data } = said as Record<string, unknown>;
  if (typeof event !== "string" || typeof data !== "object" || data === null) return null;
  const number = typeof seq === "number" ? seq : (data as { seq?: unknown }).seq;
  return { channel, event, seq: typeof number === "number" ? number : 0, data } as LiveEvent;
}

function sessionOf(event: LiveEvent): string | undefined {
  switch (event.event) {
    case "session:snapshot":
      return event.data.session.id;
    case "thought:added":
    case "thought:revised":
    case "thought:branched":
      return event.data.sessionId;
    default:
      return undefined;
  }
}

/** The socket is shared: events do not say which subscription they answer, so each takes those that fit it. */
export function concerns(what: Subscription, event: LiveEvent): boolean {
  if (event.event === "error") return event.channel === undefined || event.channel === what.channel;
  if (event.channel !== what.channel) return false;
  if (event.event === "record:added") {
    const { room, kind, stream, record } = event.data;
    return (
      (what.room === undefined || what.room === room) &&
      (what.kind === undefined || what.kind === kind) &&
      (what.stream === undefined || what.stream === stream) &&
      (what.agent === undefined || what.agent === record.agent) &&
      (what.sessionId === undefined || what.sessionId === record.session)
    );
  }
  const session = sessionOf(event);
  return session === undefined || what.sessionId === undefined || session === what.sessionId;
}

/** One listener and how far it has been told. */
export class Listener {
  readonly what: Subscription;
  private readonly on: (event: LiveEvent) => void;
  private reached: number;
  private readonly toldAtReached = new Set<string>();
  private hasStart: boolean;

  constructor(what: Subscription, on: (event: LiveEvent) => void) {
    this.what = what;
    this.on = on;
    this.reached = what.since ?? 0;
    this.hasStart = what.since !== undefined;
  }

  /** What to send: after the first time it goes on where it stands. */
  request(): object {
    const { since: _, ...filters } = this.what;
    return { action: "subscribe", ...filters, ...(this.hasStart ? { since: this.reached } : {}) };
  }

  /** Two listeners with the same filters share what the server sends. */
  get filters(): string {
    const { since: _, ...filters } = this.what;
    return JSON.stringify(Object.entries(filters).sort());
  }

  get workspace(): string {
    return this.what.workspace ?? "";
  }

  tell(event: LiveEvent): void {
    if (!concerns(this.what, event)) return;
    if (event.event === "error") return this.on(event);
    if (event.event === "session:snapshot" || event.event === "sessions:list") {
      // A snapshot that answers another listener's subscription, or comes late, would set this one back.
      if (this.hasStart && event.seq <= this.reached) return;
      this.advance(event.seq, event.event);
      return this.on(event);
    }
    if (event.event === "records:coalesced") {
      const { from, to } = event.data;
      if (to <= this.reached) return;
      const first = Math.max(from, this.reached + 1);
      this.advance(to, event.event);
      return this.on({ ...event, data: { ...event.data, from: first } });
    }
    // One record may start a session and end another, so what counts as a repeat is the same event of the same record.
    if (event.seq < this.reached || (event.seq === this.reached && this.isToldOrBefore(event.event))) return;
    this.advance(event.seq, event.event);
    this.on(event);
  }

  private isToldOrBefore(name: string): boolean {
    return this.toldAtReached.size === 0 || this.toldAtReached.has(name) || this.what.channel !== "sessions";
  }

  private advance(seq: number, name: string): void {
    if (seq > this.reached) this.toldAtReached.clear();
    // A list holds all that its last record did.
    if (name !== "session:snapshot" && name !== "sessions:list") this.toldAtReached.add(name);
    this.reached = Math.max(seq, this.reached);
    this.hasStart = true;
  }
}
