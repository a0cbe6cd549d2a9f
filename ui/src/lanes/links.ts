// Relations between records, found by either end.

import { floats, integers, type Floats, type Integers } from "./columns";

export interface Link {
  from: number;
  to: number;
  type: string;
}

const REVISES = "revises";

export class Links {
  readonly #from: Floats = floats();
  readonly #to: Floats = floats();
  readonly #type: Integers = integers();
  readonly #types: string[] = [];
  /** For each end the newest link at it; each link knows the next older one at the same end. */
  readonly #newestFrom = new Map<number, number>();
  readonly #newestTo = new Map<number, number>();
  readonly #olderFrom: Integers = integers();
  readonly #olderTo: Integers = integers();
  /** The links that are drawn at all times, as places in the columns above. */
  readonly #revisions: Integers = integers();

  get size(): number {
    return this.#from.length;
  }

  get revisions(): number {
    return this.#revisions.length;
  }

  /** One that is known already changes nothing. */
  add(from: number, to: number, type: string): void {
    if (this.#has(from, to, type)) return;
    const link = this.#from.length;
    this.#from.push(from);
    this.#to.push(to);
    this.#type.push(this.#typeIndex(type));
    this.#olderFrom.push(this.#newestFrom.get(from) ?? -1);
    this.#olderTo.push(this.#newestTo.get(to) ?? -1);
    this.#newestFrom.set(from, link);
    this.#newestTo.set(to, link);
    if (type === REVISES) this.#revisions.push(link);
  }

  /** Those that begin at a record, oldest first. */
  outOf(seq: number): Link[] {
    return this.#collect(this.#newestFrom.get(seq) ?? -1, this.#olderFrom);
  }

  /** Those that lead to a record, oldest first. */
  into(seq: number): Link[] {
    return this.#collect(this.#newestTo.get(seq) ?? -1, this.#olderTo);
  }

  /** Both ends of the nth revision, without making an object: asked for each frame. */
  revisionFrom(nth: number): number {
    return this.#from.values[this.#revisions.values[nth]!]!;
  }

  revisionTo(nth: number): number {
    return this.#to.values[this.#revisions.values[nth]!]!;
  }

  #collect(newest: number, older: Integers): Link[] {
    const out: Link[] = [];
    for (let link = newest; link >= 0; link = older.values[link]!) out.push(this.#at(link));
    return out.reverse();
  }

  #has(from: number, to: number, type: string): boolean {
    for (let link = this.#newestFrom.get(from) ?? -1; link >= 0; link = this.#olderFrom.values[link]!) {
      if (this.#to.values[link] === to && this.#types[this.#type.values[link]!] === type) return true;
    }
    return false;
  }

  #at(link: number): Link {
    return { from: this.#from.values[link]!, to: this.#to.values[link]!, type: this.#types[this.#type.values[link]!]! };
  }

  #typeIndex(type: string): number {
    const known = this.#types.indexOf(type);
    return known >= 0 ? known : this.#types.push(type) - 1;
  }
}
