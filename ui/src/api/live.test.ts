import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { connectLive, waitBefore, type Live, type LiveEvent, type Socket } from "./live";

class FakeSocket implements Socket {
  onopen: ((event: never) => void) | null = null;
  onmessage: ((event: never) => void) | null = null;
  onclose: ((event: never) => void) | null = null;
  readonly sent: string[] = [];
  isClosed = false;

  send(text: string): void {
    this.sent.push(text);
  }
  close(): void {
    this.isClosed = true;
  }
  accept(): void {
    this.onopen?.({} as never);
    this.say("pong");
  }
  say(message: string | object): void {
    const data = typeof message === "string" ? message : JSON.stringify(message);
    this.onmessage?.({ data } as never);
  }
  drop(): void {
    this.onclose?.({} as never);
  }
  get requests(): object[] {
    return this.sent.filter((text) => text !== "ping").map((text) => JSON.parse(text) as object);
  }
}

const sockets: FakeSocket[] = [];
const reported: unknown[] = [];
let wake: () => void = () => {};
let live: Live;
const newest = (): FakeSocket => sockets.at(-1) as FakeSocket;

beforeEach(() => {
  vi.useFakeTimers();
  sockets.length = 0;
  reported.length = 0;
  live = connectLive("ws://ledger.test/ws", {
    open: () => {
      sockets.push(new FakeSocket());
      return newest();
    },
    random: () => 0,
    report: (error) => reported.push(error),
    onWake: (callback) => {
      wake = callback;
      return () => {};
    },
  });
});

afterEach(() => {
  live.close();
  vi.useRealTimers();
});

const added = (seq: number, room = "thoughts"): object => ({
  channel: "records",
  event: "record:added",
  seq,
  data: { seq, room, kind: "claim", stream: "thoughts/s", record: { agent: "a", session: "s" } },
});

function told(what: Parameters<Live["subscribe"]>[0]): { events: LiveEvent[]; seqs: () => number[]; stop: () => void } {
  const events: LiveEvent[] = [];
  const stop = live.subscribe(what, (event) => events.push(event));
  return { events, seqs: () => events.map((event) => event.seq), stop };
}

describe("state", () => {
  it("is live when the server has been heard, not when the socket opened", () => {
    expect(live.state()).toBe("connecting");
    newest().onopen?.({} as never);
    expect(live.state()).toBe("connecting");
    newest().say("pong");
    expect(live.state()).toBe("live");
  });

  it("goes over reconnecting to offline after ten seconds, and back", () => {
    const states: string[] = [];
    live.onState((state) => states.push(state));
    newest().accept();
    newest().drop();
    for (let second = 0; second < 12; second += 1) {
      vi.advanceTimersByTime(1000);
      newest().drop();
    }
    expect(states).toEqual(["live", "reconnecting", "offline"]);
    vi.advanceTimersByTime(8000);
    newest().accept();
    expect(states.at(-1)).toBe("live");
  });

  it("is offline for good once it is closed", () => {
    newest().accept();
    live.close();
    expect(live.state()).toBe("offline");
    vi.advanceTimersByTime(60_000);
    expect(sockets).toHaveLength(1);
  });
});

describe("coming back", () => {
  it("doubles the wait up to eight seconds and takes up to half of it off", () => {
    expect([0, 1, 2, 5, 9].map((attempt) => waitBefore(attempt, () => 0))).toEqual([250, 500, 1000, 8000, 8000]);
    expect(waitBefore(0, () => 1)).toBe(125);
  });

  it("keeps waiting longer when the server opens and closes at once", () => {
    for (const wait of [250, 500, 1000]) {
      const before = sockets.length;
      newest().onopen?.({} as never);
      newest().drop();
      vi.advanceTimersByTime(wait - 1);
      expect(sockets).toHaveLength(before);
      vi.advanceTimersByTime(1);
      expect(sockets).toHaveLength(before + 1);
    }
  });

  it("tries at once when the page is woken", () => {
    newest().accept();
    newest().drop();
    wake();
    expect(sockets).toHaveLength(2);
  });

  it("goes on behind the last event of each subscription", () => {
    newest().accept();
    told({ channel: "records", since: 3 });
    told({ channel: "reasoning", sessionId: "s" });
    newest().say(added(4));
    newest().say({ channel: "reasoning", event: "session:snapshot", seq: 9, data: { session: { id: "s" }, seq: 9 } });
    newest().drop();
    vi.advanceTimersByTime(250);
    newest().accept();
    expect(newest().requests).toEqual([
      { action: "subscribe", channel: "records", since: 4 },
      { action: "subscribe", channel: "reasoning", sessionId: "s", since: 9 },
    ]);
  });

  it("asks for a snapshot again when none had come", () => {
    newest().accept();
    told({ channel: "reasoning", sessionId: "s" });
    newest().drop();
    vi.advanceTimersByTime(250);
    newest().accept();
    expect(newest().requests).toEqual([{ action: "subscribe", channel: "reasoning", sessionId: "s" }]);
  });

  it("does not hear a socket that it has given up", () => {
    newest().accept();
    const { seqs } = told({ channel: "records", since: 0 });
    newest().drop();
    newest().say(added(1));
    expect(seqs()).toEqual([]);
  });
});

