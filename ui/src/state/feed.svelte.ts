import type { Live, LiveEvent } from "../api/live";
import type { Source } from "../api/source";
import type { RecordShown } from "../api/types";

/** A gap of more than this is cheaper read as a graph than record by record. */
const LARGEST_GAP = 2_000;
const PAGE = 500;
const HIDDEN_EVERY = 500;
const NEWEST_EVERY = 250;

export interface FeedListener {
  /** New records, in order, at most once per frame. */
  records(added: readonly RecordShown[]): void;
  /** More is missing than is worth reading one by one: read what you show anew. */
  reload(): void;
}

/**
 * Every new record of the workspace, from one subscription that all views share: two that overlap would tell each
 * other's records on the same socket. It starts behind a known record, so nothing falls between what was read and it.
 */
export class Feed {
  /** The newest record there is, followed at a pace that can be read. */
  newest = $state(0);
  private reached = 0;
  private readonly listeners = new Set<FeedListener>();
  private queue: RecordShown[] = [];
  private isCatchingUp = false;
  private frame: (() => void) | null = null;
  private pacing: ReturnType<typeof setTimeout> | undefined;
  private readonly ended = new AbortController();
  private readonly unsubscribe: () => void;

  constructor(
    private readonly source: Source,
    live: Live,
    workspace: string,
    since: number,
  ) {
    this.newest = this.reached = since;
    this.unsubscribe = live.subscribe({ channel: "records", workspace, since }, (event) => this.hear(event));
  }

  listen(listener: FeedListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** A read told of a record that has not come by itself yet. */
  knows(seq: number): void {
    if (seq > this.reached) this.reach(seq);
  }

  close(): void {
    this.ended.abort();
    this.unsubscribe();
    this.frame?.();
    clearTimeout(this.pacing);
    this.listeners.clear();
    this.queue = [];
  }

  private hear(event: LiveEvent): void {
    if (event.event === "record:added") {
      this.queue.push(event.data);
      this.reach(event.data.seq);
      if (!this.isCatchingUp) this.flushSoon();
    } else if (event.event === "records:coalesced") {
      void this.catchUp(event.data.from, event.data.to);
    }
  }

  private reach(seq: number): void {
    this.reached = Math.max(this.reached, seq);
    this.pacing ??= setTimeout(() => {
      this.pacing = undefined;
      this.newest = this.reached;
    }, NEWEST_EVERY);
  }

  private async catchUp(from: number, to: number): Promise<void> {
    this.flush();
    this.reach(to);
    if (this.isCatchingUp || to - from >= LARGEST_GAP) return this.startAnew();
    this.isCatchingUp = true;
    try {
      for (let after = from - 1; after < to; ) {
        const { records } = await this.source.records({ after, limit: PAGE, order: "asc" }, this.ended.signal);
        const missing = records.filter((shown) => shown.seq <= to);
        this.tell(missing);
        const last = missing.at(-1);
        if (last === undefined || missing.length < records.length) break;
        after = last.seq;
      }
    } catch {
      if (!this.ended.signal.aborted) this.startAnew();
    } finally {
      this.isCatchingUp = false;
      this.flush();
    }
  }

  private startAnew(): void {
    this.queue = [];
    for (const listener of [...this.listeners]) listener.reload();
  }

  private flushSoon(): void {
    if (this.frame !== null) return;
    const frame = requestAnimationFrame(() => this.flush());
    // A page that nobody sees gets no frames, and its queue must not grow.
    const timer = setTimeout(() => this.flush(), HIDDEN_EVERY);
    this.frame = () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }

  private flush(): void {
    this.frame?.();
    this.frame = null;
    const added = this.queue;
    this.queue = [];
    this.tell(added);
  }

  private tell(added: readonly RecordShown[]): void {
    if (added.length === 0) return;
    for (const listener of [...this.listeners]) listener.records(added);
  }
}
