import { pair, runAt, type Run } from "./emphasis";
import { bareAddressAt, destinationAt } from "./links";
import { DEEPEST, type Inline } from "./tree";

interface Opening {
  type: "opening";
  isImage: boolean;
  href: string | null;
}

type Token = { type: "inline"; inline: Inline } | { type: "text"; text: string } | Run | Opening | { type: "closing" };

/** Where the next run of so many backticks is: each place is passed once. */
class Backticks {
  private readonly places = new Map<number, number[]>();

  constructor(text: string) {
    for (const match of text.matchAll(/`+/g)) {
      const places = this.places.get(match[0].length) ?? [];
      places.push(match.index);
      this.places.set(match[0].length, places);
    }
    for (const places of this.places.values()) places.reverse();
  }

  after(from: number, length: number): number | null {
    const places = this.places.get(length) ?? [];
    while (places.length > 0 && (places.at(-1) as number) < from) places.pop();
    return places.at(-1) ?? null;
  }
}

const PLAIN = /[^\\`*_[\]!<\nhHmM]+/y;
const ESCAPABLE = /[!-/:-@[-`{-~]/;

/** Read one paragraph's text. */
export function inlineOf(text: string): Inline[] {
  return treeOf(tokensOf(text));
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  const backticks = new Backticks(text);
  /** Openings that may still be a link, with the number of runs before each. */
  const openings: { token: Opening; runs: number }[] = [];
  /** A link holds no link, so openings before one are none, except of images. */
  let barred = 0;
  /** Up to here no address begins: one that did not hold has been read so far. */
  let noAddressBefore = 0;
  const runs: Run[] = [];
  const say = (plain: string): void => {
    const last = tokens.at(-1);
    if (last?.type === "text") last.text += plain;
    else tokens.push({ type: "text", text: plain });
  };
  let at = 0;
  while (at < text.length) {
    PLAIN.lastIndex = at;
    const plain = PLAIN.exec(text);
    if (plain !== null) {
      say(plain[0]);
      at = PLAIN.lastIndex;
      continue;
    }
    const character = text[at] as string;
    if (character === "\\" && ESCAPABLE.test(text[at + 1] ?? "")) {
      say(text[at + 1] as string);
      at += 2;
    } else if (character === "\n" || (character === "\\" && text[at + 1] === "\n")) {
      tokens.push({ type: "inline", inline: { type: "break" } });
      at += character === "\n" ? 1 : 2;
    } else if (character === "`") {
      let end = at;
      while (text[end] === "`") end += 1;
      const close = backticks.after(end, end - at);
      if (close === null) {
        say(text.slice(at, end));
        at = end;
      } else {
        tokens.push({ type: "inline", inline: { type: "code", text: trimmedCode(text.slice(end, close)) } });
        at = close + end - at;
      }
    } else if (character === "*" || character === "_") {
      const run = runAt(text, at);
      runs.push(run);
      tokens.push(run);
      at += run.length;
    } else if (character === "[" || (character === "!" && text[at + 1] === "[")) {
      const token: Opening = { type: "opening", isImage: character === "!", href: null };
      openings.push({ token, runs: runs.length });
      tokens.push(token);
      at += token.isImage ? 2 : 1;
    } else if (character === "]") {
      const opening = openings.pop();
      const isBarred = openings.length < barred && opening?.token.isImage === false;
      barred = Math.min(barred, openings.length);
      const found = opening && !isBarred && text[at + 1] === "(" ? destinationAt(text, at + 2) : null;
      if (opening === undefined || found === null) {
        say("]");
        at += 1;
        continue;
      }
      opening.token.href = found.href;
      pair(runs.splice(opening.runs));
      tokens.push({ type: "closing" });
      if (!opening.token.isImage) barred = openings.length;
      at = found.end;
    } else {
      const isBracketed = character === "<";
      const start = isBracketed ? at + 1 : at;
      const isWordStart = at === 0 || isBracketed || !/[\p{L}\p{N}]/u.test(text[at - 1] as string);
      const found = isWordStart && start >= noAddressBefore ? bareAddressAt(text, start) : null;
      if (found !== null) noAddressBefore = found.end;
      if (found === null || found.href === null || (isBracketed && text[found.end] !== ">")) {
        say(character);
        at += 1;
        continue;
      }
      const shown = text.slice(start, found.end);
      const children: Inline[] = [{ type: "text", text: shown }];
      tokens.push({ type: "inline", inline: { type: "link", href: found.href, children } });
      at = isBracketed ? found.end + 1 : found.end;
    }
  }
  pair(runs);
  return tokens;
}

/** One space on either side lets code begin or end with a backtick. */
function trimmedCode(text: string): string {
  const line = text.replaceAll("\n", " ");
  return line.startsWith(" ") && line.endsWith(" ") && line.trim() !== "" ? line.slice(1, -1) : line;
}

interface Place {
  children: Inline[];
  /** What the place becomes when it is closed. */
  close: () => void;
  isLink: boolean;
}

function treeOf(tokens: readonly Token[]): Inline[] {
  const root: Inline[] = [];
  const places: Place[] = [];
  const inside = (): Inline[] => places.at(-1)?.children ?? root;
  const say = (text: string): void => {
    const last = inside().at(-1);
    if (last?.type === "text") last.text += text;
    else if (text !== "") inside().push({ type: "text", text });
  };
  const close = (): void => places.pop()?.close();
  const open = (inline: Inline & { children: Inline[] }, mark: string): void => {
    if (places.length >= DEEPEST) {
      say(mark);
      places.push({ children: inside(), close: () => say(mark), isLink: isInLink() });
    } else {
      inside().push(inline);
      places.push({ children: inline.children, close: () => {}, isLink: isInLink() || inline.type === "link" });
    }
  };
  const isInLink = (): boolean => places.at(-1)?.isLink ?? false;

  for (const token of tokens) {
    switch (token.type) {
      case "text":
        say(token.text);
        break;
      case "inline":
        // An address that stands by itself within a link is part of the link's text.
        if (token.inline.type === "link" && isInLink()) say(textOf(token.inline.children));
        else inside().push(token.inline);
        break;
      case "run":
        for (const _ of token.closes) close();
        say(token.character.repeat(token.left));
        for (const strength of token.opens.toReversed()) {
          open({ type: strength === 2 ? "strong" : "emphasis", children: [] }, token.character.repeat(strength));
        }
        break;
      case "opening":
        openBracket(token);
        break;
      case "closing":
        close();
    }
  }
  return root;

  function openBracket({ isImage, href }: Opening): void {
    if (href === null) return say(isImage ? "![" : "[");
    if (!isImage) return open({ type: "link", href, children: [] }, "");
    const target = inside();
    const isWithinLink = isInLink();
    const children: Inline[] = [];
    const finish = (): void => {
      target.push({ type: "image", href: isWithinLink ? null : href, alt: textOf(children) });
    };
    places.push({ children, close: finish, isLink: true });
  }
}

/** The words alone. */
function textOf(inlines: readonly Inline[]): string {
  let text = "";
  for (const inline of inlines) {
    if (inline.type === "text" || inline.type === "code") text += inline.text;
    else if (inline.type === "image") text += inline.alt;
    else if (inline.type === "break") text += " ";
    else text += textOf(inline.children);
  }
  return text;
}
