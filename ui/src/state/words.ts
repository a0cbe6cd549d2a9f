import type { Kind, Session } from "../api/types";
import { withControlsShown } from "../markdown/controls";

/** Stored text in one line of the page: what steers or cannot be seen is named, so that what one reads is what stands there. */
export function plain(text: string): string {
  return withControlsShown(text)
    .map((part) => (typeof part === "string" ? part : `⟨${part.code}${part.times > 1 ? `×${part.times}` : ""}⟩`))
    .join("");
}

export function kindWord(kind: Kind): string {
  return kind.replaceAll("_", " ");
}

export function relationWord(type: string): string {
  return type.replaceAll("_", " ");
}

/** The same relation, seen from the record that it points to. */
export function inverseRelationWord(type: string): string {
  const words: Record<string, string> = {
    supports: "supported by",
    contradicts: "contradicted by",
    revises: "revised by",
    derived_from: "led to",
    answers: "answered by",
    blocks: "blocked by",
    refines: "refined by",
    relates_to: "related to",
  };
  return words[type] ?? relationWord(type);
}

export function titleOf(session: Pick<Session, "id" | "title">): string {
  return plain(session.title?.trim() ?? "") || `Session ${plain(session.id.slice(0, 8))}`;
}

export function counted(count: number, one: string, many: string = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

const CLOCK = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const DAY_AND_CLOCK = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
const FULL = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "long" });

/** The clock today, and the day before it otherwise. */
export function shortTime(ms: number): string {
  const isToday = new Date(ms).toDateString() === new Date().toDateString();
  return (isToday ? CLOCK : DAY_AND_CLOCK).format(ms);
}

export function fullTime(ms: number): string {
  return FULL.format(ms);
}

/** How long ago, as short as a list has room for: "now", "4m", "3h", "5d". */
export function ago(then: number, now: number): string {
  const minutes = Math.floor((now - then) / 60_000);
  if (minutes < 1) return "now";
  if (minutes < 60) return `${minutes}m`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)}h`;
  return `${Math.floor(minutes / 1_440)}d`;
}
