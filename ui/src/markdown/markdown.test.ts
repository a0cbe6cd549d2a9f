import { describe, expect, it } from "vitest";
import { blocksOf } from "./blocks";
import { withControlsShown } from "./controls";
import { inlineOf } from "./inline";
import { safeHref } from "./links";
import { DEEPEST, type Block, type Inline } from "./tree";

const text = (words: string): Inline => ({ type: "text", text: words });
const emphasis = (...children: Inline[]): Inline => ({ type: "emphasis", children });
const strong = (...children: Inline[]): Inline => ({ type: "strong", children });
const link = (href: string, ...children: Inline[]): Inline => ({ type: "link", href, children });
const paragraph = (...children: Inline[]): Block => ({ type: "paragraph", children });

describe("inline", () => {
  it.each<[string, Inline[]]>([
    ["plain words", [text("plain words")]],
    ["*a* and **b**", [emphasis(text("a")), text(" and "), strong(text("b"))]],
    ["***both***", [emphasis(strong(text("both")))]],
    ["**a *b* c**", [strong(text("a "), emphasis(text("b")), text(" c"))]],
    ["2 * 3 * 4", [text("2 * 3 * 4")]],
    ["snake_case_name", [text("snake_case_name")]],
    ["_word_", [emphasis(text("word"))]],
    ["*open", [text("*open")]],
    ["**a*", [text("*"), emphasis(text("a"))]],
    ["\\*not\\*", [text("*not*")]],
    ["`a*b*`", [{ type: "code", text: "a*b*" }]],
    ["`` a`b ``", [{ type: "code", text: "a`b" }]],
    ["`open", [text("`open")]],
    ["one\ntwo", [text("one"), { type: "break" }, text("two")]],
    ["<b>bold</b> & &lt;", [text("<b>bold</b> & &lt;")]],
  ])("%j", (source, tree) => {
    expect(inlineOf(source)).toEqual(tree);
  });
});

describe("links", () => {
  it.each<[string, Inline[]]>([
    ["[a](https://e.org/x)", [link("https://e.org/x", text("a"))]],
    ["[a](<https://e.org/x> \"t\")", [link("https://e.org/x", text("a"))]],
    ["[a](https://e.org/(x) 't')", [link("https://e.org/(x)", text("a"))]],
    ["[*a*](https://e.org)", [link("https://e.org/", emphasis(text("a")))]],
    ["*[a*](https://e.org)", [text("*"), link("https://e.org/", text("a*"))]],
    ["see https://e.org/a_b.", [text("see "), link("https://e.org/a_b", text("https://e.org/a_b")), text(".")]],
    ["(https://e.org/a)", [text("("), link("https://e.org/a", text("https://e.org/a")), text(")")]],
    ["<mailto:a@e.org>", [link("mailto:a@e.org", text("mailto:a@e.org"))]],
    ["[https://a.org](https://b.org)", [link("https://b.org/", text("https://a.org"))]],
    ["[a [b](https://b.org)](https://a.org)", [text("[a "), link("https://b.org/", text("b")), text("]("), link("https://a.org/", text("https://a.org")), text(")")]],
    ["![alt *x*](https://e.org/i.png)", [{ type: "image", href: "https://e.org/i.png", alt: "alt x" }]],
    ["[![i](https://e.org/i)](https://e.org)", [link("https://e.org/", { type: "image", href: null, alt: "i" })]],
  ])("%j", (source, tree) => {
    expect(inlineOf(source)).toEqual(tree);
  });

  it.each([
    "[a](javascript:alert(1))",
    "[a](JaVaScRiPt:alert(1))",
    "[a](java\nscript:alert(1))",
    "[a]( javascript:alert(1))",
    "[a](&#106;avascript:alert(1))",
    "[a](data:text/html,<script>alert(1)</script>)",
    "[a](vbscript:x)",
    "[a](file:///etc/passwd)",
    "[a](blob:null/1)",
    "[a](//e.org)",
    "[a](/api/export)",
    "[a](#/w/x)",
    "[a](\\\\e.org\\x)",
    "![a](javascript:alert(1))",
    "![a](data:image/svg+xml;base64,PHN2Zz4=)",
    "<javascript:alert(1)>",
    "[a]: javascript:alert(1)\n\n[a]",
    "<a href=\"javascript:alert(1)\">x</a>",
    "<img src=x onerror=alert(1)>",
  ])("%j is text", (source) => {
    expect(kindsOf(blocksOf(source))).not.toContain("link");
    expect(kindsOf(blocksOf(source))).not.toContain("image");
  });

  it("have no address that a browser reads differently", () => {
    for (const address of ["https://e.org/\u202Egpj.exe", "https://e.org\t.evil", "http://", "https://e.org/<x>", "https:e.org"]) {
      expect(safeHref(address)).toBeNull();
    }
    expect(safeHref("https://аpple.com/")).toBe("https://xn--pple-43d.com/");
  });
});

