import { expect, test } from "vitest";
import { rowsInSight } from "./rows";

test("a short list is there as a whole", () => {
  expect(rowsInSight(200, 34, 5_000, 600)).toEqual({ first: 0, end: 200 });
});

test("of a long list there is what is in sight, and some more", () => {
  const { first, end } = rowsInSight(100_000, 34, 34 * 5_000, 34 * 20);
  expect(first).toBeGreaterThan(4_900);
  expect(first).toBeLessThanOrEqual(5_000);
  expect(end).toBeGreaterThanOrEqual(5_020);
  expect(end).toBeLessThan(5_100);
});

test("a list that shrank under the scroll has no rows beyond its end", () => {
  const { first, end } = rowsInSight(300, 34, 34 * 90_000, 600);
  expect(end).toBe(300);
  expect(first).toBeLessThanOrEqual(end);
});
