// One record as the lane graph keeps it, read from a live record the way the server reads it for a graph page.

import type { RecordShown } from "../api/types";
import { kindIndex } from "./kinds";

export const REVISES = 1;
export const BEGINS_BRANCH = 2;
export const HAS_ACTION = 4;
export const ENDS_SESSION = 8;

const MAIN = "main";

export interface Row {
  seq: number;
  kind: number;
  /** The record before it on its lane, or its fork point; 0: none, or whatever stands last on its lane. */
  parent: number;
  time: number;
  number: number;
  flags: number;
}

interface RowLink {
  to: number;
  type: string;
}

export function rowOf(shown: RecordShown): Row {
  const { record } = shown;
  const data = record.data;
  const given = data["thoughtNumber"];
  return {
    seq: shown.seq,
    kind: kindIndex(shown.kind),
    parent: seqOf(data["prev"]) || seqOf(data["origin"]),
    time: Date.parse(record.ts) || 0,
    number: typeof given === "number" ? given : shown.streamIndex + 1,
    flags:
      (linksOf(shown).some((link) => link.type === "revises") ? REVISES : 0) |
      (record.branch !== MAIN && typeof data["branchFromThought"] === "number" ? BEGINS_BRANCH : 0) |
      (typeof data["actionId"] === "string" ? HAS_ACTION : 0) |
      (data["change"] === "completed" ? ENDS_SESSION : 0),
  };
}

export function linksOf(shown: RecordShown): RowLink[] {
  const out: RowLink[] = [];
  for (const relation of shown.record.attrs.relations ?? []) {
    const to = seqOf(relation.to);
    if (to) out.push({ to, type: relation.type });
  }
  const revised = seqOf(shown.record.data["revises"]);
  if (revised && !out.some((link) => link.to === revised && link.type === "revises")) {
    out.push({ to: revised, type: "revises" });
  }
  return out;
}

/** The seq in a record's id, th:17; 0 for anything else. */
export function seqOf(id: unknown): number {
  const found = typeof id === "string" ? /^th:(\d{1,16})$/.exec(id) : null;
  return found ? Number(found[1]) : 0;
}