describe("blocks", () => {
  it.each<[string, Block[]]>([
    ["# One\n\ntext", [{ type: "heading", level: 1, children: [text("One")] }, paragraph(text("text"))]],
    ["Two\n---", [{ type: "heading", level: 2, children: [text("Two")] }]],
    ["#not a heading", [paragraph(text("#not a heading"))]],
    ["a\n\n***\n\nb", [paragraph(text("a")), { type: "rule" }, paragraph(text("b"))]],
    ["```ts\nlet a;\n  b\n```\nafter", [{ type: "code", language: "ts", text: "let a;\n  b" }, paragraph(text("after"))]],
    ["```\nopen", [{ type: "code", language: "", text: "open" }]],
    ["    code\n\n    more\nafter", [{ type: "code", language: "", text: "code\n\nmore" }, paragraph(text("after"))]],
    ["> a\nlazy\n>\n> b", [{ type: "quote", blocks: [paragraph(text("a"), { type: "break" }, text("lazy")), paragraph(text("b"))] }]],
    ["", []],
    [" \n\t\n", []],
  ])("%j", (source, tree) => {
    expect(blocksOf(source)).toEqual(tree);
  });

  it("are lists, also in lists", () => {
    expect(blocksOf("- a\n- b\n  1. c\n  2. d\n\n  e\n\n3) f")).toEqual([
      {
        type: "list",
        start: null,
        items: [
          { isDone: null, blocks: [paragraph(text("a"))] },
          {
            isDone: null,
            blocks: [
              paragraph(text("b")),
              {
                type: "list",
                start: 1,
                items: [
                  { isDone: null, blocks: [paragraph(text("c"))] },
                  { isDone: null, blocks: [paragraph(text("d"))] },
                ],
              },
              paragraph(text("e")),
            ],
          },
        ],
      },
      { type: "list", start: 3, items: [{ isDone: null, blocks: [paragraph(text("f"))] }] },
    ]);
  });

  it("are lists to tick off", () => {
    const [list] = blocksOf("- [x] done\n- [ ] open");
    expect(list).toMatchObject({ items: [{ isDone: true }, { isDone: false }] });
  });

  it("are tables", () => {
    expect(blocksOf("| a | b |\n|:--|--:|\n| *1* | 2\\|3 |\n| 4 |\nafter")).toEqual([
      {
        type: "table",
        alignments: ["left", "right"],
        head: [[text("a")], [text("b")]],
        rows: [[[emphasis(text("1"))], [text("2|3")]], [[text("4")]]],
      },
      paragraph(text("after")),
    ]);
  });
});

