import { eventOf, Listener, type LiveEvent, type Subscription } from "./subscription";

export type { LiveEvent, Subscription } from "./subscription";

export type LiveState = "connecting" | "live" | "reconnecting" | "offline";

export interface Live {
  state(): LiveState;
  onState(told: (state: LiveState) => void): () => void;
  subscribe(what: Subscription, on: (event: LiveEvent) => void): () => void;
  close(): void;
}

/** What of a WebSocket is used. */
export interface Socket {
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  send(text: string): void;
  close(): void;
}

export interface LiveSurroundings {
  open: (url: string) => Socket;
  random: () => number;
  report: (error: unknown) => void;
  /** Calls back when there is reason to think that a connection can be had now. */
  onWake: (wake: () => void) => () => void;
}

const FIRST_WAIT = 250;
const LONGEST_WAIT = 8_000;
const HEARTBEAT = 15_000;
const OFFLINE_AFTER = 10_000;
/** A page that comes back from sleep has a socket that looks open; it gets this long to prove it. */
const PROOF_OF_LIFE = 4_000;

function browser(): LiveSurroundings {
  return {
    open: (url) => new WebSocket(url) as unknown as Socket,
    random: Math.random,
    report: (error) => reportError(error),
    onWake: (wake) => {
      const seen = (): void => {
        if (document.visibilityState === "visible") wake();
      };
      window.addEventListener("online", wake);
      document.addEventListener("visibilitychange", seen);
      return () => {
        window.removeEventListener("online", wake);
        document.removeEventListener("visibilitychange", seen);
      };
    },
  };
}

/** How long to wait before attempt n (from 0): doubling, with up to half of it taken off so that pages spread out. */
export function waitBefore(attempt: number, random: () => number): number {
  const whole = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** attempt);
  return whole - (whole / 2) * random();
}

/** One socket for the whole page. It comes back by itself and goes on where each subscription stood. */
export function connectLive(url: string, surroundings: LiveSurroundings = browser()): Live {
  return new Connection(url, surroundings);
}

class Connection implements Live {
  private readonly url: string;
  private readonly surroundings: LiveSurroundings;
  private readonly listeners = new Set<Listener>();
  private readonly watchers = new Set<(state: LiveState) => void>();
  private readonly stopWaking: () => void;
  private current: LiveState = "connecting";
  private socket: Socket | null = null;
  private isOpen = false;
  private served: string | null = null;
  private attempt = 0;
  private retry: Timer;
  private heartbeat: Timer;
  private proof: Timer;
  private offline: Timer;

  constructor(url: string, surroundings: LiveSurroundings) {
    this.url = url;
    this.surroundings = surroundings;
    this.stopWaking = surroundings.onWake(() => this.wake());
    this.startOfflineClock();
    this.connect();
  }

  state(): LiveState {
    return this.current;
  }

  onState(told: (state: LiveState) => void): () => void {
    this.watchers.add(told);
    return () => this.watchers.delete(told);
  }

  subscribe(what: Subscription, on: (event: LiveEvent) => void): () => void {
    const listener = new Listener(what, on);
    this.listeners.add(listener);
    if (this.isOpen) this.request(listener);
    return () => {
      if (!this.listeners.delete(listener) || !this.isOpen) return;
      const isShared = [...this.listeners].some((other) => other.filters === listener.filters);
      if (isShared) return;
      const { since: _, ...filters } = what;
      this.send({ action: "unsubscribe", ...filters });
    };
  }

  close(): void {
    this.stopWaking();
    this.letGo();
    clearTimeout(this.retry);
    clearTimeout(this.offline);
    this.listeners.clear();
    this.become("offline");
    this.watchers.clear();
  }

  private connect(): void {
    clearTimeout(this.retry);
    const socket = this.surroundings.open(this.url);
    this.socket = socket;
    socket.onopen = () => {
      this.isOpen = true;
      this.requestAll();
      this.beat();
    };
    socket.onmessage = ((message: { data: unknown }) => this.heard(message.data)) as Socket["onmessage"];
    socket.onclose = () => this.lost();
  }

  private heard(message: unknown): void {
    clearTimeout(this.proof);
    this.proof = undefined;
    // Only what is heard shows that the server took the connection: it opens, too, when there are too many and it closes again.
    this.attempt = 0;
    clearTimeout(this.offline);
    this.offline = undefined;
    this.become("live");
    const event = eventOf(message);
    if (event === null) return;
    for (const listener of [...this.listeners]) {
      if (!this.listeners.has(listener)) continue;
      try {
        listener.tell(event);
      } catch (error) {
        // A view that fails at an event keeps no other from hearing it.
        this.surroundings.report(error);
      }
    }
  }

  /**
   * Events do not name their workspace, and some of the one that was left may still be on their way. So a socket
   * serves one workspace, that of the newest subscription, and another workspace gets another socket.
   */
  private request(listener: Listener): void {
    this.served ??= listener.workspace;
    if (this.served === listener.workspace) return this.send(listener.request());
    this.letGo();
    this.connect();
  }

  private requestAll(): void {
    this.served = [...this.listeners].at(-1)?.workspace ?? null;
    for (const listener of this.listeners) {
      if (listener.workspace === this.served) this.send(listener.request());
    }
  }

  private lost(): void {
    this.letGo();
    this.startOfflineClock();
    if (this.current === "live") this.become("reconnecting");
    clearTimeout(this.retry);
    this.retry = setTimeout(() => this.connect(), waitBefore(this.attempt, this.surroundings.random));
    this.attempt += 1;
  }

  /** Stop hearing from this socket, whatever it still says. */
  private letGo(): void {
    clearTimeout(this.heartbeat);
    clearTimeout(this.proof);
    this.proof = undefined;
    this.isOpen = false;
    this.served = null;
    const socket = this.socket;
    this.socket = null;
    if (socket === null) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }

  private beat(): void {
    clearTimeout(this.heartbeat);
    this.ask(HEARTBEAT);
    this.heartbeat = setTimeout(() => this.beat(), HEARTBEAT);
  }

  private ask(patience: number): void {
    this.socket?.send("ping");
    clearTimeout(this.proof);
    this.proof = setTimeout(() => this.lost(), patience - 1);
  }

  private wake(): void {
    if (this.isOpen) return this.ask(PROOF_OF_LIFE);
    this.attempt = 0;
    this.letGo();
    this.connect();
  }

  private startOfflineClock(): void {
    this.offline ??= setTimeout(() => this.become("offline"), OFFLINE_AFTER);
  }

  private send(message: object): void {
    this.socket?.send(JSON.stringify(message));
  }

  private become(state: LiveState): void {
    if (state === this.current) return;
    this.current = state;
    for (const told of [...this.watchers]) told(state);
  }
}

type Timer = ReturnType<typeof setTimeout> | undefined;
