// Texts that the graph would show but does not have: asked for together, once, and looked for until they are there.

const GATHERED = 40;
const LOOKED_FOR = 120;
/** What was asked for this long ago in vain is asked for again. */
const ASKED_AGAIN = 5000;

export class WantedTexts {
  readonly #wanted = new Set<number>();
  readonly #asked = new Map<number, number>();
  #gathering: ReturnType<typeof setTimeout> | null = null;
  #looking: ReturnType<typeof setTimeout> | null = null;

  constructor(
    readonly ask: (seqs: number[]) => void,
    readonly textOf: (seq: number) => string | undefined,
    readonly arrived: () => void,
  ) {}

  want(seq: number): void {
    const asked = this.#asked.get(seq);
    if (asked !== undefined && Date.now() - asked < ASKED_AGAIN) return;
    this.#wanted.add(seq);
    this.#gathering ??= setTimeout(() => this.#askAll(), GATHERED);
  }

  stop(): void {
    if (this.#gathering !== null) clearTimeout(this.#gathering);
    if (this.#looking !== null) clearTimeout(this.#looking);
  }

  #askAll(): void {
    this.#gathering = null;
    const seqs = [...this.#wanted];
    this.#wanted.clear();
    for (const seq of seqs) this.#asked.set(seq, Date.now());
    this.ask(seqs);
    this.#look();
  }

  #look(): void {
    this.#looking ??= setTimeout(() => {
      this.#looking = null;
      let isNew = false;
      for (const seq of this.#asked.keys()) {
        const isHere = this.textOf(seq) !== undefined;
        if (isHere || Date.now() - this.#asked.get(seq)! > ASKED_AGAIN) this.#asked.delete(seq);
        isNew ||= isHere;
      }
      if (isNew) this.arrived();
      if (this.#asked.size > 0) this.#look();
    }, LOOKED_FOR);
  }
}
