import { describe, expect, it } from "vitest";
import { cipherHead, said } from "./said";

describe("what a thought says", () => {
  it.each([
    ["S1|O|Pages take 4 s", "Pages take 4 s"],
    ["S4|E|S3|EXPLAIN shows a scan", "EXPLAIN shows a scan"],
    ["S7|C|S5,S6|∴ Rebuild the index", "∴ Rebuild the index"],
    ["S7|C|[S5] ⊕[pool:S6]|Rebuild", "Rebuild"],
    ["S9|H|Either a|b", "Either a|b"],
  ])("is %s without the head of its line: %s", (line, words) => expect(said(line)).toBe(words));

  it.each(["Plain words", "S1 is a thought", "A|B|C", "S3|X|", "", "S1|O|S2|"])("is all of %j", (text) =>
    expect(said(text)).toBe(text),
  );

  it("leaves the head of the line to be shown by itself", () => {
    expect(cipherHead("S4|E|S3|EXPLAIN shows a scan")).toBe("S4|E|S3");
    expect(cipherHead("S1|O|Pages take 4 s")).toBe("S1|O");
    expect(cipherHead("Plain words")).toBeUndefined();
  });

  it("is found in no time in a long line of references", () => {
    const line = `S1|C|${"S1,".repeat(100_000)}`;
    expect(said(line)).toBe(line.slice("S1|C|".length));
  });
});
