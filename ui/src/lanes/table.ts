// The skeleton of many records in columns: by seq, each on its lane. It only ever grows.

import type { Graph, RecordShown } from "../api/types";
import { bytes, floats, integers, lowerBound, type Bytes, type Floats, type Integers } from "./columns";
import { Links } from "./links";
import { linksOf, rowOf, type Row } from "./row";

/** One branch of one stream. `first` and `last` are rows. */
export interface Lane {
  readonly stream: string;
  readonly branch: string;
  readonly room: string;
  readonly session: string;
  first: number;
  last: number;
  count: number;
  /** The lane that it forks from, -1 when it forks from none that is known. */
  parentLane: number;
  /** The record that it forks from; 0: none. */
  forkSeq: number;
  /** Its rows in order: a record's place on its lane is its index here. */
  readonly rows: Integers;
}

type LaneName = Pick<Lane, "stream" | "branch" | "room" | "session">;

interface LateRow extends Row {
  lane: number;
}

const FIRST_CAPACITY = 1024;

export class RecordTable {
  readonly lanes: Lane[] = [];
  readonly links = new Links();
  /** Moves with every change. */
  version = 0;
  /** Moves when rows are numbered anew. */
  order = 0;

  #seqs: Floats = floats(FIRST_CAPACITY);
  #lane: Integers = integers(FIRST_CAPACITY);
  #kind: Bytes = bytes(FIRST_CAPACITY);
  #parent: Floats = floats(FIRST_CAPACITY);
  #time: Floats = floats(FIRST_CAPACITY);
  #number: Floats = floats(FIRST_CAPACITY);
  #flags: Bytes = bytes(FIRST_CAPACITY);
  #place: Integers = integers(FIRST_CAPACITY);
  readonly #laneByName = new Map<string, number>();
  readonly #told = new Set<() => void>();
  readonly #schedule: (tell: () => void) => void;
  #telling = false;

  constructor(schedule: (tell: () => void) => void = nextFrame) {
    this.#schedule = schedule;
  }

  get size(): number {
    return this.#seqs.length;
  }

  get lastSeq(): number {
    return this.size === 0 ? 0 : this.#seqs.values[this.size - 1]!;
  }

  /** A page of the graph. Rows that are known already are ignored; those that come late are put in their place. */
  append(page: Graph): void {
    const lanes = new Int32Array(page.lanes.length).fill(-1);
    const late: LateRow[] = [];
    const sizeBefore = this.size;
    for (let i = 0; i < page.seqs.length; i++) {
      const seq = page.seqs[i]!;
      const isNew = seq > this.lastSeq;
      if (!isNew && this.rowOf(seq) >= 0) continue;
      const named = page.lane[i]!;
      if (lanes[named]! < 0) lanes[named] = this.#laneNamed(page.lanes[named]!);
      const row = {
        seq,
        kind: page.kind[i]!,
        parent: page.parent[i]!,
        time: page.times[i]!,
        number: page.numbers[i]!,
        flags: page.flags[i]!,
      };
      if (isNew) this.#push(row, lanes[named]!);
      else late.push({ ...row, lane: lanes[named]! });
    }
    const linksBefore = this.links.size;
    for (const [from, to, type] of page.links) this.links.add(from, to, type);
    if (late.length > 0) this.#insert(late);
    if (this.size !== sizeBefore || this.links.size !== linksBefore) this.#changed();
  }

  /** A live record. */
  add(shown: RecordShown): void {
    if (this.rowOf(shown.seq) >= 0) return;
    const { stream, room, record } = shown;
    const lane = this.#laneNamed({ stream, room, branch: record.branch, session: record.session });
    const row = rowOf(shown);
    for (const link of linksOf(shown)) this.links.add(shown.seq, link.to, link.type);
    if (row.seq > this.lastSeq) this.#push(row, lane);
    else this.#insert([{ ...row, lane }]);
    this.#changed();
  }

  /** -1 when the record is not here. */
  rowOf(seq: number): number {
    const row = this.rowFrom(seq);
    return row < this.size && this.#seqs.values[row] === seq ? row : -1;
  }

  /** The first row that is not before `seq`. */
  rowFrom(seq: number): number {
    const seqs = this.#seqs.values;
    const guess = seq - seqs[0]!;
    // A whole workspace has no gaps, so that most lookups are one.
    if (guess >= 0 && guess < this.size && seqs[guess] === seq) return guess;
    return lowerBound(seqs, this.size, seq);
  }

