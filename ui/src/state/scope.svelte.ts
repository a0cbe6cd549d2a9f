import type { Source } from "../api/source";
import type { Graph, RecordShown } from "../api/types";
import { RecordTable } from "../lanes/table";
import { type Failure, failureOf } from "./failure";
import type { Feed } from "./feed.svelte";
import type { Glimpses } from "./glimpses.svelte";

const THOUGHT = "thoughts.thought";

/** The records that a graph and a table show: those of one session, or of the whole workspace. */
export class Scope {
  /** Replaced when everything is read anew. */
  table = $state.raw(new RecordTable());
  status = $state<"loading" | "ready" | "failed">("loading");
  failure = $state.raw<Failure | null>(null);
  /** Records that there are, and those that have come; they differ while pages are being read. */
  total = $state(0);
  size = $state(0);
  private waiting: RecordShown[] = [];
  private reading: AbortController | null = null;
  private unwatch: () => void = () => {};
  private readonly unlisten: () => void;

  constructor(
    private readonly source: Source,
    private readonly feed: Feed,
    private readonly glimpses: Glimpses,
    readonly sessionId: string | null,
  ) {
    this.unlisten = feed.listen({ records: (added) => this.take(added), reload: () => void this.read() });
    void this.read();
  }

  close(): void {
    this.reading?.abort();
    this.unwatch();
    this.unlisten();
  }

  async read(): Promise<void> {
    this.reading?.abort();
    const reading = (this.reading = new AbortController());
    const table = new RecordTable();
    this.waiting = [];
    this.status = "loading";
    try {
      const about = this.sessionId === null ? {} : { sessionId: this.sessionId };
      let asked: Promise<Graph> | null = this.source.graph(about, reading.signal);
      while (asked !== null) {
        const page: Graph = await asked;
        // The next page is on its way while this one is taken in.
        asked = page.nextCursor === null ? null : this.source.graph({ ...about, cursor: page.nextCursor }, reading.signal);
        const isFirst = table.size === 0;
        table.append(page);
        this.feed.knows(page.seq);
        this.total = page.total;
        if (isFirst) this.show(table);
        this.size = table.size;
      }
      for (const shown of this.waiting) table.add(shown);
      this.waiting = [];
      this.failure = null;
      this.status = "ready";
      this.size = table.size;
    } catch (error) {
      if (reading.signal.aborted) return;
      this.failure = failureOf(error);
      this.status = "failed";
    }
  }

  private show(table: RecordTable): void {
    this.unwatch();
    this.table = table;
    this.unwatch = table.subscribe(() => {
      this.size = table.size;
      if (table.size > this.total) this.total = table.size;
    });
  }

  /** A session's graph is of its thoughts; that it was named or ended stands in its stream, but not in its graph. */
  private holds(shown: RecordShown): boolean {
    if (this.sessionId === null) return true;
    return shown.stream === `thoughts/${this.sessionId}` && shown.record.data.topic === THOUGHT;
  }

  private take(added: readonly RecordShown[]): void {
    for (const shown of added) {
      if (!this.holds(shown)) continue;
      this.glimpses.put(shown);
      // Records stand in the table by seq, so what is new waits for the pages before it.
      if (this.status === "ready") this.table.add(shown);
      else this.waiting.push(shown);
    }
  }
}
