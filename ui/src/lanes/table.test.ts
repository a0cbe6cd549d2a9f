import { describe, expect, test, vi } from "vitest";
import { graphOf, liveOf, range, tableOf } from "./fixtures";
import { BEGINS_BRANCH, ENDS_SESSION, HAS_ACTION, REVISES } from "./row";
import { RecordTable } from "./table";

const FORKED = [
  { branch: "main", seqs: [1, 2, 3, 5, 7] },
  { branch: "alt", fork: 2, seqs: [4, 6] },
];

describe("a table of records", () => {
  test("keeps rows by seq and each lane's rows in order", () => {
    const table = tableOf(FORKED);
    expect(table.size).toBe(7);
    expect(table.lastSeq).toBe(7);
    expect([...table.lanes[1]!.rows.values.slice(0, 2)].map((row) => table.seqAt(row))).toEqual([4, 6]);
    expect(table.placeAt(table.rowOf(6))).toBe(1);
    expect(table.parentAt(table.rowOf(5))).toBe(3);
  });

  test("knows where a branch forks", () => {
    const [main, alt] = tableOf(FORKED).lanes;
    expect([main!.parentLane, main!.forkSeq]).toEqual([-1, 0]);
    expect([alt!.parentLane, alt!.forkSeq]).toEqual([0, 2]);
  });

  test("finds a row by seq where seqs have gaps, and none for what is not there", () => {
    const table = tableOf([{ branch: "main", seqs: [3, 9, 40] }]);
    expect([3, 9, 40].map((seq) => table.rowOf(seq))).toEqual([0, 1, 2]);
    expect([1, 4, 41].map((seq) => table.rowOf(seq))).toEqual([-1, -1, -1]);
    expect(table.rowFrom(10)).toBe(2);
  });

  test("is not changed by a page that it has already", () => {
    const table = tableOf(FORKED, [[7, 3, "revises"]]);
    const version = table.version;
    table.append(graphOf(FORKED, [[7, 3, "revises"]]));
    expect([table.size, table.version, table.links.size]).toEqual([7, version, 1]);
  });

  test("is the same however its pages and live records overtake each other", () => {
    const inOrder = tableOf(FORKED);
    const late = new RecordTable(() => undefined);
    late.append(graphOf([{ branch: "main", seqs: [1, 2, 7] }]));
    late.append(graphOf(FORKED));
    for (const table of [inOrder, late]) {
      const rows = range(0, table.size - 1);
      expect(rows.map((row) => table.seqAt(row))).toEqual(range(1, 7));
      expect(rows.map((row) => table.parentAt(row))).toEqual([0, 1, 2, 2, 3, 4, 5]);
      expect(rows.map((row) => table.placeAt(row))).toEqual([0, 1, 2, 0, 3, 1, 4]);
      expect(table.lanes[1]!.forkSeq).toBe(2);
    }
    expect(late.order).toBe(1);
  });

  test("counts what there was at a point in time", () => {
    const table = tableOf(FORKED);
    const [main, alt] = table.lanes;
    expect([null, 7, 5, 4, 1, 0].map((asOf) => table.countAsOf(main!, asOf))).toEqual([5, 5, 4, 3, 1, 0]);
    expect([6, 5, 3].map((asOf) => table.countAsOf(alt!, asOf))).toEqual([2, 1, 0]);
  });

  test("takes a live record as the server would have put it into a page", () => {
    const table = tableOf([{ branch: "main", seqs: [1, 2, 3] }]);
    table.add(liveOf(4, "alt", { data: { thoughtNumber: 3, prev: "th:2", origin: "th:2", branchFromThought: 2, actionId: "ship" } }));
    table.add(liveOf(5, "main", { data: { thoughtNumber: 4, prev: "th:3", revises: "th:1" } }));
    table.add(liveOf(6, "main", { data: { change: "completed" }, attrs: { relations: [{ type: "supports", to: "th:2" }] } }));
    expect([4, 5, 6].map((seq) => table.parentAt(table.rowOf(seq)))).toEqual([2, 3, 5]);
    expect([4, 5, 6].map((seq) => table.flagsAt(table.rowOf(seq)))).toEqual([BEGINS_BRANCH | HAS_ACTION, REVISES, ENDS_SESSION]);
    expect([4, 5, 6].map((seq) => table.numberAt(table.rowOf(seq)))).toEqual([3, 4, 6]);
    expect(table.lanes[1]).toMatchObject({ branch: "alt", parentLane: 0, forkSeq: 2, count: 1 });
    expect(table.links.outOf(5)).toEqual([{ from: 5, to: 1, type: "revises" }]);
    expect(table.links.into(2)).toEqual([{ from: 6, to: 2, type: "supports" }]);
  });

  test("takes a live record once", () => {
    const table = tableOf([{ branch: "main", seqs: [1] }]);
    table.add(liveOf(2, "main"));
    table.add(liveOf(2, "main"));
    expect(table.size).toBe(2);
  });

  test("tells of many changes once, when the frame comes", () => {
    const frames: (() => void)[] = [];
    const table = new RecordTable((tell) => frames.push(tell));
    const told = vi.fn();
    const stop = table.subscribe(told);
    range(1, 50).forEach((seq) => table.add(liveOf(seq, "main")));
    expect(frames).toHaveLength(1);
    frames[0]!();
    expect(told).toHaveBeenCalledTimes(1);
    stop();
    table.add(liveOf(51, "main"));
    expect(frames).toHaveLength(1);
  });

  test("holds more than its columns had room for at first", () => {
    const table = tableOf([{ branch: "main", seqs: range(1, 5000) }]);
    expect(table.size).toBe(5000);
    expect(table.seqAt(4999)).toBe(5000);
  });
});

describe("links", () => {
  test("are found by either end, oldest first", () => {
    const { links } = tableOf(FORKED, [[5, 1, "supports"], [5, 3, "contradicts"], [7, 3, "revises"]]);
    expect(links.outOf(5).map((link) => link.to)).toEqual([1, 3]);
    expect(links.into(3).map((link) => link.from)).toEqual([5, 7]);
    expect(links.outOf(2)).toEqual([]);
    expect([links.revisions, links.revisionFrom(0), links.revisionTo(0)]).toEqual([1, 7, 3]);
  });
});
