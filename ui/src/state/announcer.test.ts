import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { RecordShown } from "../api/types";
import { Announcer } from "./announcer.svelte";

const decision = { kind: "decision" } as unknown as RecordShown;
const thought = { kind: "thought" } as unknown as RecordShown;

describe("the announcer", () => {
  let announcer: Announcer;

  beforeEach(() => {
    vi.useFakeTimers();
    announcer = new Announcer(() => "Slow pages");
  });

  afterEach(() => {
    announcer.close();
    vi.useRealTimers();
  });

  test("tells records that come close together in one sentence, and names the last", () => {
    announcer.add([thought]);
    vi.advanceTimersByTime(700);
    announcer.add([thought, decision]);
    expect(announcer.message).toBe("");

    vi.advanceTimersByTime(800);

    expect(announcer.message).toBe("3 new records, last: decision in Slow pages");
  });

  test("speaks of one as of one", () => {
    announcer.add([decision]);
    vi.advanceTimersByTime(800);

    expect(announcer.message).toBe("1 new record, last: decision in Slow pages");
  });

  test("does not wait for quiet for ever", () => {
    for (let second = 0; second < 5; second += 0.5) {
      announcer.add([thought]);
      vi.advanceTimersByTime(500);
    }

    expect(announcer.message).toMatch(/^\d+ new records, last: /);
  });
});
