import { describe, expect, it } from "vitest";
import type { Source } from "../api/source";
import type { Card, CellEvidence, Diff, SessionRead, Thought } from "../api/types";
import { cardColumns, progressOf, readBoard } from "./board";
import { choicesOf, commonPath, commonThoughts } from "./branches";
import { sidesOf, trustWords } from "./memory";
import { actionsOf, kindOfType, pathsOf, withTexts } from "./trails";

const thought = (seq: number, id: string, parentId: string | null, more: Partial<Thought> = {}): Thought => ({
  id,
  recordId: `th:${seq}`,
  seq,
  thoughtNumber: seq,
  totalThoughts: 9,
  thought: id,
  nextThoughtNeeded: true,
  timestamp: "2026-01-01T00:00:00.000Z",
  kind: "claim",
  ...(parentId === null ? {} : { parentId }),
  relations: [],
  ...more,
});

const READ = {
  thoughts: [thought(1, "s:1", null), thought(2, "s:2", "s:1"), thought(5, "s:3", "s:2", { actionId: "deploy" })],
  branches: {
    alt: { id: "alt", name: null, fromThoughtNumber: 2, fate: "rejected", thoughts: [thought(3, "s:alt:3", "s:2"), thought(4, "s:alt:4", "s:alt:3", { actionId: "deploy" })] },
  },
} as unknown as SessionRead;

describe("comparing branches", () => {
  it("offers main first, then each branch with its fate, then those not read", () => {
    expect(choicesOf(READ, ["main", "far"])).toEqual([
      { id: "main", words: "main" },
      { id: "alt", words: "alt (rejected)" },
      { id: "far", words: "far" },
    ]);
  });

  it("knows the thoughts up to the fork, also of a branch of a branch", () => {
    expect(commonPath(READ, "s:2").map((one) => one.id)).toEqual(["s:1", "s:2"]);
    expect(commonPath(READ, "s:alt:4").map((one) => one.id)).toEqual(["s:1", "s:2", "s:alt:3", "s:alt:4"]);
    expect(commonPath(READ, "s:99")).toEqual([]);
  });

  it("has in common at two points in time what was thought up to the earlier", () => {
    const diff = { by: "time", from: { seq: 9 }, to: { seq: 3 }, fork: null } as unknown as Diff;
    expect(commonThoughts(READ, diff).map((one) => one.seq)).toEqual([1, 2, 3]);
  });

  it("does not run in circles", () => {
    const circle = { thoughts: [thought(1, "a", "b"), thought(2, "b", "a")], branches: {} } as unknown as SessionRead;
    expect(commonPath(circle, "a").length).toBeLessThanOrEqual(3);
  });

});

describe("trails", () => {
  it("are of the actions that a session's thoughts lead to", () => {
    expect(actionsOf(READ)).toEqual([{ actionId: "deploy", thoughts: 2, seq: 5, ts: "2026-01-01T00:00:00.000Z" }]);
  });

  it("name what a path has in common with the one before, but never its end", () => {
    const step = (thoughtId: string) => ({ thoughtId, thoughtType: "claim", content: "", stepIndex: 0 });
    const trails = [[step("a"), step("b"), step("c")], [step("a"), step("b"), step("d")], [step("a")]];
    const paths = pathsOf({ success: true, actionId: "x", hasReasoning: true, trailCount: 3, trails });
    expect(paths.map((path) => path.shared)).toEqual([0, 2, 0]);
  });

  it("show the whole text of a step that was cut, and only that of the same step", () => {
    const steps = [
      { thoughtId: "a", thoughtType: "claim", content: "It begins …", stepIndex: 0 },
      { thoughtId: "b", thoughtType: "claim", content: "Another …", stepIndex: 1 },
    ];
    const trail = { success: true as const, actionId: "x", hasReasoning: true, trailCount: 1, trails: [steps] };
    const texts = new Map([["a", "It begins and ends."], ["b", "Something else."]]);
    expect(withTexts(trail, texts).trails[0]?.map((step) => step.content)).toEqual(["It begins and ends.", "Another …"]);
  });

  it("show every type of thought as one of the kinds", () => {
    expect(["decision", "hypothesis", "reflection", "analysis", "unheard"].map(kindOfType)).toEqual([
      "decision",
      "claim",
      "observation",
      "claim",
      "claim",
    ]);
  });
});

describe("the board", () => {
  const card = (id: string, type: string): Card => ({ id, type, status: "open", tags: [], meta: {}, last_seq: 1, last_ts_ms: 0 });

  it("has cards by type in the order of an inquiry", () => {
    const columns = cardColumns([card("1", "zeal"), card("2", "decision"), card("3", "question"), card("4", "decision")]);
    expect(columns.map((column) => [column.type, column.cards.length])).toEqual([["question", 1], ["decision", 2], ["zeal", 1]]);
  });

  it("counts what is canceled out of a plan", () => {
    const tasks = { TODO: 1, ACTIVE: 1, PARKED: 0, DONE: 2, CANCELED: 5 };
    expect(progressOf({ id: "PLAN-001", kind: "plan", title: "", status: "ACTIVE", revision: 0, tasks })).toEqual({ done: 2, total: 4 });
  });

  it("reads page after page, and says when that is not all", async () => {
    const target = { id: "TASK-001", kind: "task" };
    let pages = 0;
    const source = {
      tasks: () => Promise.resolve({ targets: [target], pagination: { next_cursor: ++pages < 3 ? "more" : null } }),
      jobs: () => Promise.resolve({ jobs: [] }),
      cards: () => Promise.resolve({ cards: [card("1", "note")], pagination: { next_cursor: 7 } }),
    } as unknown as Source;
    const board = await readBoard(source, { asOf: null, target: null }, new AbortController().signal);
    expect([board.tasks.length, board.plans.length, board.cards.length, board.isCut]).toEqual([3, 0, 5, true]);
  });
});

describe("memory", () => {
  it("tells trust in words", () => {
    expect([0, 1, 2, 3, 9].map(trustWords)).toEqual(["untrusted", "unverified", "stated by a user", "verified", "unknown"]);
  });

  it("has two sides, newest first", () => {
    const pieces = [
      { id: 1, relation: "supports" },
      { id: 2, relation: "contradicts" },
      { id: 3, relation: "supports" },
    ] as CellEvidence[];
    const { supporting, contradicting } = sidesOf(pieces);
    expect([supporting.map((piece) => piece.id), contradicting.map((piece) => piece.id)]).toEqual([[3, 1], [2]]);
  });
});
