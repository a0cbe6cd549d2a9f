// The kinds of records: their order in graph pages, how they are called, and the shape that tells each apart without
// its colour.

import type { Kind } from "../api/types";

export const KINDS: readonly Kind[] = [
  "claim",
  "evidence",
  "question",
  "plan",
  "observation",
  "decision",
  "revision",
  "tool_call",
  "tool_result",
  "hub_event",
  "checkpoint",
];

/** A closed outline within the unit circle, corner by corner as x, y; or a circle, full or hollow. */
export type Shape = { corners: readonly number[] } | { circle: "full" | "hollow" };

function polygon(corners: number, turn: number, reach = 1.1): Shape {
  const out: number[] = [];
  for (let i = 0; i < corners; i++) {
    const angle = turn + (i * 2 * Math.PI) / corners;
    out.push(reach * Math.cos(angle), reach * Math.sin(angle));
  }
  return { corners: out };
}

function star(points: number, inner: number): Shape {
  const out: number[] = [];
  for (let i = 0; i < points * 2; i++) {
    const angle = -Math.PI / 2 + (i * Math.PI) / points;
    const reach = i % 2 === 0 ? 1.25 : inner;
    out.push(reach * Math.cos(angle), reach * Math.sin(angle));
  }
  return { corners: out };
}

const CROSS = [-0.35, -1, 0.35, -1, 0.35, -0.35, 1, -0.35, 1, 0.35, 0.35, 0.35, 0.35, 1, -0.35, 1, -0.35, 0.35, -1, 0.35, -1, -0.35, -0.35, -0.35];
const RIGHT = 0;
const DOWN = Math.PI / 2;
const LEFT = Math.PI;
const UP = -Math.PI / 2;

const SHAPES: Record<Kind, Shape> = {
  claim: { circle: "full" },
  evidence: polygon(4, Math.PI / 4, 1.2),
  question: polygon(4, RIGHT, 1.2),
  plan: polygon(3, RIGHT, 1.2),
  observation: { circle: "hollow" },
  decision: star(5, 0.55),
  revision: polygon(3, LEFT, 1.2),
  tool_call: polygon(3, UP, 1.2),
  tool_result: polygon(3, DOWN, 1.2),
  hub_event: { corners: CROSS },
  checkpoint: polygon(6, UP, 1.1),
};

export const shapes: readonly Shape[] = KINDS.map((kind) => SHAPES[kind]);

/** What a reader is told: "tool call". */
export const kindWords: readonly string[] = KINDS.map((kind) => kind.replace("_", " "));

/** The custom property that holds a kind's colour. */
export const kindTokens: readonly string[] = KINDS.map((kind) => `--kind-${kind.replace("_", "-")}`);

export function kindIndex(kind: Kind): number {
  return KINDS.indexOf(kind);
}
