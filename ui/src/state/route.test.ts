import { describe, expect, test } from "vitest";
import { hashOf, HOME, routeOf, seqOf, type Route } from "./route";

describe("the address", () => {
  test("holds everything that is shown, and gives it back", () => {
    const route: Route = {
      workspace: "team a/b",
      session: "3f2a?#&",
      view: "table",
      at: 12,
      selected: 17,
      lane: "thoughts/3f2a@pool",
      camera: "1.5,0.5,40",
      notebook: "9d41&",
      q: "slow pages & more",
      room: "thoughts",
      kind: "decision",
      within: true,
      pane: "list",
    };
    expect(routeOf(hashOf(route))).toEqual(route);
  });

  test("is short where nothing special is shown", () => {
    expect(hashOf(HOME)).toBe("#/");
    expect(hashOf({ ...HOME, workspace: "demo", session: "s1" })).toBe("#/w/demo/session/s1");
  });

  test("can be read by people", () => {
    expect(hashOf({ ...HOME, session: "s1", view: "table", at: 123, selected: 17 })).toBe("#/session/s1?view=table&at=123&sel=th:17");
  });

  test.each(["", "#", "#/", "#nonsense", "#/w", "#/session", "#/%E0%A4%A"])("that cannot be read shows the workspace: %s", (hash) => {
    expect(routeOf(hash)).toEqual(HOME);
  });

  test("with a view that is not there shows the graph", () => {
    expect(routeOf("#/?view=diff").view).toBe("graph");
    expect(routeOf("#/session/s1?view=board").view).toBe("graph");
  });
});

test.each([
  ["th:17", 17],
  ["#17", 17],
  [" 17 ", 17],
  ["th:0", null],
  ["th:", null],
  ["17th", null],
  [null, null],
])("the record that %j names is %j", (text, seq) => {
  expect(seqOf(text)).toBe(seq);
});
