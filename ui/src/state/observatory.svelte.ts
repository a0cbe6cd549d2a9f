import { getContext, setContext } from "svelte";
import { connectLive, type Live, type LiveState } from "../api/live";
import { httpSource, type Source } from "../api/source";
import type { RecordShown, SearchHit, Session, Workspaces } from "../api/types";
import { Announcer } from "./announcer.svelte";
import { Clock } from "./clock.svelte";
import { type Failure, failureOf } from "./failure";
import { Feed } from "./feed.svelte";
import { Glimpses } from "./glimpses.svelte";
import { Proof } from "./proof.svelte";
import { HOME, type Route, seqOf } from "./route";
import { Router } from "./router.svelte";
import { Scope } from "./scope.svelte";
import { SearchState } from "./search.svelte";
import { SessionList } from "./sessions.svelte";
import { plain, titleOf } from "./words";

/** What belongs to one workspace and goes when another is opened. */
interface Opened {
  readonly workspace: string;
  readonly feed: Feed;
  readonly proof: Proof;
}

/** Everything that the page knows, in one place; components find it in their context. */
export class Observatory {
  readonly router = new Router();
  readonly source: Source;
  readonly live: Live;
  readonly glimpses: Glimpses;
  readonly search: SearchState;
  readonly sessions: SessionList;
  readonly announcer: Announcer;
  readonly clock: Clock;
  workspaces = $state.raw<Workspaces | null>(null);
  /** Nothing can come in: an export, or a store that nobody here may write to. */
  isReadOnly = $state(false);
  opened = $state.raw<Opened | null>(null);
  scope = $state.raw<Scope | null>(null);
  /** Nothing could be opened. */
  failure = $state.raw<Failure | null>(null);
  connection = $state<LiveState>("connecting");
  /** Known of the session that is shown, when the list does not hold it. */
  private read = $state.raw<Session | null>(null);
  readonly workspace = $derived(this.router.current.workspace ?? this.workspaces?.default ?? null);
  readonly session = $derived.by((): Session | null => {
    const id = this.router.current.session;
    if (id === null) return null;
    return this.sessionOf(id) ?? (this.read?.id === id ? this.read : null);
  });

  constructor() {
    this.source = httpSource(() => this.workspace);
    this.live = connectLive(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`);
    this.live.onState((state) => (this.connection = state));
    this.glimpses = new Glimpses(this.source);
    this.search = new SearchState(this.source);
    this.sessions = new SessionList(this.source);
    this.announcer = new Announcer((shown) => this.placeOf(shown));
    this.clock = new Clock(this.router, () => this.scope);
    // Who links to a record wants to see it, not the newest one.
    if (this.route.selected !== null) this.clock.follow(false);
  }

  get route(): Route {
    return this.router.current;
  }

  close(): void {
    this.leave();
    this.live.close();
    this.router.close();
  }

  /** Read which workspaces there are; the rest follows from it. */
  async begin(): Promise<void> {
    this.failure = null;
    try {
      this.workspaces = await this.source.workspaces();
      this.isReadOnly = (await this.source.health()).readOnly ?? false;
    } catch (error) {
      this.failure = failureOf(error);
    }
  }

  /** Open a workspace: its sessions, and every record from there on. */
  async open(workspace: string): Promise<void> {
    this.leave();
    this.failure = null;
    // Now first, also when the past is shown: the feed goes on from the newest record.
    const reached = await this.sessions.read(null);
    if (this.workspace !== workspace) return;
    if (reached === null) {
      this.failure = this.sessions.failure;
      return;
    }
    const feed = new Feed(this.source, this.live, workspace, reached);
    const proof = new Proof(this.source, workspace);
    this.sessions.follow(this.live, workspace, reached);
    feed.listen({ records: (added) => this.announcer.add(added), reload: () => {} });
    this.opened = { workspace, feed, proof };
  }

  /** Show the records of a session, or of the whole workspace for null. */
  enter(sessionId: string | null): void {
    this.scope?.close();
    this.clock.pause();
    this.scope = this.opened === null ? null : new Scope(this.source, this.opened.feed, this.glimpses, sessionId);
    if (this.opened !== null && sessionId !== null && this.sessionOf(sessionId) === undefined) void this.readSession(sessionId);
  }

  retry(): void {
    if (this.workspaces === null || this.workspace === null) void this.begin();
    else void this.open(this.workspace);
  }

  /** Show a record in the detail; from there on, going to another one is no step back. */
  select(seq: number | null): void {
    if (seq === this.route.selected) return;
    if (seq !== null) this.clock.follow(false);
    if (this.route.selected === null) this.router.push({ selected: seq });
    else this.router.replace({ selected: seq });
  }

  show(recordId: string): void {
    const seq = seqOf(recordId);
    if (seq !== null) this.select(seq);
  }

  /** Where a hit stands: on its own page if that is a session, otherwise among all records; here, if it is here. */
  placeOfHit(hit: SearchHit): Partial<Route> {
    const { session, at } = this.route;
    const isHere = session === null || session === hit.session;
    const home = hit.room === "thoughts" ? hit.session : null;
    return {
      selected: hit.seq,
      pane: "main",
      // A hit that is newer than what is shown is shown as of now.
      at: at !== null && at < hit.seq ? null : at,
      ...(isHere ? {} : { session: home, lane: null, camera: null }),
    };
  }

  showHit(hit: SearchHit): void {
    const place = this.placeOfHit(hit);
    this.clock.follow(false);
    if ("session" in place) this.router.push(place);
    else this.router.replace(place);
  }

  /** Go to the next hit, or the one before, around the end. */
  stepHit(by: 1 | -1): void {
    const { hits } = this.search;
    if (hits.length === 0) return;
    const here = hits.findIndex((hit) => hit.seq === this.route.selected);
    const place = here < 0 ? (by > 0 ? 0 : hits.length - 1) : (here + by + hits.length) % hits.length;
    const hit = hits[place];
    if (hit === undefined) return;
    if (place >= hits.length - 5) void this.search.more();
    this.showHit(hit);
    this.announcer.tell(`Hit ${place + 1} of ${hits.length}`);
  }

  switchTo(workspace: string): void {
    this.router.push({ ...HOME, workspace });
  }

  sessionOf(id: string): Session | undefined {
    return this.sessions.byId.get(id);
  }

  private async readSession(id: string): Promise<void> {
    try {
      this.read = (await this.source.session(id, { limit: 1 })).session;
    } catch {
      // Its graph is read at the same time, and says why there is none.
    }
  }

  private leave(): void {
    this.scope?.close();
    this.scope = null;
    this.opened?.feed.close();
    this.opened?.proof.close();
    this.opened = null;
    this.sessions.close();
    this.search.clear();
    this.glimpses.clear();
  }

  private placeOf(shown: RecordShown): string {
    const session = this.sessionOf(shown.record.session);
    if (session !== undefined) return titleOf(session);
    return shown.stream.startsWith("notebooks/") ? "a notebook" : plain(shown.stream);
  }
}

const KEY = Symbol("observatory");

export function provide(observatory: Observatory): Observatory {
  return setContext(KEY, observatory);
}

export function useObservatory(): Observatory {
  return getContext<Observatory>(KEY);
}