describe("heartbeat", () => {
  it("pings each fifteen seconds", () => {
    newest().accept();
    for (let beat = 0; beat < 3; beat += 1) {
      vi.advanceTimersByTime(15_000);
      newest().say("pong");
    }
    expect(newest().sent.filter((text) => text === "ping")).toHaveLength(4);
    expect(sockets).toHaveLength(1);
  });

  it("gives a silent socket up", () => {
    newest().accept();
    vi.advanceTimersByTime(15_000);
    vi.advanceTimersByTime(15_000);
    expect(sockets[0]?.isClosed).toBe(true);
    expect(live.state()).toBe("reconnecting");
  });

  it("gives a socket that slept a shorter time to answer", () => {
    newest().accept();
    wake();
    vi.advanceTimersByTime(4_000);
    expect(live.state()).toBe("reconnecting");
  });
});

describe("events", () => {
  beforeEach(() => newest().accept());

  it("come once each, however often they are sent", () => {
    const { seqs } = told({ channel: "records", since: 2 });
    for (const seq of [1, 2, 3, 3, 4, 3, 5]) newest().say(added(seq));
    expect(seqs()).toEqual([3, 4, 5]);
  });

  it("come to those whom they concern", () => {
    const memory = told({ channel: "records", room: "memory", since: 0 });
    const all = told({ channel: "records", since: 0 });
    newest().say(added(1));
    newest().say(added(2, "memory"));
    expect([memory.seqs(), all.seqs()]).toEqual([[2], [1, 2]]);
  });

  it("tell what was coalesced from where the subscription stood", () => {
    const { events } = told({ channel: "records", since: 0 });
    newest().say(added(7));
    newest().say({ channel: "records", event: "records:coalesced", seq: 20, data: { from: 5, to: 20, seq: 20 } });
    newest().say(added(20));
    newest().say(added(21));
    expect(events.map((event) => [event.event, event.seq])).toEqual([
      ["record:added", 7],
      ["records:coalesced", 20],
      ["record:added", 21],
    ]);
    expect(events[1]?.data).toMatchObject({ from: 8, to: 20 });
  });

  it("of one record about two sessions both come, a repeat does not", () => {
    const { events } = told({ channel: "sessions" });
    newest().say({ channel: "sessions", event: "sessions:list", seq: 4, data: { sessions: [], seq: 4 } });
    const update = { channel: "sessions", event: "session:updated", seq: 5, data: { session: {}, seq: 5 } };
    const end = { channel: "sessions", event: "session:ended", seq: 5, data: { session: {}, seq: 5 } };
    for (const event of [{ ...update, seq: 4 }, update, end, update, end]) newest().say(event);
    expect(events.map((event) => event.event)).toEqual(["sessions:list", "session:updated", "session:ended"]);
  });

  it("that fail in one view reach the others", () => {
    live.subscribe({ channel: "records", since: 0 }, () => {
      throw new Error("a view failed");
    });
    const { seqs } = told({ channel: "records", since: 0 });
    newest().say(added(1));
    expect(seqs()).toEqual([1]);
    expect(reported).toHaveLength(1);
  });

  it("that are no events are passed over", () => {
    const { events } = told({ channel: "records", since: 0 });
    for (const noise of ["", "{", "null", "[]", '{"event":1}', '{"event":"record:added","data":null}']) newest().say(noise);
    expect(events).toEqual([]);
  });

  it("end with the subscription, which is taken back when nobody else has it", () => {
    const first = told({ channel: "records", since: 0 });
    const second = told({ channel: "records", since: 0 });
    first.stop();
    newest().say(added(1));
    expect(newest().requests).not.toContainEqual({ action: "unsubscribe", channel: "records" });
    second.stop();
    newest().say(added(2));
    expect(newest().requests.at(-1)).toEqual({ action: "unsubscribe", channel: "records" });
    expect([first.seqs(), second.seqs()]).toEqual([[], [1]]);
  });

  it("of another workspace come over another socket", () => {
    const { stop } = told({ channel: "records", workspace: "a", since: 0 });
    stop();
    told({ channel: "records", workspace: "b", since: 0 });
    expect(sockets).toHaveLength(2);
    newest().accept();
    expect(newest().requests).toEqual([{ action: "subscribe", channel: "records", workspace: "b", since: 0 }]);
    expect(sockets).toHaveLength(2);
  });
});
