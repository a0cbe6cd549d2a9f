import { describe, expect, test } from "vitest";
import { layoutOf, range, sceneOf, tableOf } from "./fixtures";
import { beyondIn, hitAt, stubPlace } from "./hit";
import { CARD_ZOOM } from "./levels";
import { nearestIn, newest, stepped } from "./walk";

const table = tableOf([
  { branch: "main", seqs: range(1, 100) },
  { branch: "alt", fork: 10, seqs: range(101, 120) },
]);

describe("what is under a point", () => {
  test("is the card that it lies on, and nothing between cards", () => {
    const scene = sceneOf(table, { x: 2, y: 1, zoom: CARD_ZOOM });
    expect(hitAt(scene, scene.cardX(1) + 20, scene.cardY(0) + 20)).toEqual({ what: "record", row: 1 });
    expect(hitAt(scene, scene.cardX(1) - 3, scene.cardY(0) + 20)).toEqual({ what: "nothing" });
    expect(hitAt(scene, scene.cardX(1) + 20, scene.cardY(0) - 8)).toEqual({ what: "nothing" });
  });

  test("is the nearest dot", () => {
    const scene = sceneOf(table, { x: 12, y: 1, zoom: 20 });
    const row = table.rowOf(103);
    const x = scene.x(layoutOf(table).columnOf(row) + 0.5);
    expect(hitAt(scene, x + 7, scene.lineY(1) - 5)).toEqual({ what: "record", row });
    expect(hitAt(scene, x, scene.lineY(1) + 20)).toEqual({ what: "nothing" });
  });

  test("is no record that came after the point in time", () => {
    const scene = sceneOf(table, { x: 2, y: 1, zoom: CARD_ZOOM }, { asOf: 1 });
    expect(hitAt(scene, scene.cardX(1) + 20, scene.cardY(0) + 20)).toEqual({ what: "nothing" });
  });

  test("is a lane's name in the column of names", () => {
    const frame = { left: 150, top: 0, width: 850, height: 600 };
    const scene = sceneOf(table, { x: 2, y: 1, zoom: CARD_ZOOM }, { frame });
    expect(hitAt(scene, 20, scene.lineY(1))).toEqual({ what: "lane", lane: 1 });
  });

  test("is a lane's name above it where there is no such column", () => {
    const scene = sceneOf(table, { x: 12, y: 1, zoom: 20 });
    expect(hitAt(scene, scene.x(10) + 8, scene.y(1) + 4)).toEqual({ what: "lane", lane: 1 });
  });

  test("is a stub with its branches", () => {
    const scene = sceneOf(table, { x: 10, y: 0.5, zoom: CARD_ZOOM }, { layout: layoutOf(table, { room: 1 }) });
    const stub = scene.shown.layout.stubs[0]!;
    const place = stubPlace(scene, stub)!;
    expect(place.label).toBe("alt");
    expect(hitAt(scene, place.x + 5, place.y + 5)).toEqual({ what: "stub", stub });
  });

  test("is the way to a lane of which nothing is in sight", () => {
    const scene = sceneOf(table, { x: 80, y: 1, zoom: CARD_ZOOM });
    expect(beyondIn(scene, 1)).toEqual({ row: table.rowOf(120), side: "left" });
    expect(beyondIn(scene, 0)).toBeNull();
    expect(hitAt(scene, 20, scene.lineY(1))).toEqual({ what: "beyond", row: table.rowOf(120) });
  });
});

describe("the keyboard", () => {
  const scene = sceneOf(table, { x: 12, y: 1, zoom: 20 });
  const to = (seq: number, ...steps: Parameters<typeof stepped>[2][]) =>
    table.seqAt(steps.reduce((row, step) => stepped(scene, row, step), table.rowOf(seq)));

  test("steps along a lane and stops at its ends", () => {
    expect([to(5, "next"), to(5, "previous"), to(1, "previous"), to(100, "next")]).toEqual([6, 4, 1, 100]);
    expect([to(50, "first"), to(50, "last"), to(50, "nextTen"), to(95, "nextTen")]).toEqual([1, 100, 60, 100]);
  });

  test("steps to the nearest record of the lane below and back", () => {
    expect([to(13, "down"), to(13, "down", "up"), to(1, "down"), to(90, "down"), to(5, "up")]).toEqual([103, 13, 101, 120, 5]);
  });

  test("goes to the newest record that is drawn", () => {
    expect(table.seqAt(newest(scene))).toBe(120);
    expect(table.seqAt(newest(sceneOf(table, scene.shown.view, { asOf: 42 })))).toBe(42);
    expect(newest(sceneOf(tableOf([]), scene.shown.view))).toBe(-1);
  });

  test("goes no further than the point in time", () => {
    const past = sceneOf(table, scene.shown.view, { asOf: 50 });
    expect(table.seqAt(stepped(past, table.rowOf(50), "next"))).toBe(50);
    expect(nearestIn(past, 1, 12)).toBe(-1);
  });
});
