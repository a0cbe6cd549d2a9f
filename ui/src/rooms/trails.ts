import type { Source } from "../api/source";
import type { Action, Kind, SessionRead, Trail, TrailStep } from "../api/types";
import { KINDS } from "../lanes/kinds";
import { allThoughts } from "./branches";

/** What a thought is called in a trail, where that is more than its kind. */
const KIND_OF_TYPE: Readonly<Record<string, Kind>> = {
  analysis: "claim",
  hypothesis: "claim",
  assumption: "claim",
  conclusion: "decision",
  reflection: "observation",
};

export function kindOfType(type: string): Kind {
  const kind = KINDS.find((known) => known === type);
  return kind ?? KIND_OF_TYPE[type] ?? "claim";
}

/** The actions that a session's thoughts lead to, newest first, as the list of all actions has them. */
export function actionsOf(read: SessionRead): Action[] {
  const actions = new Map<string, Action>();
  for (const { actionId, seq, timestamp } of allThoughts(read)) {
    if (actionId === undefined) continue;
    const action = actions.get(actionId) ?? { actionId, thoughts: 0, seq: 0, ts: timestamp };
    action.thoughts += 1;
    if (seq > action.seq) Object.assign(action, { seq, ts: timestamp });
    actions.set(actionId, action);
  }
  return [...actions.values()].sort((a, b) => b.seq - a.seq);
}

export interface ActionsShown {
  actions: Action[];
  hasMore: boolean;
}

/** The actions of a session, or of the whole workspace as many as are asked for. */
export async function readActions(
  source: Source,
  { sessionId, asOf, limit }: { sessionId: string | undefined; asOf: number | null; limit: number },
  signal: AbortSignal,
): Promise<ActionsShown> {
  const at = asOf === null ? {} : { asOf };
  if (sessionId !== undefined) {
    const read = await source.session(sessionId, { limit: 2000, ...at }, signal);
    return { actions: actionsOf(read), hasMore: false };
  }
  const page = await source.actions({ limit, ...at }, signal);
  return { actions: page.actions, hasMore: page.nextCursor !== null };
}

const MOST_RECORDS = 200;

/** The paths to an action with the whole text of their steps, of which a trail tells the beginning. */
export async function readTrail(source: Source, actionId: string, asOf: number | null, signal: AbortSignal): Promise<Trail> {
  const trail = await source.trail(actionId, asOf ?? undefined, signal);
  const cut = new Set(trail.trails.flat().filter(isCut).map((step) => step.thoughtId));
  if (cut.size === 0) return trail;
  const { records } = await source.records({ ids: [...cut].slice(0, MOST_RECORDS) }, signal);
  return withTexts(trail, new Map(records.map(({ id, record }) => [id, record.body.cipher ?? record.body.text])));
}

function isCut(step: TrailStep): boolean {
  return step.content.endsWith("…");
}

/** Steps with their whole text, where it is the one that they begin with. */
export function withTexts(trail: Trail, texts: ReadonlyMap<string, string>): Trail {
  const whole = (step: TrailStep): TrailStep => {
    const text = texts.get(step.thoughtId);
    const begins = isCut(step) && text?.startsWith(step.content.slice(0, -1).trimEnd());
    return begins ? { ...step, content: text as string } : step;
  };
  return { ...trail, trails: trail.trails.map((steps) => steps.map(whole)) };
}

export interface Path {
  steps: TrailStep[];
  /** How many of its first steps are those of the path before it. */
  shared: number;
}

/** Paths with what each begins with in common with the one before, so that it need not be read twice. */
export function pathsOf(trail: Trail): Path[] {
  return trail.trails.map((steps, place) => {
    const before = trail.trails[place - 1] ?? [];
    let shared = 0;
    while (shared < steps.length - 1 && before[shared]?.thoughtId === steps[shared]?.thoughtId) shared += 1;
    return { steps, shared };
  });
}
