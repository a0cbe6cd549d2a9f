// Where each record stands: columns from left to right, slots from top to bottom. Pure, without pixels.
//
// A slot holds tracks: a whole lane, one row of the snake, or what is packed onto it. Three ways to place a record:
//   order  several streams: its column is its place in the order of recording, and streams share slots
//   depth  one stream: a branch goes on from its fork, so that alternatives stand below each other, a slot for each
//   snake  one short lane: rows from left to right, as a page is read

import { lowerBound } from "./columns";
import type { Packing } from "./packing";
import type { Lane, RecordTable } from "./table";

export type Mode = "order" | "depth" | "snake";

export interface Track {
  lane: number;
  slot: number;
  /** The places on the lane that it holds: `from` up to, without, `to`. */
  from: number;
  to: number;
  /** The column of the place `from`. */
  start: number;
}

/** Branches that have no slot of their own, at the record that they fork from. */
export interface Stub {
  readonly lane: number;
  readonly place: number;
  readonly branches: readonly number[];
}

export interface LayoutOptions {
  /** Drilled in: this lane alone. */
  lane: number | null;
  /** How many lanes may have a slot before branches become stubs. */
  room: number;
  /** How many cards stand side by side in the snake. */
  perRow: number;
  mode?: Mode | "auto";
  packing: Packing;
}

const SNAKE_MOST = 60;

export class Layout {
  readonly mode: Mode;
  readonly stubs: readonly Stub[];
  readonly columns: number;
  readonly slots: number;
  /** In the snake, how many columns a row has. */
  readonly perRow: number;
  readonly #table: RecordTable;
  readonly #packing: Packing;
  /** One for each slot, where slots are not shared. */
  readonly #tracks: readonly Track[];
  readonly #slotOfLane = new Map<number, number>();

