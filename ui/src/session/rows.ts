import type { Kind } from "../api/types";
import { KINDS } from "../lanes/kinds";
import type { Lane, RecordTable } from "../lanes/table";

/** A record as a row of the table shows it; its text comes later. */
export interface TableRow {
  /** From 0, among the rows that are shown. */
  place: number;
  seq: number;
  kind: Kind;
  stream: string;
  branch: string;
  session: string;
  number: number;
  time: number;
}

/** How many rows there are: of one lane or of all, as of a record or now. */
export function rowCount(table: RecordTable, lane: Lane | undefined, at: number | null): number {
  if (lane !== undefined) return table.countAsOf(lane, at);
  return at === null ? table.size : table.rowFrom(at + 1);
}

export function rowsBetween(table: RecordTable, lane: Lane | undefined, first: number, end: number): TableRow[] {
  return Array.from({ length: end - first }, (_, index) => {
    const place = first + index;
    const row = lane === undefined ? place : lane.rows.values[place]!;
    const { stream, branch, session } = table.lanes[table.laneAt(row)]!;
    return {
      place,
      seq: table.seqAt(row),
      kind: KINDS[table.kindAt(row)]!,
      stream,
      branch,
      session,
      number: table.numberAt(row),
      time: table.timeAt(row),
    };
  });
}

/** Where a record stands among the rows; -1 where it does not. */
export function placeOf(table: RecordTable, lane: Lane | undefined, seq: number): number {
  const row = table.rowOf(seq);
  if (row < 0 || lane === undefined) return row;
  return table.lanes[table.laneAt(row)] === lane ? table.placeAt(row) : -1;
}
