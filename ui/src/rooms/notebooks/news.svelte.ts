import type { RecordShown } from "../../api/types";
import type { Feed } from "../../state/feed.svelte";
import { isOfNotebook, isOfNotebooks, isTidings } from "./notebook";

const SOON_MS = 120;
const PACE_MS = 700;
const MOST_KEPT = 500;

/** What happens to notebooks while one looks: which answers are old, and what is known until they are read anew. */
export class News {
  /** Counts what has made the list of notebooks old. */
  ofList = $state(0);
  /** Counts what has made the open notebook old. */
  ofOpen = $state(0);
  /** Records of the open notebook that came by themselves, in order. */
  records = $state.raw<readonly RecordShown[]>([]);
  private readonly list = new Paced(() => (this.ofList += 1));
  private readonly open = new Paced(() => (this.ofOpen += 1));

  /** To be made where a component begins. `opened` is the notebook that is open. */
  constructor(feed: () => Feed, opened: () => string | null) {
    $effect(() => {
      const leave = feed().listen({
        records: (added) => this.take(added, opened()),
        reload: () => {
          this.list.soon();
          this.open.soon();
        },
      });
      return () => {
        leave();
        this.list.stop();
        this.open.stop();
      };
    });
    $effect(() => {
      void opened();
      this.records = [];
    });
  }

  /** What was read up to a record need not be kept any longer. */
  forget(upTo: number): void {
    if (this.records.some((shown) => shown.seq <= upTo)) this.records = this.records.filter((shown) => shown.seq > upTo);
  }

  private take(added: readonly RecordShown[], id: string | null): void {
    const news = added.filter(isOfNotebooks);
    if (news.some((shown) => !isTidings(shown))) this.list.soon();
    if (id === null) return;
    const own = news.filter((shown) => isOfNotebook(shown, id));
    if (own.length === 0) return;
    this.records = [...this.records, ...own].slice(-MOST_KEPT);
    if (own.some((shown) => !isTidings(shown))) this.open.soon();
  }
}

/** Does something soon, and not more often than can be read. */
class Paced {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private last = 0;

  constructor(private readonly act: () => void) {}

  soon(): void {
    this.timer ??= setTimeout(
      () => {
        this.timer = undefined;
        this.last = performance.now();
        this.act();
      },
      Math.max(SOON_MS, this.last + PACE_MS - performance.now()),
    );
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}
