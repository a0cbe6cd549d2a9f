import { said } from "../api/said";
import type { RecordShown } from "../api/types";
import type { Source } from "../api/source";
import { idOf } from "./route";
import { plain } from "./words";

/** As much of a record as a card or a row shows. */
export interface Glimpse {
  text: string;
  agent: string;
  hash: string;
}

const KEPT = 4_000;
const WANTED_AT_MOST = 1_000;
const LETTERS = 400;
const PER_REQUEST = 200;
const GATHER_MS = 30;

function glimpseOf(shown: RecordShown): Glimpse {
  const { body, data, agent } = shown.record;
  const text = body.text || body.cipher || data.topic;
  return { text: plain(said(text).slice(0, LETTERS)), agent: plain(agent), hash: shown.hash.slice(0, 12) };
}

/** The texts of records that are in sight: asked for together, kept as long as there is room. */
export class Glimpses {
  /** Moves when texts have come, so that who shows them looks again. */
  version = $state(0);
  private readonly kept = new Map<number, Glimpse>();
  private readonly wanted = new Set<number>();
  private readonly asked = new Set<number>();
  /** Moves with the workspace: what was asked before belongs to another one. */
  private era = 0;
  private gathering: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly source: Source) {}

  of(seq: number): Glimpse | undefined {
    return this.kept.get(seq);
  }

  put(shown: RecordShown): void {
    this.kept.delete(shown.seq);
    this.kept.set(shown.seq, glimpseOf(shown));
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= KEPT) break;
      this.kept.delete(oldest);
    }
  }

  need(seqs: readonly number[]): void {
    for (const seq of seqs) {
      if (this.kept.has(seq) || this.asked.has(seq)) continue;
      // What was wanted last is in sight; what was wanted first has been scrolled past.
      this.wanted.delete(seq);
      this.wanted.add(seq);
    }
    for (const oldest of this.wanted) {
      if (this.wanted.size <= WANTED_AT_MOST) break;
      this.wanted.delete(oldest);
    }
    if (this.wanted.size > 0) this.gathering ??= setTimeout(() => void this.ask(), GATHER_MS);
  }

  clear(): void {
    this.kept.clear();
    this.wanted.clear();
    this.asked.clear();
    this.era += 1;
    this.version += 1;
  }

  private async ask(): Promise<void> {
    const era = this.era;
    const seqs = [...this.wanted].slice(-PER_REQUEST);
    for (const seq of seqs) {
      this.wanted.delete(seq);
      this.asked.add(seq);
    }
    try {
      const { records } = await this.source.records({ ids: seqs.map(idOf) });
      if (era !== this.era) return;
      for (const shown of records) this.put(shown);
      this.version += 1;
    } catch {
      // Without its text a record still stands in its place; it is asked for again when it is looked at again.
    } finally {
      if (era === this.era) for (const seq of seqs) this.asked.delete(seq);
      this.gathering = this.wanted.size > 0 ? setTimeout(() => void this.ask(), 0) : undefined;
    }
  }
}
