import type { Source } from "../api/source";
import type { Card, Job, Kind, PlanTarget, TaskStatus, TaskTarget } from "../api/types";

/** In the order in which work goes through them. */
export const TASK_STATUSES: readonly { status: TaskStatus; words: string }[] = [
  { status: "TODO", words: "To do" },
  { status: "ACTIVE", words: "Active" },
  { status: "PARKED", words: "Parked" },
  { status: "DONE", words: "Done" },
  { status: "CANCELED", words: "Canceled" },
];

/** Types of cards in the order of an inquiry; others follow. */
const CARD_TYPES = ["frame", "question", "hypothesis", "test", "evidence", "decision", "update", "note"];

const KIND_OF_CARD: Readonly<Record<string, Kind>> = {
  frame: "plan",
  question: "question",
  hypothesis: "claim",
  test: "observation",
  evidence: "evidence",
  decision: "decision",
  update: "revision",
  note: "observation",
};

export function kindOfCard(type: string): Kind {
  return KIND_OF_CARD[type] ?? "observation";
}

export interface CardColumn {
  type: string;
  cards: Card[];
}

export function cardColumns(cards: readonly Card[]): CardColumn[] {
  const columns = new Map<string, Card[]>();
  for (const card of cards) columns.set(card.type, [...(columns.get(card.type) ?? []), card]);
  const place = (type: string): number => (CARD_TYPES.includes(type) ? CARD_TYPES.indexOf(type) : CARD_TYPES.length);
  return [...columns]
    .map(([type, cards]) => ({ type, cards }))
    .sort((a, b) => place(a.type) - place(b.type) || a.type.localeCompare(b.type));
}

export interface BoardShown {
  plans: PlanTarget[];
  tasks: TaskTarget[];
  jobs: Job[];
  cards: Card[];
  /** There is more of something than is read. */
  isCut: boolean;
}

const PAGE = 200;
const MOST_PAGES = 5;

/** Everything on the board, at one point in time; of the cards those about a plan or task, or about none. */
export async function readBoard(
  source: Source,
  { asOf, target }: { asOf: number | null; target: string | null },
  signal: AbortSignal,
): Promise<BoardShown> {
  const at = asOf === null ? {} : { asOf };
  const about = target === null ? {} : { target };
  const [targets, jobs, cards] = await Promise.all([
    pagesOf(async (cursor) => {
      const { targets, pagination } = await source.tasks({ limit: PAGE, ...at, ...cursor }, signal);
      return { items: targets, next: pagination.next_cursor };
    }),
    pagesOf(async (cursor) => {
      const { jobs, next_cursor } = await source.jobs({ limit: PAGE, ...at, ...cursor }, signal);
      return { items: jobs, next: next_cursor ?? null };
    }),
    pagesOf(async (cursor) => {
      const { cards, pagination } = await source.cards({ limit: PAGE, drafts: true, ...about, ...at, ...cursor }, signal);
      return { items: cards, next: pagination.next_cursor };
    }),
  ]);
  return {
    plans: targets.items.filter((target) => target.kind === "plan"),
    tasks: targets.items.filter((target) => target.kind === "task"),
    jobs: jobs.items,
    cards: cards.items,
    isCut: targets.isCut || jobs.isCut || cards.isCut,
  };
}

async function pagesOf<T>(
  read: (cursor: { cursor?: string }) => Promise<{ items: T[]; next: string | number | null }>,
): Promise<{ items: T[]; isCut: boolean }> {
  const items: T[] = [];
  let cursor: { cursor?: string } = {};
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const { items: some, next } = await read(cursor);
    items.push(...some);
    if (next === null) return { items, isCut: false };
    cursor = { cursor: String(next) };
  }
  return { items, isCut: true };
}

/** Parts of a whole that are done, of those that still count. */
export function progressOf(plan: PlanTarget): { done: number; total: number } {
  const { TODO, ACTIVE, PARKED, DONE } = plan.tasks;
  return { done: DONE, total: TODO + ACTIVE + PARKED + DONE };
}

/** The record that speaks of a plan or a task last; null where search does not know it. */
export async function recordOf(source: Source, id: string): Promise<string | null> {
  const { hits } = await source.search({ q: id, room: "mind", limit: 1 });
  return hits[0]?.id ?? null;
}
