// Tables for tests, written down as lanes: a name, the record that it forks from, and its records' seqs.

import type { Graph, RecordShown } from "../api/types";
import type { Frame, ViewState } from "./camera";
import { KINDS } from "./kinds";
import { Layout, type LayoutOptions } from "./layout";
import { Packing } from "./packing";
import type { Palette } from "./palette";
import { Scene, type Shown } from "./scene";
import { RecordTable } from "./table";

export interface LaneGiven {
  branch: string;
  stream?: string;
  fork?: number;
  seqs: number[];
}

export function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

export function graphOf(lanes: LaneGiven[], links: Graph["links"] = []): Graph {
  const rows = lanes
    .flatMap(({ seqs, fork = 0 }, lane) => seqs.map((seq, i) => ({ seq, lane, number: i + 1, parent: i === 0 ? fork : seqs[i - 1]! })))
    .sort((a, b) => a.seq - b.seq);
  const seq = rows.at(-1)?.seq ?? 0;
  return {
    seq,
    total: rows.length,
    lanes: lanes.map(({ branch, stream = "thoughts/s1" }) => ({ stream, branch, room: "thoughts", session: stream.slice(9) })),
    seqs: rows.map((row) => row.seq),
    lane: rows.map((row) => row.lane),
    kind: rows.map((row) => row.seq % KINDS.length),
    parent: rows.map((row) => row.parent),
    times: rows.map((row) => row.seq * 1000),
    numbers: rows.map((row) => row.number),
    flags: rows.map(() => 0),
    links,
    nextCursor: null,
  };
}

export function tableOf(lanes: LaneGiven[], links: Graph["links"] = []): RecordTable {
  const table = new RecordTable((tell) => tell());
  table.append(graphOf(lanes, links));
  return table;
}

/** A live record of the stream thoughts/s1. */
export function liveOf(seq: number, branch: string, more: { data?: object; attrs?: object } = {}): RecordShown {
  return {
    seq,
    id: `th:${seq}`,
    stream: "thoughts/s1",
    streamIndex: seq - 1,
    room: "thoughts",
    kind: "claim",
    contentHash: "",
    hash: "",
    record: {
      id: `th:${seq}`,
      kind: "claim",
      ts: "2026-01-02T03:04:05Z",
      session: "s1",
      branch,
      agent: "a",
      refs: [],
      body: { text: "A text." },
      source: {},
      attrs: { ...more.attrs },
      data: { topic: "thoughts.thought", ...more.data },
    },
  };
}

export function layoutOf(table: RecordTable, options: Partial<LayoutOptions> = {}): Layout {
  return new Layout(table, { lane: null, room: 20, perRow: 5, packing: new Packing(), ...options });
}

export const FRAME: Frame = { left: 0, top: 0, width: 1000, height: 600 };

export function sceneOf(table: RecordTable, view: ViewState, given: Partial<Shown> = {}): Scene {
  return new Scene({
    table,
    layout: layoutOf(table),
    view,
    frame: FRAME,
    asOf: null,
    selected: null,
    hovered: null,
    hits: null,
    textOf: () => undefined,
    laneLabel: (lane) => table.lanes[lane]!.branch,
    ...given,
  });
}

export const PALETTE: Palette = {
  bg: "#000", surface: "#111", raised: "#222", line: "#333", edge: "#444", hit: "#ff0", onHit: "#000", text: "#fff",
  text2: "#ccc", accent: "#00f", kinds: KINDS.map((_, i) => `#00000${i.toString(16)}`), font: "sans-serif", mono: "monospace",
};
