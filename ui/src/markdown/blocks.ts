import { inlineOf } from "./inline";
import {
  alignmentsOf,
  cellsOf,
  closesFence,
  fenceOf,
  headingOf,
  indentOf,
  isBlank,
  isQuote,
  isRule,
  markerOf,
  outdented,
  underlineOf,
  unquoted,
  type Marker,
} from "./lines";
import { DEEPEST, type Block, type ListItem } from "./tree";

/** Read Markdown: a subset of CommonMark with tables. HTML has no meaning in it, so it is text. */
export function blocksOf(text: string): Block[] {
  return new Lines(text.replaceAll(/\r\n?/g, "\n").split("\n"), 0).read();
}

class Lines {
  private readonly lines: readonly string[];
  private readonly depth: number;
  private readonly blocks: Block[] = [];
  private at = 0;

  constructor(lines: readonly string[], depth: number) {
    this.lines = lines;
    this.depth = depth;
  }

  read(): Block[] {
    while (this.at < this.lines.length) {
      const line = this.line();
      if (isBlank(line)) this.at += 1;
      else this.blocks.push(this.indentedCode() ?? this.marked(line) ?? this.table() ?? this.paragraph());
    }
    return this.blocks;
  }

  private line(ahead = 0): string {
    return this.lines[this.at + ahead] ?? "";
  }

  /** What a line's own marks begin, at once or for the lines that follow. */
  private marked(line: string): Block | null {
    const heading = headingOf(line);
    if (heading !== null) {
      this.at += 1;
      return { type: "heading", level: heading.level, children: inlineOf(heading.text) };
    }
    if (isRule(line)) {
      this.at += 1;
      return { type: "rule" };
    }
    const fenced = this.fencedCode(line);
    if (fenced !== null) return fenced;
    if (this.depth >= DEEPEST) return null;
    if (isQuote(line)) return this.quote();
    const marker = markerOf(line);
    return marker === null ? null : this.list(marker);
  }

  private fencedCode(line: string): Block | null {
    const fence = fenceOf(line);
    if (fence === null) return null;
    const inside: string[] = [];
    for (this.at += 1; this.at < this.lines.length && !closesFence(this.line(), fence); this.at += 1) {
      inside.push(outdented(this.line(), fence.indent));
    }
    this.at += 1;
    return { type: "code", language: fence.language, text: inside.join("\n") };
  }

  private indentedCode(): Block | null {
    if (indentOf(this.line()) < 4) return null;
    const inside: string[] = [];
    while (this.at < this.lines.length && (indentOf(this.line()) >= 4 || isBlank(this.line()))) {
      inside.push(outdented(this.line(), 4));
      this.at += 1;
    }
    while (isBlank(inside.at(-1) as string)) inside.pop();
    return { type: "code", language: "", text: inside.join("\n") };
  }

  private quote(): Block {
    const inside: string[] = [];
    while (this.at < this.lines.length && (isQuote(this.line()) || this.isLazy(inside))) {
      inside.push(unquoted(this.line()));
      this.at += 1;
    }
    return { type: "quote", blocks: new Lines(inside, this.depth + 1).read() };
  }

  private list(first: Marker): Block {
    const items: ListItem[] = [];
    for (let marker: Marker | null = first; marker?.sort === first.sort; marker = this.nextMarker()) {
      items.push(this.item(marker));
    }
    return { type: "list", start: first.start, items };
  }

  private nextMarker(): Marker | null {
    let blank = 0;
    while (this.at + blank < this.lines.length && isBlank(this.line(blank))) blank += 1;
    const marker = isRule(this.line(blank)) ? null : markerOf(this.line(blank));
    if (marker !== null) this.at += blank;
    return marker;
  }

  private item(marker: Marker): ListItem {
    const inside = [marker.text];
    for (this.at += 1; this.at < this.lines.length; this.at += 1) {
      const line = this.line();
      const belongs = isBlank(line) ? this.goesOnBehindBlank(marker) : indentOf(line) >= marker.content || this.isLazy(inside);
      if (!belongs) break;
      inside.push(outdented(line, marker.content));
    }
    const tick = /^\[([ xX])\] /.exec(marker.text);
    if (tick !== null) inside[0] = marker.text.slice(tick[0].length);
    return { isDone: tick && tick[1] !== " ", blocks: new Lines(inside, this.depth + 1).read() };
  }

  /** Blank lines belong to an item when what comes behind them is indented like its text. */
  private goesOnBehindBlank(marker: Marker): boolean {
    if (this.blankTo <= this.at) {
      this.blankTo = this.at;
      while (this.blankTo < this.lines.length && isBlank(this.lines[this.blankTo] as string)) this.blankTo += 1;
    }
    return this.blankTo < this.lines.length && indentOf(this.lines[this.blankTo] as string) >= marker.content;
  }

  /** Where the blank lines end that were last looked at. */
  private blankTo = 0;

  /** A paragraph in a quote or an item goes on in a line without its mark. */
  private isLazy(inside: readonly string[]): boolean {
    const last = inside.at(-1);
    if (last === undefined || isBlank(last) || !isProse(last)) return false;
    return markerOf(this.line()) === null && !this.interrupts();
  }

  /** Whether this line ends a paragraph before it. */
  private interrupts(): boolean {
    const line = this.line();
    if (isBlank(line) || headingOf(line) !== null || isRule(line) || fenceOf(line) !== null || isQuote(line)) return true;
    const marker = markerOf(line);
    return marker !== null && marker.text.trim() !== "" && (marker.start === null || marker.start === 1);
  }

  private table(): Block | null {
    if (!this.line().includes("|")) return null;
    const alignments = alignmentsOf(this.line(1));
    const head = alignments === null ? [] : cellsOf(this.line());
    if (alignments === null || head.length !== alignments.length) return null;
    const rows: string[][] = [];
    for (this.at += 2; this.line().includes("|") && !isBlank(this.line()); this.at += 1) {
      rows.push(cellsOf(this.line()).slice(0, head.length));
    }
    return {
      type: "table",
      alignments,
      head: head.map(inlineOf),
      rows: rows.map((row) => row.map(inlineOf)),
    };
  }

  private paragraph(): Block {
    const inside = [this.line().trim()];
    for (this.at += 1; this.at < this.lines.length; this.at += 1) {
      const level = underlineOf(this.line());
      if (level !== null) {
        this.at += 1;
        return { type: "heading", level, children: inlineOf(inside.join("\n")) };
      }
      if (this.interrupts()) break;
      inside.push(this.line().trim());
    }
    return { type: "paragraph", children: inlineOf(inside.join("\n")) };
  }
}

/** Whether a line can be a paragraph's; code and headings do not go on in the next line. */
function isProse(line: string): boolean {
  return indentOf(line) < 4 && headingOf(line) === null && fenceOf(line) === null && !isRule(line);
}
