// Tables that programs show as HTML, such as those of pandas. The HTML itself is never given to the browser: it is read here, and what
// comes of it is rows of text. Of all attributes only how far a cell reaches is looked at.

export interface TableCell {
  text: string;
  isHead: boolean;
  /** Columns and rows that it reaches over. */
  columns: number;
  rows: number;
}

export interface Table {
  head: TableCell[][];
  body: TableCell[][];
  /** Rows or columns that are not shown, or an end that did not come. */
  isCut: boolean;
}

export type Part = { type: "table"; table: Table } | { type: "text"; text: string };

export const MOST_ROWS = 200;
export const MOST_COLUMNS = 40;
const MOST_SPAN = 100;

/** Elements whose content is not text. */
const UNREAD = new Set(["style", "script", "template", "title", "textarea", "noscript", "iframe", "object", "svg", "math", "head"]);
/** Elements that begin on a line of their own. */
const APART = new Set(["br", "p", "div", "li", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "blockquote", "hr"]);
const NAMED: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'", nbsp: " ", hellip: "…", times: "×", minus: "−" };

interface Tag {
  name: string;
  isEnd: boolean;
  attributes: string;
  /** Where it ends. */
  end: number;
}

/** What an HTML text has to say, as tables and the text around them; null where there is no table in it. */
export function partsOf(html: string): Part[] | null {
  const reader = new Reader();
  const lower = html.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf("<", at);
    if (open < 0) {
      reader.text(html.slice(at));
      break;
    }
    reader.text(html.slice(at, open));
    if (!/[a-z/!?]/.test(lower.charAt(open + 1))) {
      reader.text("<");
      at = open + 1;
      continue;
    }
    const tag = lower.startsWith("<!--", open) ? commentAt(html, open) : tagAt(lower, open);
    if (tag === null) break;
    at = tag.end;
    if (!tag.isEnd && UNREAD.has(tag.name)) {
      const end = lower.indexOf(`</${tag.name}`, at);
      if (end < 0) break;
      at = end;
    } else {
      reader.tag(tag);
    }
  }
  return reader.parts();
}

function commentAt(html: string, at: number): Tag | null {
  const end = html.indexOf("-->", at + 2);
  return end < 0 ? null : { name: "", isEnd: false, attributes: "", end: end + 3 };
}

/** The tag that begins here; null where it has no end. A `>` between quotes does not end it. */
function tagAt(html: string, at: number): Tag | null {
  let quote = "";
  for (let place = at + 1; place < html.length; place++) {
    const letter = html.charAt(place);
    if (quote !== "") {
      if (letter === quote) quote = "";
    } else if ((letter === '"' || letter === "'") && /[=\s]/.test(html.charAt(place - 1))) {
      quote = letter;
    } else if (letter === ">") {
      const inside = html.slice(at + 1, place);
      const name = /^\/?([a-z][a-z0-9]*)/.exec(inside)?.[1] ?? "";
      return { name, isEnd: inside.startsWith("/"), attributes: inside.slice(name.length), end: place + 1 };
    }
  }
  return null;
}

function span(attributes: string, name: string): number {
  const digits = new RegExp(`(?:^|\\s)${name}\\s*=\\s*["']?(\\d{1,4})`).exec(attributes)?.[1];
  return Math.min(Math.max(Number(digits ?? 1), 1), MOST_SPAN);
}

export function withoutEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi, (written, decimal?: string, hexadecimal?: string, name?: string) => {
    if (name !== undefined) return Object.hasOwn(NAMED, name.toLowerCase()) ? (NAMED[name.toLowerCase()] ?? written) : written;
    const point = decimal === undefined ? parseInt(hexadecimal ?? "", 16) : Number(decimal);
    return point > 0 && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff) ? String.fromCodePoint(point) : written;
  });
}

function tidy(text: string): string {
  return text
    .split("\n")
    .map((line) => line.replace(/\s+/g, " ").trim())
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

/** Puts together what tags and texts come to. */
class Reader {
  private readonly found: Part[] = [];
  private outside = "";
  private depth = 0;
  private table: Table | null = null;
  private row: TableCell[] | null = null;
  private cell: TableCell | null = null;
  private isInHead = false;

  text(text: string): void {
    const words = withoutEntities(text.replace(/\s+/g, " "));
    if (this.cell !== null) this.cell.text += words;
    else if (this.depth === 0) this.outside += words;
  }

  tag({ name, isEnd, attributes }: Tag): void {
    if (name === "table") this.nest(isEnd);
    else if (this.depth === 1 && /^(?:thead|tbody|tfoot)$/.test(name)) this.section(name, isEnd);
    else if (this.depth === 1 && name === "tr") this.line(isEnd);
    else if (this.depth === 1 && (name === "td" || name === "th")) this.field(isEnd, name === "th", attributes);
    else if (APART.has(name) && (name === "br" || isEnd)) this.lineBreak();
    else if (this.depth > 1 && (name === "td" || name === "th" || name === "tr")) this.text(" ");
  }

  parts(): Part[] | null {
    if (this.table !== null) {
      this.table.isCut = true;
      this.close();
    }
    this.leave();
    return this.found.some((part) => part.type === "table") ? this.found : null;
  }

  private nest(isEnd: boolean): void {
    this.depth = Math.max(0, this.depth + (isEnd ? -1 : 1));
    if (!isEnd && this.depth === 1) {
      this.leave();
      this.table = { head: [], body: [], isCut: false };
    } else if (isEnd && this.depth === 0) {
      this.close();
    }
  }

  private close(): void {
    this.line(true);
    const { table } = this;
    if (table !== null && table.head.length + table.body.length > 0) this.found.push({ type: "table", table });
    this.table = null;
    this.isInHead = false;
  }

  private leave(): void {
    const text = tidy(this.outside);
    if (text !== "") this.found.push({ type: "text", text });
    this.outside = "";
  }

  private section(name: string, isEnd: boolean): void {
    this.line(true);
    this.isInHead = name === "thead" && !isEnd;
  }

  private line(isEnd: boolean): void {
    this.field(true, false, "");
    const { table, row } = this;
    if (table !== null && row !== null && row.length > 0) {
      const isHead = this.isInHead || (table.head.length + table.body.length === 0 && row.every((cell) => cell.isHead));
      if (table.head.length + table.body.length >= MOST_ROWS) table.isCut = true;
      else (isHead ? table.head : table.body).push(row);
    }
    this.row = isEnd ? null : [];
  }

  private field(isEnd: boolean, isHead: boolean, attributes: string): void {
    if (this.cell !== null) {
      this.cell.text = tidy(this.cell.text);
      this.cell = null;
    }
    if (isEnd || this.table === null) return;
    this.row ??= [];
    this.cell = { text: "", isHead, columns: span(attributes, "colspan"), rows: span(attributes, "rowspan") };
    if (this.row.length < MOST_COLUMNS) this.row.push(this.cell);
    else this.table.isCut = true;
  }

  private lineBreak(): void {
    if (this.cell !== null) this.cell.text += "\n";
    else if (this.depth === 0) this.outside += "\n";
  }
}

/** Whether a cell holds a number, which stands to the right. */
export function isNumber(text: string): boolean {
  return /^[-−+]?[\d,.\s]*\d[\d,.]*(?:e[-+]?\d+)?\s*%?$/i.test(text) || /^(?:nan|inf|-inf|none|null)$/i.test(text);
}
