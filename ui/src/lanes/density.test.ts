import { describe, expect, test } from "vitest";
import { columnsPerBar, Tally } from "./density";
import { layoutOf, range, tableOf } from "./fixtures";

describe("density", () => {
  test("takes powers of two of columns to a bar, so that bars keep their place", () => {
    expect([5, 4, 1, 0.5, 0.05].map(columnsPerBar)).toEqual([1, 2, 8, 16, 128]);
  });

  test("counts each record once, in its bar and under its kind", () => {
    const table = tableOf([{ branch: "main", seqs: range(1, 100) }]);
    const layout = layoutOf(table);
    const tally = new Tally();
    tally.begin(0, 7, 16);
    tally.add(table, layout, layout.tracksIn(0)[0]!, 100);
    expect(range(0, 6).map((bar) => tally.total(bar))).toEqual([16, 16, 16, 16, 16, 16, 4]);
    // Rows 0 to 15 have the seqs 1 to 16: the kinds 1 to 5 twice, the others once.
    expect(tally.prevailing(0)).toBe(1);
    expect(tally.of(0, 1)).toBe(2);
  });

  test("counts nothing that came after the point in time, nor outside of the bars", () => {
    const table = tableOf([{ branch: "main", seqs: range(1, 100) }]);
    const layout = layoutOf(table);
    const tally = new Tally();
    tally.begin(2, 3, 16);
    tally.add(table, layout, layout.tracksIn(0)[0]!, 50);
    expect(range(0, 2).map((bar) => tally.total(bar))).toEqual([16, 2, 0]);
    expect(tally.prevailing(2)).toBe(-1);
  });

  test("counts the streams of one slot together", () => {
    const table = tableOf([
      { branch: "main", stream: "thoughts/a", seqs: range(1, 20) },
      { branch: "main", stream: "thoughts/b", seqs: range(21, 120) },
      { branch: "main", stream: "thoughts/c", seqs: range(121, 140) },
    ]);
    const layout = layoutOf(table);
    const tally = new Tally();
    tally.begin(0, 2, 128);
    for (const track of layout.tracksIn(0)) tally.add(table, layout, track, table.lanes[track.lane]!.count);
    expect([tally.total(0), tally.total(1)]).toEqual([28, 12]);
  });
});
