import type { Live, LiveEvent } from "../api/live";
import type { Source } from "../api/source";
import type { Session } from "../api/types";
import { type Failure, failureOf } from "./failure";

const PAGE = 200;
const SHOW_EVERY = 250;

/** The sessions of the workspace, newest first, as of now or as of a record. */
export class SessionList {
  items = $state.raw<readonly Session[]>([]);
  readonly byId = $derived(new Map(this.items.map((session) => [session.id, session])));
  status = $state<"loading" | "ready" | "failed">("loading");
  failure = $state.raw<Failure | null>(null);
  hasMore = $state(false);
  private cursor: string | null = null;
  private asOf: number | null = null;
  private reading: AbortController | null = null;
  private readonly changed = new Map<string, Session>();
  private showing: ReturnType<typeof setTimeout> | undefined;
  private unsubscribe: () => void = () => {};

  constructor(private readonly source: Source) {}

  /** Hear of sessions that start, change and end behind a record. */
  follow(live: Live, workspace: string, since: number): void {
    this.unsubscribe = live.subscribe({ channel: "sessions", workspace, since }, (event) => this.hear(event));
  }

  close(): void {
    this.reading?.abort();
    this.unsubscribe();
    clearTimeout(this.showing);
  }

  /** Read the list from its beginning; answers the record that it reaches. */
  async read(asOf: number | null): Promise<number | null> {
    this.asOf = asOf;
    this.cursor = null;
    return await this.readPage((page) => page);
  }

  async more(): Promise<void> {
    if (this.cursor === null || this.status === "loading") return;
    await this.readPage((page) => {
      const known = new Set(this.items.map((session) => session.id));
      return [...this.items, ...page.filter((session) => !known.has(session.id))];
    });
  }

  private async readPage(join: (page: Session[]) => readonly Session[]): Promise<number | null> {
    this.reading?.abort();
    const reading = (this.reading = new AbortController());
    this.status = "loading";
    try {
      const query = { limit: PAGE, ...(this.cursor === null ? {} : { cursor: this.cursor }), ...(this.asOf === null ? {} : { asOf: this.asOf }) };
      const page = await this.source.sessions(query, reading.signal);
      this.items = join(page.sessions);
      this.cursor = page.nextCursor;
      this.hasMore = page.nextCursor !== null;
      this.failure = null;
      this.status = "ready";
      return page.seq;
    } catch (error) {
      if (reading.signal.aborted) return null;
      this.failure = failureOf(error);
      this.status = "failed";
      return null;
    }
  }

  private hear(event: LiveEvent): void {
    if (event.event === "sessions:list") for (const session of event.data.sessions) this.changed.set(session.id, session);
    else if (event.event === "session:started" || event.event === "session:updated" || event.event === "session:ended")
      this.changed.set(event.data.session.id, event.data.session);
    else return;
    this.showing ??= setTimeout(() => this.show(), SHOW_EVERY);
  }

  /** Known sessions change where they stand, so that the list does not move under the hand; new ones come on top. */
  private show(): void {
    this.showing = undefined;
    // In the past nothing changes; coming back to now reads the list anew.
    if (this.asOf !== null) return this.changed.clear();
    const known = this.items.map((session) => {
      const changed = this.changed.get(session.id);
      this.changed.delete(session.id);
      return changed ?? session;
    });
    this.items = [...[...this.changed.values()].reverse(), ...known];
    this.changed.clear();
  }
}
