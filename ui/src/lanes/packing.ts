// Many streams on few slots. A stream is in use in spells; a spell takes the first slot that has been silent for a while.
// A record's slot depends only on what came before it, so that nothing moves when more comes.

import type { RecordTable } from "./table";
import type { Track } from "./layout";

/** So many records of others may come between two records of one spell, and lie between two spells on one slot. */
const SILENCE = 64;

export class Packing {
  /** By slot, each by order of recording. */
  readonly slots: Track[][] = [];
  /** By lane, each by order of recording. */
  readonly #spells: Track[][] = [];
  #table: RecordTable | null = null;
  #order = -1;
  #packed = 0;

  /** Packs what has been added; everything, when it is another table or one whose rows were numbered anew. */
  extend(table: RecordTable): this {
    if (table !== this.#table || table.order !== this.#order) {
      this.slots.length = this.#spells.length = this.#packed = 0;
      this.#table = table;
      this.#order = table.order;
    }
    for (; this.#packed < table.size; this.#packed++) this.#place(table, this.#packed);
    return this;
  }

  /** The spell that a place on a lane belongs to; none of a place that came after the packing. */
  spellOf(lane: number, place: number): Track | null {
    const spells = this.#spells[lane];
    if (!spells || place >= spells[spells.length - 1]!.to) return null;
    let low = 0;
    let high = spells.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (spells[middle]!.to <= place) low = middle + 1;
      else high = middle;
    }
    return spells[low]!;
  }

  #place(table: RecordTable, row: number): void {
    const lane = table.laneAt(row);
    const place = table.placeAt(row);
    const spells = (this.#spells[lane] ??= []);
    const current = spells[spells.length - 1];
    if (current && row - lastRow(table, current) <= SILENCE) {
      current.to = place + 1;
      return;
    }
    let slot = this.slots.findIndex((spellsOnIt) => row - lastRow(table, spellsOnIt[spellsOnIt.length - 1]!) > SILENCE);
    if (slot < 0) slot = this.slots.push([]) - 1;
    const spell = { lane, slot, from: place, to: place + 1, start: row };
    spells.push(spell);
    this.slots[slot]!.push(spell);
  }
}

function lastRow(table: RecordTable, track: Track): number {
  return table.lanes[track.lane]!.rows.values[track.to - 1]!;
}
