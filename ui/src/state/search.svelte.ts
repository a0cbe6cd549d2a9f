import type { SearchQuery, Source } from "../api/source";
import type { SearchHit, Session } from "../api/types";
import { type Failure, failureOf } from "./failure";

const PAGE = 50;
const SESSIONS = 4;
const TYPING_MS = 180;
/** Who needs more hits than this needs other words. */
const HITS_AT_MOST = 1_000;

/** What was searched for and what was found, over the workspace unless it was narrowed. */
export class SearchState {
  hits = $state.raw<readonly SearchHit[]>([]);
  sessions = $state.raw<readonly Session[]>([]);
  note = $state.raw<string | null>(null);
  failure = $state.raw<Failure | null>(null);
  isBusy = $state(false);
  hasMore = $state(false);
  /** The hits as the graph marks them. */
  readonly seqs = $derived<ReadonlySet<number>>(new Set(this.hits.map((hit) => hit.seq)));
  private query: SearchQuery | null = null;
  private cursor: string | null = null;
  private typing: ReturnType<typeof setTimeout> | undefined;
  private reading: AbortController | null = null;

  constructor(private readonly source: Source) {}

  ask(query: SearchQuery): void {
    clearTimeout(this.typing);
    if (query.q.trim() === "") return this.clear();
    this.isBusy = true;
    this.typing = setTimeout(() => void this.read(query), TYPING_MS);
  }

  clear(): void {
    clearTimeout(this.typing);
    this.reading?.abort();
    this.query = this.cursor = this.note = this.failure = null;
    this.hits = [];
    this.sessions = [];
    this.isBusy = this.hasMore = false;
  }

  async more(): Promise<void> {
    if (this.query === null || this.cursor === null || this.isBusy) return;
    this.isBusy = true;
    await this.readPage(this.query, this.cursor);
  }

  private async read(query: SearchQuery): Promise<void> {
    this.query = query;
    this.cursor = null;
    const [sessions] = await Promise.all([this.titled(query), this.readPage(query, null)]);
    if (this.query === query) this.sessions = sessions;
  }

  /** Sessions whose title says it; only where nothing narrows the search to records. */
  private async titled({ q, room, kind, sessionId, asOf }: SearchQuery): Promise<readonly Session[]> {
    if (room !== undefined || kind !== undefined || sessionId !== undefined) return [];
    try {
      return (await this.source.sessions({ search: q, limit: SESSIONS, ...(asOf === undefined ? {} : { asOf }) })).sessions;
    } catch {
      return [];
    }
  }

  private async readPage(query: SearchQuery, cursor: string | null): Promise<void> {
    this.reading?.abort();
    const reading = (this.reading = new AbortController());
    try {
      const found = await this.source.search({ ...query, limit: PAGE, ...(cursor === null ? {} : { cursor }) }, reading.signal);
      this.hits = cursor === null ? found.hits : [...this.hits, ...found.hits];
      this.note = found.note;
      this.cursor = found.nextCursor;
      this.hasMore = found.nextCursor !== null && this.hits.length < HITS_AT_MOST;
      this.failure = null;
    } catch (error) {
      if (reading.signal.aborted) return;
      this.failure = failureOf(error);
      this.hits = [];
    }
    this.isBusy = false;
  }
}
