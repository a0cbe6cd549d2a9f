import { describe, expect, test } from "vitest";
import { toSvg } from "./export";
import { PALETTE, range, tableOf } from "./fixtures";
import { escaped } from "./svg";

const forked = tableOf(
  [
    { branch: "main", seqs: range(1, 9) },
    { branch: "<alt>", fork: 3, seqs: range(10, 12) },
  ],
  [[9, 5, "revises"]],
);

describe("a drawing to take away", () => {
  test("holds every card with its text, escaped", () => {
    const svg = toSvg(forked, { palette: PALETTE, title: "A & B", textOf: (seq) => `text ${seq}. <script>alert("1")</script>` });
    for (const seq of range(1, 12)) expect(svg).toContain(`>text ${seq}.`);
    expect(svg).toContain("&lt;script&gt;");
    expect(svg).toContain("<title>A &amp; B</title>");
    expect(svg).toContain("&lt;alt&gt;");
    expect(svg).not.toContain("<script");
  });

  test("shows nothing that came after the point in time, and says so", () => {
    const svg = toSvg(forked, { palette: PALETTE, title: "T", asOf: 9, textOf: (seq) => `text ${seq}.` });
    expect(svg).toContain("text 9.");
    expect(svg).not.toContain("text 10.");
    expect(svg).toContain("T, as of #9");
  });

  test("is well formed: each group that opens is closed", () => {
    const svg = toSvg(forked, { palette: PALETTE });
    expect(svg.match(/<g[ >]/g)!.length).toBe(svg.match(/<\/g>/g)!.length);
    expect(svg).not.toMatch(/NaN|undefined|Infinity/);
  });

  test("of very many records is a histogram of bounded size", () => {
    const many = tableOf([{ branch: "main", seqs: range(1, 60_000) }]);
    const svg = toSvg(many, { palette: PALETTE, textOf: () => "text" });
    expect(svg.length).toBeLessThan(300_000);
    expect(Number(/width="(\d+)"/.exec(svg)![1])).toBeLessThanOrEqual(8100);
  });

  test("has no character that XML cannot hold", () => {
    expect(escaped("a\u0000b\u000bc\ud800d\uffffe😀")).toBe("a\ufffdb\ufffdc\ufffdd\ufffde😀");
  });

  test("of an empty table is a title", () => {
    expect(toSvg(tableOf([]), { palette: PALETTE, title: "Nothing yet" })).toContain("Nothing yet");
  });
});
