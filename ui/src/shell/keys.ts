import { LANE_KEYS } from "../lanes/input";
import type { Observatory } from "../state/observatory.svelte";
import { type View, viewsOf } from "../state/route";

export const GROUPS = ["Find", "Look", "Time", "Page", "Graph", "Table"] as const;
export type Group = (typeof GROUPS)[number];

/** What a key does. The dialog that `?` opens is this list. */
export interface Key {
  keys: readonly string[];
  does: string;
  group: Group;
  /** Missing where the graph, the table or a dialog sees to it by itself. */
  press?: (observatory: Observatory, page: PageActions) => void;
}

export interface PageActions {
  openKeys(): void;
  openExport(): void;
}

function show(view: View): Key["press"] {
  return ({ router, route }) => {
    if (viewsOf(route.session).includes(view)) router.push({ view, pane: "main" });
  };
}

function stepRecord(observatory: Observatory, by: 1 | -1): void {
  const { scope, route, clock } = observatory;
  const table = scope?.table;
  if (table === undefined || table.size === 0) return;
  const last = clock.row();
  const here = route.selected === null ? -1 : table.rowOf(route.selected);
  const row = here < 0 ? (by > 0 ? 0 : last) : here + by;
  if (row >= 0 && row <= last) observatory.select(table.seqAt(row));
}

export const KEYS: readonly Key[] = [
  { keys: ["/"], does: "Search", group: "Find", press: () => document.getElementById("search")?.focus() },
  { keys: ["n"], does: "Next hit", group: "Find", press: (observatory) => observatory.stepHit(1) },
  { keys: ["N"], does: "Previous hit", group: "Find", press: (observatory) => observatory.stepHit(-1) },
  { keys: ["j"], does: "Next record", group: "Find", press: (observatory) => stepRecord(observatory, 1) },
  { keys: ["k"], does: "Previous record", group: "Find", press: (observatory) => stepRecord(observatory, -1) },
  { keys: ["a"], does: "All records", group: "Look", press: ({ router }) => router.push({ session: null, lane: null, camera: null, pane: "main" }) },
  { keys: ["g"], does: "Graph", group: "Look", press: show("graph") },
  { keys: ["t"], does: "Table", group: "Look", press: show("table") },
  { keys: ["d"], does: "Diff of two branches", group: "Look", press: show("diff") },
  { keys: ["r"], does: "Trail: why an action was taken", group: "Look", press: show("trail") },
  { keys: ["b"], does: "Board", group: "Look", press: show("board") },
  { keys: ["m"], does: "Memory", group: "Look", press: show("memory") },
  { keys: ["o"], does: "Notebooks", group: "Look", press: show("notebooks") },
  { keys: ["p"], does: "Play, pause", group: "Time", press: ({ clock }) => clock.toggle() },
  { keys: ["["], does: "One record back in time", group: "Time", press: ({ clock }) => clock.step(-1) },
  { keys: ["]"], does: "One record on in time", group: "Time", press: ({ clock }) => clock.step(1) },
  { keys: ["l"], does: "Live", group: "Time", press: ({ clock }) => clock.goLive() },
  { keys: ["v"], does: "Verify the hashes", group: "Page", press: ({ opened }) => void opened?.proof.verify() },
  { keys: ["e"], does: "Export", group: "Page", press: (_, page) => page.openExport() },
  { keys: ["?"], does: "These keys", group: "Page", press: (_, page) => page.openKeys() },
  { keys: ["Esc"], does: "Close what is open", group: "Page" },
  ...LANE_KEYS.map(({ keys, does }): Key => ({ keys: keys.split(/, | (?=[→↓−])/), does, group: "Graph" })),
  { keys: ["↑", "↓"], does: "Row above, row below", group: "Table" },
  { keys: ["Home", "End"], does: "First and last row", group: "Table" },
  { keys: ["Enter"], does: "Open the row", group: "Table" },
];

const BY_KEY = new Map(KEYS.filter((key) => key.press).flatMap((key) => key.keys.map((name) => [name, key] as const)));

function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return target.type !== "range";
  return target instanceof HTMLElement && (target.isContentEditable || /^(SELECT|TEXTAREA)$/.test(target.tagName));
}

export function pressKey(event: KeyboardEvent, observatory: Observatory, page: PageActions): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  if (document.querySelector("dialog[open]") !== null) return;
  if (event.key === "Escape") {
    if (observatory.route.selected !== null) observatory.select(null);
    return;
  }
  const key = BY_KEY.get(event.key);
  if (key?.press === undefined) return;
  event.preventDefault();
  key.press(observatory, page);
}
