import type { RecordShown } from "../api/types";
import { kindWord } from "./words";

const QUIET_MS = 800;
const AT_LEAST_EVERY_MS = 4_000;

/** Tells who listens what is new, in one sentence for many records. */
export class Announcer {
  message = $state("");
  private count = 0;
  private last: RecordShown | null = null;
  private quiet: ReturnType<typeof setTimeout> | undefined;
  private since = 0;

  constructor(private readonly nameOf: (shown: RecordShown) => string) {}

  add(added: readonly RecordShown[]): void {
    if (this.count === 0) this.since = performance.now();
    this.count += added.length;
    this.last = added.at(-1) ?? this.last;
    if (performance.now() - this.since > AT_LEAST_EVERY_MS) return this.say();
    clearTimeout(this.quiet);
    this.quiet = setTimeout(() => this.say(), QUIET_MS);
  }

  tell(message: string): void {
    this.message = message;
  }

  close(): void {
    clearTimeout(this.quiet);
  }

  private say(): void {
    clearTimeout(this.quiet);
    if (this.last === null || this.count === 0) return;
    const many = this.count === 1 ? "1 new record" : `${this.count} new records`;
    this.message = `${many}, last: ${kindWord(this.last.kind)} in ${this.nameOf(this.last)}`;
    this.count = 0;
  }
}
