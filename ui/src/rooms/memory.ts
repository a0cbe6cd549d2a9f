import type { CellEvidence, CellState, CellType } from "../api/types";

export const MOST_TRUST = 3;

/** How far memory trusts something, from 0 to 3. */
const TRUST_WORDS = ["untrusted", "unverified", "stated by a user", "verified"];

export function trustWords(trust: number): string {
  return TRUST_WORDS[trust] ?? "unknown";
}

export const CELL_TYPES: readonly CellType[] = ["rule", "preference", "policy", "fact"];

export const CELL_STATES: readonly CellState[] = ["unverified", "observed", "reinforced", "stable", "decaying", "archived"];

/** What speaks for a cell, and what against it; each newest first. */
export function sidesOf(evidence: readonly CellEvidence[]): { supporting: CellEvidence[]; contradicting: CellEvidence[] } {
  const newestFirst = evidence.toReversed();
  return {
    supporting: newestFirst.filter((piece) => piece.relation === "supports"),
    contradicting: newestFirst.filter((piece) => piece.relation === "contradicts"),
  };
}

/** Cells and episodes are called by the number of the record that wrote them. */
export function recordIdOf(number: number): string {
  return `th:${number}`;
}
