// Characters that steer a terminal or a text's direction, or that cannot be seen, are shown by their code: what stands in
// the ledger must not look like something else.

export interface Control {
  code: string;
  name: string;
  /** How often it stands here in a row. */
  times: number;
}

const NAMES: Readonly<Record<number, string>> = {
  0x00: "null",
  0x07: "bell",
  0x08: "backspace",
  0x0d: "carriage return",
  0x1b: "escape",
  0x7f: "delete",
  0xad: "soft hyphen",
  0x200b: "zero width space",
  0x200c: "zero width non-joiner",
  0x200d: "zero width joiner",
  0x200e: "left-to-right mark",
  0x200f: "right-to-left mark",
  0x2028: "line separator",
  0x2029: "paragraph separator",
  0x202a: "left-to-right embedding",
  0x202b: "right-to-left embedding",
  0x202c: "pop directional formatting",
  0x202d: "left-to-right override",
  0x202e: "right-to-left override",
  0x2060: "word joiner",
  0x2066: "left-to-right isolate",
  0x2067: "right-to-left isolate",
  0x2068: "first strong isolate",
  0x2069: "pop directional isolate",
  0xfeff: "byte order mark",
};

function nameOf(point: number): string {
  const name = NAMES[point];
  if (name !== undefined) return name;
  if (point < 0x20 || (point >= 0x80 && point < 0xa0)) return "control character";
  if (point >= 0xe0000 && point < 0xe0080) return "tag character";
  if (point >= 0xe0100 && point < 0xe01f0) return "variation selector";
  return "invisible character";
}

/** Tab and line feed are layout. A joiner between pictures is part of one picture. */
const HIDDEN =
  /(?:(?<!\p{Extended_Pictographic}[\uFE0F\u{1F3FB}-\u{1F3FF}]?)\u200D|\u200D(?!\p{Extended_Pictographic})|[\0-\x08\x0B-\x1F\x7F-\x9F\xAD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180E\u200B\u200C\u200E\u200F\u2028-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF9-\uFFFB\u{1D173}-\u{1D17A}\u{E0000}-\u{E01EF}]|[\uD800-\uDFFF])/gu;

/** A text cut at its controls, in order. */
export function withControlsShown(text: string): (string | Control)[] {
  const parts: (string | Control)[] = [];
  let from = 0;
  for (const match of text.matchAll(HIDDEN)) {
    const point = match[0].codePointAt(0) as number;
    const code = `U+${point.toString(16).toUpperCase().padStart(4, "0")}`;
    const last = parts.at(-1);
    if (match.index > from) {
      parts.push(text.slice(from, match.index), { code, name: nameOf(point), times: 1 });
    } else if (typeof last === "object" && last.code === code) {
      last.times += 1;
    } else {
      parts.push({ code, name: nameOf(point), times: 1 });
    }
    from = match.index + match[0].length;
  }
  if (from < text.length) parts.push(text.slice(from));
  return parts;
}
