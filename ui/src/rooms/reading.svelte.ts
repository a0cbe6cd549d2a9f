import { untrack } from "svelte";
import type { Source } from "../api/source";
import { type Failure, failureOf } from "../state/failure";

type Ask<T> = (signal: AbortSignal) => Promise<T>;

/** What makes an answer old. */
export interface Moves {
  /** The newest record that is known. */
  seq: () => number;
  /** Whether the view stays at a point in time, whatever comes. */
  isHeld: () => boolean;
  /** Whether one of the records behind `after` may change the answer. */
  concerns: (after: number, signal: AbortSignal) => Promise<boolean>;
}

const PACE_MS = 1000;

/** Records of these rooms change the answer. */
export function ofRooms(source: () => Source, ...rooms: string[]): Moves["concerns"] {
  return async (after, signal) => {
    for (const room of rooms) {
      const { records } = await source().records({ room, after, limit: 1 }, signal);
      if (records.length > 0) return true;
    }
    return false;
  };
}

/**
 * An answer that a view shows: asked when the question changes, and again, at a pace that can be read, when records
 * come that concern it. While it is asked anew the old answer stays. To be made where a component begins.
 */
export class Reading<T> {
  value = $state.raw<T | null>(null);
  failure = $state.raw<Failure | null>(null);
  isBusy = $state(true);
  private readonly moves: Moves | null;
  private ask: Ask<T> | null = null;
  private running = new AbortController();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readTo = 0;

  /** `question` tells by what it looks at when to ask anew; null means that there is nothing to ask. */
  constructor(question: () => Ask<T> | null, moves: Moves | null = null) {
    this.moves = moves;
    $effect(() => {
      this.ask = question();
      if (this.ask === null) {
        this.isBusy = false;
        this.value = null;
      } else {
        void this.read();
      }
      return () => this.stop();
    });
    $effect(() => {
      if (moves === null || moves.isHeld() || moves.seq() <= this.readTo) return;
      this.timer ??= setTimeout(() => void this.readIfConcerned(), PACE_MS);
    });
  }

  /** Ask again, for instance because it failed. */
  retry(): void {
    void this.read();
  }

  private stop(): void {
    this.running.abort();
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private async readIfConcerned(): Promise<void> {
    this.timer = undefined;
    const { signal } = this.running;
    const moves = this.moves;
    if (moves === null || this.ask === null) return;
    const upTo = moves.seq();
    try {
      if (await moves.concerns(this.readTo, signal)) await this.read();
      else this.readTo = Math.max(this.readTo, upTo);
    } catch {
      // The connection's state tells it; the next record asks again.
    }
  }

  private async read(): Promise<void> {
    this.stop();
    this.running = new AbortController();
    const { signal } = this.running;
    const ask = this.ask;
    if (ask === null) return;
    this.readTo = this.moves === null ? 0 : untrack(this.moves.seq);
    this.isBusy = true;
    try {
      const value = await ask(signal);
      if (signal.aborted) return;
      this.value = value;
      this.failure = null;
    } catch (error) {
      if (signal.aborted) return;
      this.failure = failureOf(error);
    }
    this.isBusy = false;
  }
}
