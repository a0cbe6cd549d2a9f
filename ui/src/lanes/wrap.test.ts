import { describe, expect, test } from "vitest";
import { cut, plain, wrapped } from "./wrap";

const even = (character: string) => (character === "" ? 0 : 10);

describe("a card's text", () => {
  test("breaks between words", () => {
    expect(wrapped("the slow pages all come", 90, 3, even)).toEqual(["the slow", "pages all", "come"]);
  });

  test("ends with an ellipsis when there is more", () => {
    expect(wrapped("one two three four", 80, 2, even)).toEqual(["one two", "three f…"]);
    expect(cut("abcdef", 40, even)).toBe("abc…");
    expect(cut("abcd", 40, even)).toBe("abcd");
  });

  test("breaks a word that is longer than a line, and never half of a character", () => {
    expect(wrapped("abcdefghij", 40, 9, even)).toEqual(["abcd", "efgh", "ij"]);
    expect(wrapped("😀😀😀😀", 20, 9, even)).toEqual(["😀😀", "😀😀"]);
  });

  test("comes to an end where no character fits", () => {
    expect(wrapped("abc", 5, 3, even).length).toBeLessThanOrEqual(3);
  });

  test("has no marks of Markdown", () => {
    expect(plain("## Plan\n\n- **build** the `index`\n> then watch")).toBe("Plan build the index then watch");
  });

  test("shows controls instead of obeying them", () => {
    expect(plain("a\u001b[31mb\u202ec\u200bd")).toBe("a▯[31mb▯c▯d");
  });

  test("is made from the beginning of a long text alone", () => {
    expect(plain("x".repeat(1_000_000)).length).toBe(800);
  });
});
