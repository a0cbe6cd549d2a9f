import { describe, expect, test } from "vitest";
import { commandOf } from "./input";
import { KINDS, kindTokens, kindWords, shapes } from "./kinds";
import { seqOf } from "./row";

const key = (name: string, more = {}) => ({ key: name, shiftKey: false, ctrlKey: false, altKey: false, metaKey: false, ...more });

describe("keys", () => {
  test("step, zoom and open", () => {
    expect(commandOf(key("ArrowRight"))).toEqual({ does: "step", step: "next" });
    expect(commandOf(key("+", { shiftKey: true }))).toEqual({ does: "zoom", factor: 1.5 });
    expect(commandOf(key("Enter"))).toEqual({ does: "open" });
  });

  test("move the view with shift", () => {
    expect(commandOf(key("ArrowRight", { shiftKey: true }))).toEqual({ does: "pan", dx: 120, dy: 0 });
  });

  test("are left to the browser and to the page where they are none of the graph's", () => {
    expect([key("Tab"), key("?"), key("n"), key("ArrowRight", { altKey: true }), key("+", { ctrlKey: true })].map(commandOf)).toEqual(
      Array(5).fill(null),
    );
  });
});

describe("kinds", () => {
  test("each have a word, a token and a shape of their own", () => {
    for (const list of [kindWords, kindTokens, shapes.map((shape) => JSON.stringify(shape))]) {
      expect(new Set(list).size).toBe(KINDS.length);
    }
    expect(kindTokens[KINDS.indexOf("tool_call")]).toBe("--kind-tool-call");
  });
});

test("a record's id holds its seq", () => {
  expect(["th:17", "th:", "17", "th:1x", null, 4].map(seqOf)).toEqual([17, 0, 0, 0, 0, 0]);
});
