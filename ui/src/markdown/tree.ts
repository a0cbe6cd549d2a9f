// What Markdown is read into. Text in it is text: it is only ever shown in text nodes.

export type Inline =
  | { type: "text"; text: string }
  | { type: "code"; text: string }
  | { type: "break" }
  | { type: "emphasis" | "strong"; children: Inline[] }
  | { type: "link"; href: string; children: Inline[] }
  /** Never loaded: its place is taken by what it is said to show. `href` is null where it must not be a link. */
  | { type: "image"; href: string | null; alt: string };

export interface ListItem {
  /** null: not something to tick off. */
  isDone: boolean | null;
  blocks: Block[];
}

export type Alignment = "left" | "center" | "right" | null;

export type Block =
  | { type: "heading"; level: number; children: Inline[] }
  | { type: "paragraph"; children: Inline[] }
  | { type: "code"; language: string; text: string }
  | { type: "quote"; blocks: Block[] }
  | { type: "list"; start: number | null; items: ListItem[] }
  | { type: "table"; alignments: Alignment[]; head: Inline[][]; rows: Inline[][][] }
  | { type: "rule" };

/** Quotes in lists in quotes, emphasis in emphasis: what is nested deeper is shown as it was written. */
export const DEEPEST = 20;
