// The first lines of a text for a card. Pure: how wide a character is comes from outside.

/** Of a long text no more than this is looked at. */
const LOOKED_AT = 800;
const ELLIPSIS = "…";

// Controls, marks that turn the direction of writing, and what has no width: shown as a box, never obeyed.
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
const MARKS = /^ {0,3}(?:#{1,6} |> |[-*+] )|\*\*|__|`/gm;

/** The text as one run of words, without the marks of its layout. */
export function plain(text: string): string {
  return text.slice(0, LOOKED_AT).replace(MARKS, "").replace(/\s+/g, " ").replace(UNSEEN, "▯").trim();
}

/** How wide one character is: a code unit, or both of a pair. */
export type Advance = (character: string) => number;

/** At most `most` lines no wider than `width`; the last ends with an ellipsis when there is more. */
export function wrapped(text: string, width: number, most: number, advance: Advance): string[] {
  const lines: string[] = [];
  let at = 0;
  while (at < text.length && lines.length < most) {
    if (lines.length === most - 1) {
      lines.push(cut(text.slice(at), width, advance));
      break;
    }
    const end = lineEnd(text, at, width, advance);
    lines.push(text.slice(at, end).trimEnd());
    at = end;
    while (text[at] === " ") at++;
  }
  return lines;
}

/** A text that is too wide, shortened to end with an ellipsis. */
export function cut(text: string, width: number, advance: Advance): string {
  const room = width - advance(ELLIPSIS);
  let used = 0;
  let fits = 0;
  for (let at = 0; at < text.length; ) {
    const next = at + unitsAt(text, at);
    used += advance(text.slice(at, next));
    if (used <= room) fits = next;
    if (used > width) return text.slice(0, fits).trimEnd() + ELLIPSIS;
    at = next;
  }
  return text;
}

/** Where a line that begins at `from` ends: behind its last whole word, or in a word that is too long for any line. */
function lineEnd(text: string, from: number, width: number, advance: Advance): number {
  let used = 0;
  let afterWord = -1;
  for (let at = from; at < text.length; ) {
    const next = at + unitsAt(text, at);
    const character = text.slice(at, next);
    if (character === " ") afterWord = at;
    used += advance(character);
    if (used > width && character !== " ") return afterWord > from ? afterWord : Math.max(at, from + unitsAt(text, from));
    if (character === "-" || character === "/") afterWord = next;
    at = next;
  }
  return text.length;
}

function unitsAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xd800 && code < 0xdc00 && at + 1 < text.length ? 2 : 1;
}
