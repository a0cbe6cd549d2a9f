import type { Form, NotebookRun, Piece } from "../../api/types";
import { type Part, partsOf } from "./tables";

/** How something that a run has shown is shown here: the best form that does nothing. */
export type Best =
  | { as: "picture"; form: Form }
  | { as: "parts"; form: Form; parts: Part[] }
  | { as: "markdown" | "text"; form: Form }
  /** It can only be fetched. */
  | { as: "file"; form: Form }
  | null;

/** What an `img` shows; scripts of an SVG do not run in one, and it loads nothing. */
const PICTURES = ["image/png", "image/jpeg", "image/webp", "image/gif", "image/svg+xml"];
const TEXTS = ["text/plain", "application/json", "text/latex", "text/html"];

export function bestOf(piece: Pick<Piece, "forms">): Best {
  const formOf = (mime: string): Form | undefined => piece.forms.find((form) => form.mime === mime);
  const picture = PICTURES.map(formOf).find((form) => form !== undefined);
  if (picture !== undefined) return { as: "picture", form: picture };
  const html = formOf("text/html");
  const parts = html?.text === undefined ? null : partsOf(html.text);
  if (html !== undefined && parts !== null) return { as: "parts", form: html, parts };
  const markdown = formOf("text/markdown");
  if (markdown?.text !== undefined) return { as: "markdown", form: markdown };
  const text = TEXTS.map(formOf).find((form) => form?.text !== undefined);
  if (text !== undefined) return { as: "text", form: text };
  const [first] = piece.forms;
  return first === undefined ? null : { as: "file", form: first };
}

// Colours and weights of a terminal: they say nothing. Everything else that steers one is shown by its code.
const COLOURS = /\u001b\[[0-9;:]*m/g;

/** What a program has printed as a terminal leaves it standing: without colours, lines that were written over as they were last. */
export function printed(text: string): string {
  if (!/[\r\u001b]/.test(text)) return text;
  return text
    .replace(COLOURS, "")
    .replaceAll("\r\n", "\n")
    .split("\n")
    .map((line) => line.slice(line.lastIndexOf("\r", line.length - 2) + 1).replace(/\r$/, ""))
    .join("\n");
}

/** Why a run has failed, where nothing that it has shown says it. */
export function errorBeside(run: NotebookRun): string | null {
  if (run.error === undefined || run.pieces.some((piece) => piece.kind === "error")) return null;
  const said = run.pieces.filter((piece) => piece.name === "stderr").map((piece) => piece.forms[0]?.text ?? "");
  return said.some((text) => text.trimEnd().endsWith(run.error?.trim() ?? "")) ? null : run.error;
}

export function sizeWords(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(bytes < 10_000 ? 1 : 0)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

export function lengthWords(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
}
