import type { Router } from "./router.svelte";
import type { Scope } from "./scope.svelte";

const STEPS_PER_SECOND = 4;
/** However many records there are, all of them play within this. */
const LONGEST_PLAY_SECONDS = 40;

/** The time that is shown: a record of the scope, or now. */
export class Clock {
  isPlaying = $state(false);
  /** Whether the newest is kept in sight. */
  isFollowing = $state(true);
  private frame = 0;

  constructor(
    private readonly router: Router,
    private readonly scope: () => Scope | null,
  ) {}

  get at(): number | null {
    return this.router.current.at;
  }

  get isLive(): boolean {
    return this.at === null && this.isFollowing;
  }

  goLive(): void {
    this.pause();
    this.isFollowing = true;
    this.router.replace({ at: null });
  }

  follow(isFollowing: boolean): void {
    this.isFollowing = isFollowing;
  }

  /** Show the state as of a row of the scope; the last one is now. */
  goTo(row: number): void {
    const table = this.scope()?.table;
    if (table === undefined || table.size === 0) return;
    const last = table.size - 1;
    if (row >= last) this.router.replace({ at: null });
    else this.router.replace({ at: table.seqAt(Math.max(0, row)) });
    this.isFollowing = row >= last;
  }

  step(by: number): void {
    this.pause();
    this.goTo(this.row() + by);
  }

  /** The last row that is shown; -1 when the time is before the first. */
  row(): number {
    const table = this.scope()?.table;
    if (table === undefined) return -1;
    return (this.at === null ? table.size : table.rowFrom(this.at + 1)) - 1;
  }

  toggle(): void {
    if (this.isPlaying) this.pause();
    else this.play();
  }

  pause(): void {
    this.isPlaying = false;
    cancelAnimationFrame(this.frame);
  }

  private play(): void {
    const size = this.scope()?.table.size ?? 0;
    if (size < 2) return;
    if (this.at === null || this.row() >= size - 1) this.goTo(0);
    this.isPlaying = true;
    const perSecond = Math.max(STEPS_PER_SECOND, size / LONGEST_PLAY_SECONDS);
    let reached = this.row();
    let before = performance.now();
    const tick = (now: number): void => {
      reached += ((now - before) / 1_000) * perSecond;
      before = now;
      if (Math.floor(reached) > this.row()) this.goTo(Math.floor(reached));
      if (this.at === null) return this.goLive();
      this.frame = requestAnimationFrame(tick);
    };
    this.frame = requestAnimationFrame(tick);
  }
}
