const SCHEME = /^(?:https?:\/\/|mailto:)/i;
const LONGEST = 2048;
/** Spaces, controls and what browsers cut out of addresses: none of it belongs into one that is meant honestly. */
const UNFIT = /[\s\p{Cc}\p{Cf}<>"\\^`{|}]/u;

/** The address as it will be opened, or null for anything but the web and mail. */
export function safeHref(address: string): string | null {
  if (address.length > LONGEST || !SCHEME.test(address) || UNFIT.test(address)) return null;
  try {
    const url = new URL(address);
    return ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

interface Found {
  href: string;
  end: number;
}

/**
 * What stands in the parentheses behind `[text]`, read from behind the opening one. Nothing but addresses that may be
 * links is read, and never beyond the beginning of another link, so that reading a whole text stays linear.
 */
export function destinationAt(text: string, from: number): Found | null {
  const isBracketed = text[from] === "<";
  const start = isBracketed ? from + 1 : from;
  if (!SCHEME.test(text.slice(start, start + 8))) return null;
  const limit = Math.min(text.length, start + LONGEST);
  let depth = 0;
  let end = start;
  for (; end < limit; end += 1) {
    const character = text[end] as string;
    if (character === "]" && text[end + 1] === "(") return null;
    if (isBracketed ? character === ">" : character === " " || character === "\n") break;
    if (isBracketed) continue;
    if (character === "(") depth += 1;
    else if (character === ")" && depth-- === 0) break;
  }
  const href = safeHref(text.slice(start, end));
  if (href === null) return null;
  let rest = isBracketed ? end + 1 : end;
  if (text[rest] === " ") {
    // A title says nothing that the address does not say better; it is passed over.
    const title = /^ +(?:"[^"\]\n]{0,300}"|'[^'\]\n]{0,300}')? *(?=\))/.exec(text.slice(rest, rest + 320));
    if (title === null) return null;
    rest += title[0].length;
  }
  return text[rest] === ")" ? { href, end: rest + 1 } : null;
}

/** What stands in the text by itself like an address: to where it was read, and whether it holds. */
export function bareAddressAt(text: string, from: number): { href: string | null; end: number } | null {
  if (!SCHEME.test(text.slice(from, from + 8))) return null;
  let end = from;
  const limit = Math.min(text.length, from + LONGEST);
  while (end < limit && !/[\s<>"`*\]]/.test(text[end] as string)) end += 1;
  // What ends a sentence or a parenthesis around it does not belong to it.
  while (end > from && /[.,:;!?')_~]/.test(text[end - 1] as string)) {
    if (text[end - 1] === ")" && text.slice(from, end - 1).includes("(")) break;
    end -= 1;
  }
  return { href: safeHref(text.slice(from, end)), end };
}
