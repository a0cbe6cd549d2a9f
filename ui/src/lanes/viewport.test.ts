import { describe, expect, test } from "vitest";
import { toScreenX, toScreenY } from "./camera";
import { layoutOf, liveOf, range, tableOf } from "./fixtures";
import { CARD_ZOOM } from "./levels";
import { Viewport } from "./viewport";

const long = () =>
  tableOf([
    { branch: "main", seqs: range(1, 400) },
    { branch: "alt", fork: 20, seqs: range(401, 420) },
  ]);

function portOf(table: ReturnType<typeof tableOf>): Viewport {
  const port = new Viewport(layoutOf(table));
  port.resize(1200, 600);
  return port;
}

describe("a view that nobody moved", () => {
  test("shows everything", () => {
    const port = portOf(long());
    port.home();
    expect(toScreenX(port.view, port.frame, 400)).toBeLessThan(1200);
    expect(toScreenX(port.view, port.frame, 0)).toBeGreaterThanOrEqual(port.frame.left);
  });

  test("shows the newest record close by when it follows", () => {
    const table = long();
    const port = portOf(table);
    port.closeTo(table.rowOf(400));
    expect(port.view.zoom).toBe(CARD_ZOOM);
    expect(toScreenX(port.view, port.frame, 400)).toBeLessThanOrEqual(1200);
    expect(toScreenX(port.view, port.frame, 400)).toBeGreaterThan(900);
  });

  test("fills the width with the snake's cards", () => {
    const port = portOf(tableOf([{ branch: "main", seqs: range(1, 20) }]));
    port.home();
    expect(port.frame.left).toBe(0);
    expect(port.view.zoom * port.layout.perRow).toBeGreaterThan(1100);
  });
});

describe("following", () => {
  test("brings each new record into sight, and leaves what is in sight alone", () => {
    const table = long();
    const port = portOf(table);
    port.closeTo(table.rowOf(400));
    expect(port.reveal(table.rowOf(400))).toBe(false);
    range(421, 424).forEach((seq) => table.add(liveOf(seq, "main")));
    port.setLayout(layoutOf(table));
    expect(port.reveal(table.rowOf(424))).toBe(true);
    for (let i = 0; i < 200 && port.advance(16, false); i++);
    expect(toScreenX(port.view, port.frame, 404)).toBeLessThanOrEqual(1200);
  });

  test("does not glide for who wants no motion", () => {
    const table = long();
    const port = portOf(table);
    port.ask({ x: 5, y: 0, zoom: 40 });
    port.reveal(table.rowOf(300));
    expect(port.advance(1, true)).toBe(false);
    expect(toScreenX(port.view, port.frame, 300)).toBeLessThanOrEqual(1200);
  });
});

describe("a new branch above", () => {
  test("does not move the lane that one looks at", () => {
    const table = tableOf([
      { branch: "main", seqs: range(1, 100) },
      ...range(0, 9).map((i) => ({ branch: `b${i}`, fork: 5 + i, seqs: range(101 + i * 10, 110 + i * 10) })),
    ]);
    const port = portOf(table);
    port.resize(1200, 240);
    port.ask({ x: 20, y: 6.5, zoom: 40 });
    port.advance(16, false);
    const lane = port.layout.laneIn(6);
    const before = toScreenY(port.view, port.frame, 6);
    table.add(liveOf(201, "new", { data: { prev: "th:90", branchFromThought: 90 } }));
    port.setLayout(layoutOf(table));
    expect(port.layout.slotOfLane(lane)).toBe(7);
    expect(toScreenY(port.view, port.frame, 7)).toBeCloseTo(before);
  });
});

test("a view that a link asks for is kept until there is all that it needs", () => {
  const table = tableOf([{ branch: "main", seqs: range(1, 100) }]);
  const port = portOf(table);
  port.ask({ x: 380, y: 0.5, zoom: 40 });
  port.advance(16, false);
  expect(port.view.x).toBeLessThan(100);
  range(101, 400).forEach((seq) => table.add(liveOf(seq, "main")));
  port.setLayout(layoutOf(table));
  port.advance(16, false);
  expect(port.view.x).toBe(380);
  port.pan(-400, 0);
  port.advance(16, false);
  expect(port.view.x).toBe(370);
});

test("a zoom that is led keeps the point under it once it arrives", () => {
  const port = portOf(long());
  port.ask({ x: 100, y: 1, zoom: 40 });
  port.zoomAt(2, 700, 100, true);
  expect(port.isLed).toBe(true);
  for (let i = 0; i < 200 && port.advance(16, false); i++);
  expect(port.view.zoom).toBe(80);
});