describe("controls", () => {
  it("are shown by their code", () => {
    expect(withControlsShown("a\x1b[31mred\u202Eevil")).toEqual([
      "a",
      { code: "U+001B", name: "escape", times: 1 },
      "[31mred",
      { code: "U+202E", name: "right-to-left override", times: 1 },
      "evil",
    ]);
  });

  it("are counted when they stand in a row", () => {
    expect(withControlsShown("\u200B".repeat(500) + "\uFEFF")).toEqual([
      { code: "U+200B", name: "zero width space", times: 500 },
      { code: "U+FEFF", name: "byte order mark", times: 1 },
    ]);
  });

  it.each([
    0x00, 0x08, 0x0d, 0x1b, 0x7f, 0x9b, 0xad, 0x61c, 0x200b, 0x200c, 0x200e, 0x200f, 0x2028, 0x202a, 0x202b, 0x202c, 0x202d,
    0x202e, 0x2060, 0x2066, 0x2067, 0x2068, 0x2069, 0xfeff, 0xe0041, 0xe0101,
  ])("%i is one", (point) => {
    expect(withControlsShown(`a${String.fromCodePoint(point)}b`)).toHaveLength(3);
  });

  it("are not what writing needs", () => {
    for (const words of ["tab\tand\nline", "naïve", "שלום", "👩‍👩‍👧", "👩🏽‍🚀", "❤️", "日本語"]) {
      expect(withControlsShown(words)).toEqual([words]);
    }
  });

  it("include half a surrogate pair", () => {
    expect(withControlsShown("a\uD800b")).toHaveLength(3);
  });
});

describe("hostile input", () => {
  /** So long that anything but linear time would not end before the test is given up. */
  const filled = (part: string): string => part.repeat(Math.ceil(300_000 / part.length));

  it.each([
    "[", "]", "![", "[](", "](", "[a](http://", "[](http://x)", "![](http://x) [a](http://x) ", "*", "**a", "*a_", "_a*", "a**b", "`", "`a``",
    "``` ", "> ", ">", "- ", "1. ", "* ", "- a\n", "  - a\n", "#", "# ", "|", "|-", "|a|b|\n|-|-|\n", "http://%", "http://{", "<http://",
    "http://x)", "\\", "\n", " \n", "\t", "    \n", "```\n", "~~~", "a\n", "a\n=\n", "\u202E", "\0", "<b>", "***a***", "[[a](http://x)",
    "![a", "a  \n", ">\n", "- \n\n", "((((", "http://x((((", "[a](http://x 'b", "*[", "_*_`",
  ])("nothing but %j is read to the end", (part) => {
    const source = filled(part);
    const tree = blocksOf(source);
    expect(depthOf(tree)).toBeLessThanOrEqual(4 * DEEPEST);
    withControlsShown(source);
  });

  it.each([
    ["quotes", filled("> ")],
    ["lists", Array.from({ length: 1000 }, (_, i) => `${"  ".repeat(i)}- a`).join("\n")],
    ["emphasis", `${"*a ".repeat(3000)}${"b* ".repeat(3000)}`],
    ["strong", `${"*".repeat(500_000)}a${"*".repeat(500_000)}`],
    ["images", `${"![".repeat(50_000)}a${"](http://x)".repeat(50_000)}`],
    ["image marks before links", `${"![".repeat(200_000)}${"[a](http://x)".repeat(40_000)}`],
  ])("%s are nested only so deep, and no word is lost", (_, source) => {
    const tree = blocksOf(source);
    expect(depthOf(tree)).toBeLessThanOrEqual(2 * DEEPEST + 4);
    expect(JSON.stringify(tree)).toContain(source.includes("a") ? "a" : ">");
  });
});

type Node = Block | Inline;

function childrenOf(node: Node): Node[] {
  switch (node.type) {
    case "quote":
      return node.blocks;
    case "list":
      return node.items.flatMap((item) => item.blocks);
    case "table":
      return [...node.head, ...node.rows.flat()].flat();
    default:
      return "children" in node ? node.children : [];
  }
}

function depthOf(nodes: Node[]): number {
  let depth = 0;
  for (let level = nodes; level.length > 0; level = level.flatMap(childrenOf)) depth += 1;
  return depth;
}

function kindsOf(nodes: Node[]): string[] {
  return nodes.flatMap((node) => [node.type, ...kindsOf(childrenOf(node))]);
}
