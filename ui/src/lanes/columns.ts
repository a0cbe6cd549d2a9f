// Typed arrays that grow: what a hundred thousand records are kept in.

type Numbers = Float64Array<ArrayBuffer> | Int32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>;

export class Column<A extends Numbers> {
  values: A;
  length = 0;
  readonly #make: (capacity: number) => A;

  constructor(make: (capacity: number) => A, capacity = 16) {
    this.#make = make;
    this.values = make(capacity);
  }

  push(value: number): void {
    if (this.length === this.values.length) {
      const wider = this.#make(this.length * 2);
      wider.set(this.values);
      this.values = wider;
    }
    this.values[this.length++] = value;
  }

  clear(): void {
    this.length = 0;
  }
}

export const floats = (capacity?: number) => new Column((n) => new Float64Array(n), capacity);
export const integers = (capacity?: number) => new Column((n) => new Int32Array(n), capacity);
export const bytes = (capacity?: number) => new Column((n) => new Uint8Array(n), capacity);

export type Floats = ReturnType<typeof floats>;
export type Integers = ReturnType<typeof integers>;
export type Bytes = ReturnType<typeof bytes>;

/** The first place in [0, length) whose value is not below `wanted`; `length` when all are. */
export function lowerBound(values: ArrayLike<number>, length: number, wanted: number): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
