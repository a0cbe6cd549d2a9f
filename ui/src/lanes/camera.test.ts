import { describe, expect, test } from "vitest";
import { clamp, fitZoom, fitsDown, glided, isSameView, panned, revealed, toColumn, toScreenX, toScreenY, toSlot, zoomedAt } from "./camera";
import { FRAME } from "./fixtures";
import { CARDS_FROM, DOTS_FROM, MOST_ZOOM, cardBox, levelAt, slotHeight } from "./levels";

const EXTENT = { columns: 1000, slots: 40 };
const VIEW = { x: 300, y: 20, zoom: 40 };

describe("the camera", () => {
  test("finds the cell of a point and the point of a cell", () => {
    expect(toColumn(VIEW, FRAME, toScreenX(VIEW, FRAME, 312.5))).toBeCloseTo(312.5);
    expect(toSlot(VIEW, FRAME, toScreenY(VIEW, FRAME, 3.25))).toBeCloseTo(3.25);
  });

  test("zooms around a point, which stays where it is", () => {
    const zoomed = zoomedAt(VIEW, FRAME, EXTENT, 3, 820, 110);
    expect(zoomed.zoom).toBe(120);
    expect(toColumn(zoomed, FRAME, 820)).toBeCloseTo(toColumn(VIEW, FRAME, 820));
    expect(toSlot(zoomed, FRAME, 110)).toBeCloseTo(toSlot(VIEW, FRAME, 110));
  });

  test("zooms no further out than all of it, and no further in than a card can use", () => {
    expect(zoomedAt(VIEW, FRAME, EXTENT, 1e-9, 0, 0).zoom).toBeCloseTo(fitZoom(FRAME, EXTENT));
    expect(zoomedAt(VIEW, FRAME, EXTENT, 1e9, 0, 0).zoom).toBe(MOST_ZOOM);
  });

  test("pans by pixels", () => {
    expect(toColumn(panned(VIEW, 80, 0), FRAME, 0)).toBeCloseTo(toColumn(VIEW, FRAME, 80));
  });

  test("keeps to what there is", () => {
    const far = clamp({ x: 1e6, y: -1e6, zoom: 40 }, FRAME, EXTENT);
    expect(toScreenX(far, FRAME, EXTENT.columns)).toBeLessThan(FRAME.width);
    expect(toScreenX(far, FRAME, EXTENT.columns)).toBeGreaterThan(FRAME.width / 2);
    expect(toScreenY(far, FRAME, 0)).toBeCloseTo(16);
  });

  test("begins at the left and the top when all of it fits", () => {
    const small = clamp({ x: 50, y: 50, zoom: 40 }, FRAME, { columns: 4, slots: 2 });
    expect(toScreenX(small, FRAME, 0)).toBeCloseTo(16);
    expect(toScreenY(small, FRAME, 0)).toBeCloseTo(16);
    expect(fitsDown(small, FRAME, { columns: 4, slots: 2 })).toBe(true);
    expect(fitsDown(VIEW, FRAME, EXTENT)).toBe(false);
  });

  test("moves no more than it must to bring a cell into sight", () => {
    expect(revealed(VIEW, FRAME, 301, 20)).toEqual(VIEW);
    const right = revealed(VIEW, FRAME, 400, 20);
    expect(right.y).toBe(VIEW.y);
    expect(toScreenX(right, FRAME, 401)).toBeCloseTo(FRAME.width - 40);
  });

  test("glides to where it is led, and arrives", () => {
    let view = VIEW;
    const target = { x: 320, y: 22, zoom: 60 };
    for (let i = 0; i < 100 && !isSameView(view, target); i++) view = glided(view, target, 16);
    expect(view).toEqual(target);
  });
});

describe("levels of detail", () => {
  test("are density, dots and cards", () => {
    expect([0.01, DOTS_FROM, CARDS_FROM - 1, CARDS_FROM].map(levelAt)).toEqual(["density", "dots", "dots", "cards"]);
  });

  test("make slots taller with zoom, never smaller", () => {
    for (let zoom = 0.01; zoom < MOST_ZOOM; zoom *= 1.1) expect(slotHeight(zoom * 1.1)).toBeGreaterThanOrEqual(slotHeight(zoom));
  });

  test("leave each card its slot, with two lines of text at least", () => {
    for (let zoom = CARDS_FROM; zoom <= MOST_ZOOM; zoom += 5) {
      const card = cardBox(zoom);
      expect(card.above + card.height).toBeLessThanOrEqual(slotHeight(zoom));
      expect(card.lines).toBeGreaterThanOrEqual(2);
    }
  });
});
