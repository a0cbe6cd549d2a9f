import type { Source } from "../api/source";
import { Verifier } from "../verify/chain";
import { type Failure, failureOf } from "./failure";

/** A workspace of up to this many records is verified without being asked. */
const BY_ITSELF = 20_000;
const GO_ON_AFTER = 2_000;

export type ProofState = "unknown" | "running" | "verified" | "broken" | "failed";

/** How far the hashes hold, computed in this page and nowhere else. */
export class Proof {
  state = $state<ProofState>("unknown");
  verifiedTo = $state(0);
  broken = $state.raw<{ seq: number; why: string } | null>(null);
  failure = $state.raw<Failure | null>(null);
  root = $state.raw<string | null>(null);
  checkpoints = $state(0);
  private verifier: Verifier;
  private readonly ended = new AbortController();
  private waiting: ReturnType<typeof setTimeout> | undefined;
  private newest = 0;

  constructor(
    private readonly source: Source,
    private readonly workspace: string,
  ) {
    this.verifier = new Verifier(source, workspace);
  }

  /** There are more records: what was verified so far is carried on, and a small workspace is begun. */
  reaches(newest: number): void {
    this.newest = newest;
    const isWanted = this.state === "verified" || (this.state === "unknown" && newest > 0 && newest <= BY_ITSELF);
    if (isWanted && newest > this.verifiedTo) this.waiting ??= setTimeout(() => void this.goOn(), this.state === "unknown" ? 0 : GO_ON_AFTER);
  }

  /** Look at every record from the first one on: what held a minute ago may have been changed since. */
  async verify(): Promise<void> {
    if (this.state === "running") return;
    this.verifier = new Verifier(this.source, this.workspace);
    await this.goOn();
  }

  private async goOn(): Promise<void> {
    clearTimeout(this.waiting);
    this.waiting = undefined;
    if (this.state === "running") return;
    this.state = "running";
    this.failure = null;
    try {
      const found = await this.verifier.run(this.newest, (verifiedTo) => (this.verifiedTo = verifiedTo), this.ended.signal);
      this.verifiedTo = found.verifiedTo;
      this.broken = found.broken;
      this.root = found.root;
      this.checkpoints = found.checkpoints;
      this.state = found.broken === null ? "verified" : "broken";
      this.reaches(this.newest);
    } catch (error) {
      if (this.ended.signal.aborted) return;
      this.failure = failureOf(error);
      this.state = "failed";
    }
  }

  close(): void {
    clearTimeout(this.waiting);
    this.ended.abort();
  }
}