  seqAt(row: number): number {
    return this.#seqs.values[row]!;
  }

  laneAt(row: number): number {
    return this.#lane.values[row]!;
  }

  kindAt(row: number): number {
    return this.#kind.values[row]!;
  }

  parentAt(row: number): number {
    return this.#parent.values[row]!;
  }

  timeAt(row: number): number {
    return this.#time.values[row]!;
  }

  numberAt(row: number): number {
    return this.#number.values[row]!;
  }

  flagsAt(row: number): number {
    return this.#flags.values[row]!;
  }

  /** Its index on its lane. */
  placeAt(row: number): number {
    return this.#place.values[row]!;
  }

  /** The kinds of all rows, for loops over many. */
  get kinds(): Uint8Array {
    return this.#kind.values;
  }

  /** How many records of a lane there were as of a seq; all of them for null. */
  countAsOf(lane: Lane, asOf: number | null): number {
    if (asOf === null || lane.count === 0 || this.seqAt(lane.last) <= asOf) return lane.count;
    return lowerBound(lane.rows.values, lane.count, this.rowFrom(asOf + 1));
  }

  /** Told of changes at most once in a frame. */
  subscribe(told: () => void): () => void {
    this.#told.add(told);
    return () => this.#told.delete(told);
  }

  #push(row: Row, laneIndex: number): void {
    const lane = this.lanes[laneIndex]!;
    const at = this.size;
    const before = lane.count > 0 ? this.seqAt(lane.last) : 0;
    const parent = row.parent || before;
    if (lane.count === 0) this.#fork(lane, laneIndex, parent);
    this.#seqs.push(row.seq);
    this.#lane.push(laneIndex);
    this.#kind.push(row.kind);
    this.#parent.push(parent);
    this.#time.push(row.time);
    this.#number.push(row.number);
    this.#flags.push(row.flags);
    this.#place.push(lane.count);
    if (lane.count === 0) lane.first = at;
    lane.last = at;
    lane.count++;
    lane.rows.push(at);
  }

  #fork(lane: Lane, laneIndex: number, parent: number): void {
    const row = parent > 0 ? this.rowOf(parent) : -1;
    if (row < 0 || this.laneAt(row) === laneIndex) return;
    lane.parentLane = this.laneAt(row);
    lane.forkSeq = parent;
  }

  /** Puts rows in between: rare, when live records overtake the page that holds the ones before them. */
  #insert(late: LateRow[]): void {
    const kept: LateRow[] = [];
    for (let row = 0; row < this.size; row++) {
      kept.push({
        seq: this.seqAt(row),
        lane: this.laneAt(row),
        kind: this.kindAt(row),
        parent: this.#forksAt(row) ? this.parentAt(row) : 0,
        time: this.timeAt(row),
        number: this.numberAt(row),
        flags: this.flagsAt(row),
      });
    }
    const all = kept.concat(late).sort((a, b) => a.seq - b.seq);
    for (const column of [this.#seqs, this.#lane, this.#kind, this.#parent]) column.clear();
    for (const column of [this.#time, this.#number, this.#flags, this.#place]) column.clear();
    for (const lane of this.lanes) {
      lane.rows.clear();
      lane.first = lane.last = lane.parentLane = -1;
      lane.count = lane.forkSeq = 0;
    }
    for (const row of all) this.#push(row, row.lane);
    this.order++;
  }

  /** Whether its parent stands on another lane; on its own it is whatever stands before it. */
  #forksAt(row: number): boolean {
    const parent = this.rowOf(this.parentAt(row));
    return parent < 0 || this.laneAt(parent) !== this.laneAt(row);
  }

  #laneNamed({ stream, branch, room, session }: LaneName): number {
    const name = `${stream}\n${branch}`;
    let lane = this.#laneByName.get(name);
    if (lane === undefined) {
      lane = this.lanes.length;
      this.#laneByName.set(name, lane);
      this.lanes.push({
        stream, branch, room, session, first: -1, last: -1, count: 0, parentLane: -1, forkSeq: 0, rows: integers(),
      });
    }
    return lane;
  }

  #changed(): void {
    this.version++;
    if (this.#telling || this.#told.size === 0) return;
    this.#telling = true;
    this.#schedule(() => {
      this.#telling = false;
      for (const told of [...this.#told]) told();
    });
  }
}

function nextFrame(tell: () => void): void {
  requestAnimationFrame(tell);
}
