import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Live, LiveEvent } from "../api/live";
import type { Source } from "../api/source";
import type { RecordShown } from "../api/types";
import { Feed } from "./feed.svelte";

function shown(seq: number): RecordShown {
  return { seq, id: `th:${seq}` } as RecordShown;
}

function added(seq: number): LiveEvent {
  return { channel: "records", event: "record:added", seq, data: shown(seq) };
}

function coalesced(from: number, to: number): LiveEvent {
  return { channel: "records", event: "records:coalesced", seq: to, data: { from, to, seq: to } };
}

/** A feed behind record 10, what it is told, and what its listener hears. */
function opened() {
  let say: (event: LiveEvent) => void = () => {};
  const live = {
    subscribe(_what, on) {
      say = on;
      return () => {};
    },
  } as Live;
  const asked: number[] = [];
  const source = {
    async records({ after = 0, limit = 500 }) {
      asked.push(after);
      return { records: Array.from({ length: limit }, (_, index) => shown(after + 1 + index)), nextCursor: null, seq: 0 };
    },
  } as Source;
  const feed = new Feed(source, live, "demo", 10);
  const heard: number[] = [];
  const reload = vi.fn();
  feed.listen({ records: (records) => heard.push(...records.map((record) => record.seq)), reload });
  return { feed, say: (event: LiveEvent) => say(event), heard, reload, asked };
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index);

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("requestAnimationFrame", (call: () => void) => setTimeout(call, 16));
  vi.stubGlobal("cancelAnimationFrame", clearTimeout);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("many records are told together, in order", async () => {
  const { say, heard } = opened();
  for (const seq of range(11, 40)) say(added(seq));
  expect(heard).toEqual([]);
  await vi.advanceTimersByTimeAsync(20);
  expect(heard).toEqual(range(11, 40));
});

test("what was coalesced is read, and comes before what was told after it", async () => {
  const { say, heard, asked } = opened();
  say(added(11));
  say(coalesced(12, 700));
  say(added(701));
  await vi.advanceTimersByTimeAsync(50);
  expect(heard).toEqual(range(11, 701));
  expect(asked).toEqual([11, 511]);
});

test("a gap too large to be read record by record has everything read anew", async () => {
  const { say, heard, reload, asked } = opened();
  say(coalesced(11, 50_000));
  await vi.advanceTimersByTimeAsync(50);
  expect(reload).toHaveBeenCalledOnce();
  expect(heard).toEqual([]);
  expect(asked).toEqual([]);
});

test("the newest record is known at a pace that can be read", async () => {
  const { feed, say } = opened();
  for (const seq of range(11, 99)) say(added(seq));
  expect(feed.newest).toBe(10);
  await vi.advanceTimersByTimeAsync(300);
  expect(feed.newest).toBe(99);
});

test("a feed that was closed says nothing more", async () => {
  const { feed, say, heard } = opened();
  say(added(11));
  feed.close();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(heard).toEqual([]);
});
