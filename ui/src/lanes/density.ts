// How many records of which kind stand where, for the level at which no single one can be seen.

import { KINDS } from "./kinds";
import type { Layout, Track } from "./layout";
import type { RecordTable } from "./table";

/** The least width of a bar in pixels. */
const BAR = 5;

/** Columns to a bar: a power of two, so that bars keep their place and their colour while the view moves. */
export function columnsPerBar(zoom: number): number {
  return Math.max(1, 2 ** Math.ceil(Math.log2(BAR / zoom)));
}

export class Tally {
  /** For each bar and kind, how many. */
  #counts = new Uint32Array(0);
  #first = 0;
  #bars = 0;
  #size = 1;

  /** Begins anew: `bars` bars of `size` columns, from the bar `first` on. */
  begin(first: number, bars: number, size: number): void {
    const needed = bars * KINDS.length;
    if (this.#counts.length < needed) this.#counts = new Uint32Array(needed);
    else this.#counts.fill(0, 0, needed);
    this.#first = first;
    this.#bars = bars;
    this.#size = size;
  }

  /** Counts the records of a track, as many of its lane as are `recorded`. */
  add(table: RecordTable, layout: Layout, track: Track, recorded: number): void {
    const size = this.#size;
    const begin = this.#first * size;
    const rows = table.lanes[track.lane]!.rows.values;
    const kinds = table.kinds;
    const from = layout.placeFrom(track, begin);
    const to = Math.min(recorded, layout.placeFrom(track, begin + this.#bars * size));
    const byOrder = layout.mode === "order";
    for (let place = from; place < to; place++) {
      const row = rows[place]!;
      const column = byOrder ? row : track.start + place - track.from;
      const cell = Math.floor((column - begin) / size) * KINDS.length + kinds[row]!;
      this.#counts[cell]!++;
    }
  }

  total(bar: number): number {
    let sum = 0;
    for (let kind = 0; kind < KINDS.length; kind++) sum += this.of(bar, kind);
    return sum;
  }

  of(bar: number, kind: number): number {
    return this.#counts[bar * KINDS.length + kind]!;
  }

  /** The kind that most records of a bar have, the earlier one of equals; -1 for none. */
  prevailing(bar: number): number {
    let found = -1;
    let most = 0;
    for (let kind = 0; kind < KINDS.length; kind++) {
      if (this.of(bar, kind) > most) {
        most = this.of(bar, kind);
        found = kind;
      }
    }
    return found;
  }
}