  constructor(table: RecordTable, options: LayoutOptions) {
    this.#table = table;
    this.#packing = options.packing;
    this.perRow = Math.max(1, options.perRow);
    this.mode = modeFor(table, options);
    const shown = this.mode === "order" ? [] : shownLanes(table, options);
    this.#tracks = this.mode === "snake" ? this.#rows(shown[0]!) : this.#lanes(shown);
    for (const { lane, slot } of this.#tracks) if (!this.#slotOfLane.has(lane)) this.#slotOfLane.set(lane, slot);
    this.stubs = this.mode === "order" ? [] : this.#stubsFor(shown);
    this.slots = this.mode === "order" ? this.#packing.extend(table).slots.length : this.#tracks.length;
    this.columns =
      this.mode === "order" ? table.size : this.#tracks.reduce((most, track) => Math.max(most, this.#end(track)), 0);
  }

  /** The tracks of a slot from left to right. */
  tracksIn(slot: number): readonly Track[] {
    if (this.mode === "order") return this.#packing.slots[slot] ?? [];
    const track = this.#tracks[slot];
    return track ? [track] : [];
  }

  /** The first of a slot's tracks that reaches to a column, as an index into `tracksIn`. */
  firstTrackFrom(slot: number, column: number): number {
    const tracks = this.tracksIn(slot);
    let low = 0;
    let high = tracks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#end(tracks[middle]!) <= column) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The track that a row stands on, none when its lane is not shown. */
  trackOf(row: number): Track | null {
    const lane = this.#table.laneAt(row);
    if (this.mode === "order") return this.#packing.spellOf(lane, this.#table.placeAt(row));
    const slot = this.#slotOfLane.get(lane);
    if (slot === undefined) return null;
    return this.#tracks[this.mode === "snake" ? Math.floor(this.#table.placeAt(row) / this.perRow) : slot]!;
  }

  /** -1 when its lane is not shown. */
  slotOf(row: number): number {
    return this.trackOf(row)?.slot ?? -1;
  }

  /** -1 when its lane is not shown. */
  columnOf(row: number): number {
    if (this.mode === "order") return row;
    const track = this.trackOf(row);
    return track ? this.columnAt(track, this.#table.placeAt(row)) : -1;
  }

  /** The column of a place on a track's lane. */
  columnAt(track: Track, place: number): number {
    if (this.mode === "order") return this.#laneOf(track).rows.values[place]!;
    return track.start + place - track.from;
  }

  /** The first place on a track whose column is not before `column`. */
  placeFrom(track: Track, column: number): number {
    const lane = this.#laneOf(track);
    const found =
      this.mode === "order"
        ? lowerBound(lane.rows.values, lane.count, column)
        : track.from + Math.ceil(column - track.start);
    return Math.min(Math.max(found, track.from), Math.min(track.to, lane.count));
  }

  /** The row in a cell, -1 when nothing stands there. */
  rowAt(column: number, slot: number): number {
    const track = this.tracksIn(slot)[this.firstTrackFrom(slot, column)];
    if (!track) return -1;
    const place = this.placeFrom(track, column);
    const lane = this.#laneOf(track);
    const isThere = place < Math.min(track.to, lane.count) && this.columnAt(track, place) === column;
    return isThere ? lane.rows.values[place]! : -1;
  }

  /** The lane that has a slot to itself, -1 where slots are shared. */
  laneIn(slot: number): number {
    return this.mode === "depth" ? (this.#tracks[slot]?.lane ?? -1) : -1;
  }

  slotOfLane(lane: number): number {
    return this.#slotOfLane.get(lane) ?? -1;
  }

  /** All tracks that begin a lane which forks, for the lines from their forks. */
  *forked(): Iterable<Track> {
    const { lanes } = this.#table;
    for (let index = 0; index < lanes.length; index++) {
      const lane = lanes[index]!;
      if (lane.parentLane < 0 || lane.count === 0) continue;
      const track = this.trackOf(lane.first);
      if (track && this.slotOf(this.#table.rowOf(lane.forkSeq)) >= 0) yield track;
    }
  }

  #end(track: Track): number {
    const to = Math.min(track.to, this.#laneOf(track).count);
    return to > track.from ? this.columnAt(track, to - 1) + 1 : track.start;
  }

  #laneOf(track: Track): Lane {
    return this.#table.lanes[track.lane]!;
  }

  #rows(lane: number): Track[] {
    const rows: Track[] = [];
    for (let from = 0; from < this.#table.lanes[lane]!.count; from += this.perRow) {
      rows.push({ lane, slot: rows.length, from, to: from + this.perRow, start: 0 });
    }
    return rows;
  }

  #lanes(shown: number[]): Track[] {
    const starts = depthStarts(this.#table, shown);
    return shown.map((lane, slot) => ({ lane, slot, from: 0, to: Infinity, start: starts.get(lane) ?? 0 }));
  }

  #stubsFor(shown: number[]): Stub[] {
    const { lanes } = this.#table;
    const isShown = new Set(shown);
    const found = new Map<number, Stub & { branches: number[] }>();
    lanes.forEach((lane, branch) => {
      if (isShown.has(branch) || !isShown.has(lane.parentLane)) return;
      const stub = found.get(lane.forkSeq);
      if (stub) stub.branches.push(branch);
      else {
        const place = this.#table.placeAt(this.#table.rowOf(lane.forkSeq));
        found.set(lane.forkSeq, { lane: lane.parentLane, place, branches: [branch] });
      }
    });
    return [...found.values()];
  }
}

function modeFor(table: RecordTable, { mode = "auto", lane }: LayoutOptions): Mode {
  const only = lane !== null && lane < table.lanes.length ? lane : table.lanes.length === 1 ? 0 : -1;
  if (only >= 0 && (mode === "snake" || (mode === "auto" && table.lanes[only]!.count <= SNAKE_MOST))) return "snake";
  if (mode === "order" && lane === null) return "order";
  const stream = table.lanes[0]?.stream;
  return only >= 0 || table.lanes.every((each) => each.stream === stream) ? "depth" : "order";
}

/** The lanes that have a slot, from top to bottom. */
function shownLanes(table: RecordTable, { lane, room }: Pick<LayoutOptions, "lane" | "room">): number[] {
  if (lane !== null && lane >= 0 && lane < table.lanes.length) return [lane];
  const children = childrenOf(table);
  const roots = table.lanes.map((_, index) => index).filter((index) => table.lanes[index]!.parentLane < 0);
  const first = (index: number) => table.lanes[index]!.first;
  roots.sort((a, b) => first(a) - first(b));
  const shown = new Set(roots);
  // Branch by branch as they were begun, while there is room; a branch only where its parent is.
  const begun = [...children.values()].flat().sort((a, b) => first(a) - first(b));
  for (const branch of begun) {
    if (shown.size >= Math.max(room, roots.length)) break;
    if (shown.has(table.lanes[branch]!.parentLane)) shown.add(branch);
  }
  const out: number[] = [];
  const place = (index: number) => {
    out.push(index);
    // What forks later stands nearer, so that no branch's stub crosses another branch.
    const below = (children.get(index) ?? []).filter((child) => shown.has(child));
    below.sort((a, b) => table.lanes[b]!.forkSeq - table.lanes[a]!.forkSeq || first(a) - first(b));
    below.forEach(place);
  };
  roots.forEach(place);
  return out;
}

function childrenOf(table: RecordTable): Map<number, number[]> {
  const children = new Map<number, number[]>();
  table.lanes.forEach((lane, index) => {
    if (lane.parentLane < 0) return;
    const known = children.get(lane.parentLane);
    if (known) known.push(index);
    else children.set(lane.parentLane, [index]);
  });
  return children;
}

function depthStarts(table: RecordTable, shown: number[]): Map<number, number> {
  const starts = new Map<number, number>();
  // A parent comes before its branches in `shown`.
  for (const index of shown) {
    const lane = table.lanes[index]!;
    const parent = starts.get(lane.parentLane);
    starts.set(index, parent === undefined ? 0 : parent + table.placeAt(table.rowOf(lane.forkSeq)) + 1);
  }
  return starts;
}
