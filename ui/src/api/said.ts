// A line of cipher begins with its number, its marker and what it refers to: `S4|E|S3|EXPLAIN shows …`. People see these as a
// number, a kind and relations; what is left is what was said.

const HEAD = /^S[0-9]{1,9}\|[A-Z]{1,2}\|/;
const REFERENCE = "[\\^+×⊕⊖→←∵]?\\[?(?:[a-z0-9-]{1,64}:)?S[0-9]{1,9}\\]?";
const REFERENCES = new RegExp(`^[ \\t]*${REFERENCE}(?:[, \\t]{1,4}${REFERENCE}){0,50}[ \\t]*\\|`);

/** The head of a line of cipher: its number, its marker and what it refers to; none of a text that is no such line. */
export function cipherHead(text: string): string | undefined {
  const words = said(text);
  return words === text ? undefined : text.slice(0, text.length - words.length).replace(/\|\s*$/, "");
}

/** What a thought says, without the head of its line of cipher. */
export function said(text: string): string {
  const head = HEAD.exec(text);
  if (head === null) return text;
  const rest = text.slice(head[0].length);
  const words = rest.replace(REFERENCES, "").trimStart();
  return words === "" ? text : words;
}
