// What the graph is given to show, and what it tells.

import type { ViewState } from "./camera";
import type { Mode, Stub } from "./layout";
import type { RecordTable } from "./table";

export interface StageProps {
  table: RecordTable;
  asOf: number | null;
  selected: number | null;
  hits: ReadonlySet<number> | null;
  textOf: (seq: number) => string | undefined;
  laneLabel: ((lane: number) => string) | null;
  lane: number | null;
  mode: Mode | "auto";
  follow: boolean;
  /** Pixels that are kept free at the top. */
  head: number;
}

export interface Hover {
  row: number;
  x: number;
  y: number;
}

export interface StageEvents {
  needTexts(seqs: number[]): void;
  select(seq: number | null): void;
  open(seq: number): void;
  drill(lane: number): void;
  rise(): void;
  follow(follow: boolean): void;
  view(view: ViewState): void;
  hover(hover: Hover | null): void;
  /** Texts that were asked for are here. */
  texts(): void;
  branches(stub: Stub, x: number, y: number): void;
}
