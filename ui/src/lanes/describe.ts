// A record in words: for who hears the graph, and for the note beside the pointer.

import { kindWords } from "./kinds";
import type { Lane, RecordTable } from "./table";
import { plain } from "./wrap";

const HEARD = 160;

/** "decision 12 on alt, 3 of 8: Ship it." */
export function described(table: RecordTable, row: number, laneName: string, text: string | undefined): string {
  const lane = table.lanes[table.laneAt(row)]!;
  const place = `${kindWords[table.kindAt(row)]} ${table.numberAt(row)} on ${laneName}, ${table.placeAt(row) + 1} of ${lane.count}`;
  return text === undefined ? place : `${place}: ${shortened(text, HEARD)}`;
}

export function shortened(text: string, most: number): string {
  const words = plain(text);
  return words.length > most ? `${words.slice(0, most).trimEnd()}…` : words;
}

/** A lane among others: its branch where all stand in one stream, otherwise its stream as well. */
export function laneName(table: RecordTable, index: number): string {
  const lane = table.lanes[index]!;
  const isOneStream = table.lanes.length === 1 || table.lanes.every((each) => each.stream === lane.stream);
  if (isOneStream) return lane.branch;
  return isMain(lane) ? lane.stream : `${lane.stream} · ${lane.branch}`;
}

function isMain(lane: Lane): boolean {
  return lane.parentLane < 0;
}
