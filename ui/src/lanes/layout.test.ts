import { describe, expect, test } from "vitest";
import { layoutOf, liveOf, range, tableOf } from "./fixtures";
import { Packing } from "./packing";

const placesOf = (table: ReturnType<typeof tableOf>, layout: ReturnType<typeof layoutOf>) =>
  range(0, table.size - 1).map((row) => [layout.columnOf(row), layout.slotOf(row)]);

describe("one short lane", () => {
  test("is a snake: rows from left to right", () => {
    const table = tableOf([{ branch: "main", seqs: range(1, 12) }]);
    const layout = layoutOf(table);
    expect([layout.mode, layout.columns, layout.slots]).toEqual(["snake", 5, 3]);
    expect(placesOf(table, layout)[6]).toEqual([1, 1]);
    expect(layout.rowAt(1, 2)).toBe(11);
    expect(layout.rowAt(2, 2)).toBe(-1);
  });

  test("goes on as one line when it is long", () => {
    const layout = layoutOf(tableOf([{ branch: "main", seqs: range(1, 61) }]));
    expect([layout.mode, layout.columns, layout.slots]).toEqual(["depth", 61, 1]);
  });
});

describe("branches of one stream", () => {
  const table = tableOf([
    { branch: "main", seqs: [1, 2, 3, 4, 8] },
    { branch: "early", fork: 2, seqs: [5, 9] },
    { branch: "late", fork: 4, seqs: [6] },
    { branch: "nested", fork: 5, seqs: [7] },
  ]);

  test("go on from their forks, the later fork nearer, so that no line crosses another", () => {
    const layout = layoutOf(table);
    expect(layout.mode).toBe("depth");
    expect(range(0, 3).map((slot) => table.lanes[layout.laneIn(slot)]!.branch)).toEqual(["main", "late", "early", "nested"]);
    expect(layout.columnOf(table.rowOf(5))).toBe(2);
    expect(layout.columnOf(table.rowOf(6))).toBe(4);
    expect(layout.columnOf(table.rowOf(7))).toBe(3);
  });

  test("become stubs when there is no room, together where they fork together", () => {
    const crowd = tableOf([
      { branch: "main", seqs: [1, 2, 3] },
      { branch: "a", fork: 2, seqs: [4] },
      { branch: "b", fork: 2, seqs: [5] },
      { branch: "c", fork: 3, seqs: [6] },
      { branch: "below a", fork: 4, seqs: [7] },
    ]);
    const layout = layoutOf(crowd, { room: 1 });
    expect(layout.slots).toBe(1);
    expect(layout.stubs).toEqual([
      { lane: 0, place: 1, branches: [1, 2] },
      { lane: 0, place: 2, branches: [3] },
    ]);
    expect(layout.slotOf(crowd.rowOf(4))).toBe(-1);
  });

  test("have their stubs alone when one drills into their parent", () => {
    const layout = layoutOf(table, { lane: 1 });
    expect(layout.mode).toBe("snake");
    expect(layout.stubs).toEqual([{ lane: 1, place: 0, branches: [3] }]);
    expect(layout.columnOf(table.rowOf(9))).toBe(1);
    expect(layout.slotOf(table.rowOf(1))).toBe(-1);
  });

  test("are found from a column on", () => {
    const layout = layoutOf(table);
    const main = layout.tracksIn(0)[0]!;
    expect([-3, 0, 1.2, 4, 99].map((column) => layout.placeFrom(main, column))).toEqual([0, 0, 2, 4, 5]);
    expect(layout.rowAt(4, 1)).toBe(table.rowOf(6));
    expect(layout.rowAt(3, 1)).toBe(-1);
  });
});

describe("several streams", () => {
  const streams = [
    { branch: "main", stream: "thoughts/a", seqs: [...range(1, 10), ...range(201, 210)] },
    { branch: "main", stream: "thoughts/b", seqs: range(11, 100) },
    { branch: "main", stream: "thoughts/c", seqs: range(101, 200) },
  ];

  test("stand in the order of recording and share slots", () => {
    const table = tableOf(streams);
    const layout = layoutOf(table);
    expect([layout.mode, layout.columns, layout.slots]).toEqual(["order", 210, 2]);
    expect(layout.columnOf(150)).toBe(150);
    // b begins while a may still go on; c comes when a has been silent for long.
    expect([1, 50, 150].map((seq) => layout.slotOf(table.rowOf(seq)))).toEqual([0, 1, 0]);
    expect(layout.tracksIn(0).map((track) => table.lanes[track.lane]!.stream)).toEqual(["thoughts/a", "thoughts/c"]);
  });

  test("keep every record where it was when more comes", () => {
    const packing = new Packing();
    const table = tableOf(streams.map((lane) => ({ ...lane, seqs: lane.seqs.filter((seq) => seq <= 120) })));
    const before = placesOf(table, layoutOf(table, { packing }));
    range(121, 400).forEach((seq) => table.add(liveOf(seq, seq % 3 ? "main" : "other")));
    const after = placesOf(table, layoutOf(table, { packing }));
    expect(after.slice(0, before.length)).toEqual(before);
  });

  test("never overlap on a slot", () => {
    const table = tableOf(range(0, 29).map((i) => ({ branch: "main", stream: `thoughts/${i}`, seqs: range(0, 39).map((k) => 1 + i * 17 + k * 531) })));
    const layout = layoutOf(table);
    for (let slot = 0; slot < layout.slots; slot++) {
      const ends = layout.tracksIn(slot).map((track) => [track.start, layout.columnAt(track, track.to - 1)]);
      ends.slice(1).forEach(([start], i) => expect(start).toBeGreaterThan(ends[i]![1]!));
    }
    expect(layout.slots).toBeLessThan(66);
  });

  test("are one lane when one drills in", () => {
    const layout = layoutOf(tableOf(streams), { lane: 1 });
    expect([layout.mode, layout.columns]).toEqual(["depth", 90]);
  });
});

test("an empty table has an empty layout", () => {
  const layout = layoutOf(tableOf([]));
  expect([layout.columns, layout.slots, layout.stubs.length]).toEqual([0, 0, 0]);
});
