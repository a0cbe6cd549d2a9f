import type { Alignment } from "./tree";

// What one line may begin. Every pattern is tied to the line's beginning and has one way to match, so that a long line
// costs no more than its length.

export const isBlank = (line: string): boolean => /^\s*$/.test(line);

/** Spaces before the first character; a tab reaches to the next multiple of four. */
export function indentOf(line: string): number {
  let columns = 0;
  for (const character of line) {
    if (character === " ") columns += 1;
    else if (character === "\t") columns += 4 - (columns % 4);
    else break;
  }
  return columns;
}

/** The line without its first columns of white space. */
export function outdented(line: string, columns: number): string {
  let taken = 0;
  let at = 0;
  while (taken < columns && (line[at] === " " || line[at] === "\t")) {
    taken += line[at] === "\t" ? 4 - (taken % 4) : 1;
    at += 1;
  }
  return " ".repeat(Math.max(0, taken - columns)) + line.slice(at);
}

export function headingOf(line: string): { level: number; text: string } | null {
  const mark = /^ {0,3}(#{1,6})(?=[ \t]|$)/.exec(line);
  if (mark === null) return null;
  let text = line.slice(mark[0].length).trim();
  const closing = /#+$/.exec(text.slice(-100));
  if (closing !== null) {
    const kept = text.slice(0, text.length - closing[0].length);
    if (kept === "" || /[ \t]$/.test(kept)) text = kept.trim();
  }
  return { level: (mark[1] as string).length, text };
}

export interface Fence {
  mark: string;
  indent: number;
  language: string;
}

export function fenceOf(line: string): Fence | null {
  const found = /^( {0,3})(`{3,}|~{3,})([^\n]*)$/.exec(line);
  if (found === null) return null;
  const [, indent = "", mark = "", info = ""] = found;
  // Backticks behind backticks are code within a line.
  if (mark.startsWith("`") && info.includes("`")) return null;
  return { mark, indent: indent.length, language: /\S{0,40}/.exec(info.trim())?.[0] ?? "" };
}

export function closesFence(line: string, fence: Fence): boolean {
  if (indentOf(line) > 3) return false;
  const text = line.trim();
  return text.length >= fence.mark.length && text === (fence.mark[0] as string).repeat(text.length);
}

export function isRule(line: string): boolean {
  if (indentOf(line) > 3) return false;
  const marks = line.replaceAll(/[ \t]/g, "");
  return marks.length >= 3 && /^(?:\*+|-+|_+)$/.test(marks);
}

export const isQuote = (line: string): boolean => /^ {0,3}>/.test(line);

export const unquoted = (line: string): string => line.replace(/^ {0,3}> ?/, "");

export interface Marker {
  /** What makes the next item one of the same list: the bullet, or what stands behind the number. */
  sort: string;
  start: number | null;
  /** The column where the item's text begins. */
  content: number;
  text: string;
}

export function markerOf(line: string): Marker | null {
  const found = /^( {0,3})(?:([-+*])|(\d{1,9})([.)]))(?=[ \t]|$)/.exec(line);
  if (found === null) return null;
  const [mark, , bullet, number, behind] = found;
  const rest = line.slice(mark.length);
  const gap = indentOf(rest);
  // Five columns and more are one, and code behind it.
  const content = mark.length + (isBlank(rest) || gap > 4 ? 1 : gap);
  return {
    sort: bullet ?? behind ?? "",
    start: number === undefined ? null : Number(number),
    content,
    text: outdented(rest, content - mark.length),
  };
}

/** A line under another that makes it a heading, or null. */
export function underlineOf(line: string): 1 | 2 | null {
  if (!/^ {0,3}[=-]/.test(line)) return null;
  const marks = line.trim();
  if (/^=+$/.test(marks)) return 1;
  return /^-+$/.test(marks) ? 2 : null;
}

const MOST_COLUMNS = 64;

export function cellsOf(line: string): string[] {
  const cells: string[] = [];
  const row = line.trim();
  let cell = "";
  let from = row.startsWith("|") ? 1 : 0;
  for (let at = from; at < row.length; at += 1) {
    if (row[at] === "\\" && row[at + 1] === "|") {
      cell += `${row.slice(from, at)}|`;
      from = at + 2;
      at += 1;
    } else if (row[at] === "|") {
      cells.push((cell + row.slice(from, at)).trim());
      cell = "";
      from = at + 1;
      if (cells.length >= MOST_COLUMNS) return cells;
    }
  }
  if (from < row.length || cell !== "") cells.push((cell + row.slice(from)).trim());
  return cells;
}

/** The line between a table's head and its rows. */
export function alignmentsOf(line: string): Alignment[] | null {
  if (!/^[\s|:-]*$/.test(line) || !line.includes("-")) return null;
  const cells = cellsOf(line);
  if (cells.length >= MOST_COLUMNS || !cells.every((cell) => /^:?-+:?$/.test(cell))) return null;
  return cells.map((cell) => {
    if (cell.endsWith(":")) return cell.startsWith(":") ? "center" : "right";
    return cell.startsWith(":") ? "left" : null;
  });
}
