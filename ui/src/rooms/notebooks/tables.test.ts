import { describe, expect, it } from "vitest";
import { isNumber, MOST_COLUMNS, MOST_ROWS, type Part, partsOf, type Table, withoutEntities } from "./tables";

const PANDAS = `<div>
<style scoped>
    .dataframe tbody tr th { vertical-align: top; }
    .dataframe thead th { text-align: right; }
</style>
<table border="1" class="dataframe">
  <thead>
    <tr style="text-align: right;"><th></th><th>median</th><th>p95</th></tr>
  </thead>
  <tbody>
    <tr><th>database</th><td>2900</td><td>4100</td></tr>
    <tr><th>R&amp;D &lt;b&gt;</th><td>NaN</td><td>-1.5e-03</td></tr>
  </tbody>
</table>
<p>2 rows × 2 columns</p>
</div>`;

function tablesIn(html: string): Table[] {
  return (partsOf(html) ?? []).flatMap((part: Part) => (part.type === "table" ? [part.table] : []));
}

const texts = (rows: Table["body"]): string[][] => rows.map((row) => row.map((cell) => cell.text));

describe("a table that a program shows as HTML", () => {
  it("is read as rows of text, with what stands around it and without its styles", () => {
    expect(partsOf(PANDAS)?.map((part) => part.type)).toEqual(["table", "text"]);
    const [table] = tablesIn(PANDAS);
    expect(texts(table?.head ?? [])).toEqual([["", "median", "p95"]]);
    expect(texts(table?.body ?? [])).toEqual([["database", "2900", "4100"], ["R&D <b>", "NaN", "-1.5e-03"]]);
    expect(table?.body[0]?.map((cell) => cell.isHead)).toEqual([true, false, false]);
    expect(partsOf(PANDAS)?.at(-1)).toEqual({ type: "text", text: "2 rows × 2 columns" });
  });

  it("keeps how far cells reach, within bounds, and no other attribute", () => {
    const [table] = tablesIn(`<table><tr><th rowspan="2" valign=top onclick="x">a</th><th colspan='3'>b</th><td colspan=99999>c</td></tr></table>`);
    expect(table?.body.concat(table.head).flat()).toEqual([
      { text: "a", isHead: true, columns: 1, rows: 2 },
      { text: "b", isHead: true, columns: 3, rows: 1 },
      { text: "c", isHead: false, columns: 100, rows: 1 },
    ]);
  });

  it("has markup in its cells as the text of it", () => {
    const html = `<table><tr><td><a href="javascript:x">go</a><br>on</td><td><img src=x onerror=x>seen</td><td a="x>y">z</td><td>1 < 2</td></tr></table>`;
    expect(texts(tablesIn(html)[0]?.body ?? [])).toEqual([["go\non", "seen", "z", "1 < 2"]]);
  });

  it.each(["script", "style", "template", "svg", "iframe", "TEXTAREA"])("has nothing of what stands in <%s>", (name) => {
    const html = `<table><tr><td>a<${name}>unread<td>x</td></${name}>b</td></tr></table>`;
    expect(texts(tablesIn(html)[0]?.body ?? [])).toEqual([["ab"]]);
  });

  it("has a table within it as text", () => {
    const html = "<table><tr><td>a<table><tr><td>b</td><td>c</td></tr></table></td><td>d</td></tr></table>";
    expect(texts(tablesIn(html)[0]?.body ?? [])).toEqual([["a b c", "d"]]);
  });

  it("needs no end tags", () => {
    expect(texts(tablesIn("<table><tr><td>a<td>b<tr><td>c</table>")[0]?.body ?? [])).toEqual([["a", "b"], ["c"]]);
  });

  it.each(["<table><tr><td>a", "<table><tr><td>a</td></tr><tr><td", "<table><tr><td>a</td></tr><style>never ends"])("without its end says that it is cut: %s", (html) => {
    const [table] = tablesIn(html);
    expect(texts(table?.body ?? [])[0]).toEqual(["a"]);
    expect(table?.isCut).toBe(true);
  });

  it("is shown up to a number of rows and columns", () => {
    const [long] = tablesIn(`<table>${"<tr><td>a</td></tr>".repeat(MOST_ROWS + 5)}</table>`);
    expect([long?.body.length, long?.isCut]).toEqual([MOST_ROWS, true]);
    const [wide] = tablesIn(`<table><tr>${"<td>a</td>".repeat(MOST_COLUMNS + 5)}</tr></table>`);
    expect([wide?.body[0]?.length, wide?.isCut]).toEqual([MOST_COLUMNS, true]);
  });

  it.each(["", "plain", "<p>no table</p>", "<table></table>", "<!-- <table><tr><td>a</td></tr></table> -->", "<table", "<script><table><tr><td>a</script>"])(
    "is not there: %s",
    (html) => expect(partsOf(html)).toBeNull(),
  );

  it.each(["<", "<a ", '<a "', "<table>", "<!--", "</", "&#", "<td>", "<style>", "<tr><td colspan="])("is read in one go, however often it is begun: %s", (piece) => {
    expect(() => partsOf(`<table>${piece.repeat(100_000 / piece.length)}`)).not.toThrow();
  });
});

it.each([
  ["&lt;b&gt; &AMP; &nbsp;&#65;&#x42;", "<b> &  AB"],
  ["&unknown; &constructor; &#0; &#xd800; &#x110000;", "&unknown; &constructor; &#0; &#xd800; &#x110000;"],
])("entities in %j are %j", (text, read) => expect(withoutEntities(text)).toBe(read));

it.each([
  ["2900", true],
  ["-1.5e-03", true],
  ["1,234.5 %", true],
  ["NaN", true],
  ["", false],
  ["12 ms", false],
  ["a1", false],
])("%j is a number: %j", (text, is) => expect(isNumber(text)).toBe(is));
