import type { Citation, CellVerdict, NotebookCell, NotebookEvent, NotebookRead, NotebookRun, RecordShown } from "../../api/types";
import { seqOf } from "../../state/route";

const STREAMS = "notebooks/";

export const isOfNotebooks = (shown: RecordShown): boolean => shown.stream.startsWith(STREAMS);

export const isOfNotebook = (shown: RecordShown, id: string): boolean => shown.stream === `${STREAMS}${id}`;

/** Records that only tell how far a run is: what they say stands in themselves. */
export const isTidings = (shown: RecordShown): boolean => shown.record.data.topic === "notebook.told";

const text = (data: Readonly<Record<string, unknown>>, name: string): string => {
  const value = data[name];
  return typeof value === "string" ? value : "";
};

/** A notebook as it stands behind another record: what can be said of it before it is read anew. */
export function applied(notebook: NotebookRead, shown: RecordShown): NotebookRead {
  if (shown.seq <= notebook.seq || !isOfNotebook(shown, notebook.id)) return notebook;
  const { record } = shown;
  const data = record.data as Readonly<Record<string, unknown>>;
  const change = (of: (cell: NotebookCell) => boolean, to: (cell: NotebookCell) => NotebookCell): NotebookRead => ({
    ...notebook,
    seq: shown.seq,
    cells: notebook.cells.map((cell) => (of(cell) ? to(cell) : cell)),
  });
  const isNamed = (cell: NotebookCell): boolean => cell.id === text(data, "cellId");
  const runs = (id: string) => (cell: NotebookCell): boolean => cell.run?.runId === id;
  switch (data.topic) {
    case "notebook.run":
      return change(isNamed, (cell) => ({ ...cell, status: "running", run: begun(notebook.id, cell.id, shown) }));
    case "notebook.told":
      return change(runs(text(data, "runId")), (cell) => (cell.run === undefined ? cell : { ...cell, run: { ...cell.run, tail: record.body.text } }));
    case "notebook.ended": {
      const isWell = data.outcome === "completed";
      return change(runs(text(record.attrs as Readonly<Record<string, unknown>>, "callId")), (cell) => ({ ...cell, status: isWell ? "completed" : "failed" }));
    }
    case "notebook.cell":
      return data.change === "updated" ? change(isNamed, (cell) => edited(cell, shown)) : notebook;
    default:
      return notebook;
  }
}

function begun(notebookId: string, cellId: string, shown: RecordShown): NotebookRun {
  const { id, record } = shown;
  return { runId: id, notebookId, cellId, begunAt: record.ts, agent: record.agent, tail: "", pieces: [] };
}

/** A cell that was changed has nothing that belongs to it any more, neither of a run nor of the file that it came from. */
function edited(cell: NotebookCell, { id, record }: RecordShown): NotebookCell {
  const data = record.data as Readonly<Record<string, unknown>>;
  const { run: _, brought: __, ...rest } = cell;
  const named = text(data, "filename");
  return {
    ...rest,
    ...(cell.status === undefined ? {} : { status: "idle" }),
    ...(named === "" ? {} : { filename: named }),
    ...(typeof data.text === "string" ? { text: data.text, recordId: id, changedAt: record.ts, changedBy: record.agent } : {}),
  };
}

/** What the state of a cell is called. */
export function stateOf(cell: NotebookCell): { word: string; tone: "idle" | "running" | "well" | "failed" } | null {
  switch (cell.status) {
    case undefined:
      return null;
    case "idle":
      return { word: "not run", tone: "idle" };
    case "running":
      return { word: "running", tone: "running" };
    case "completed":
      return { word: "completed", tone: "well" };
    case "failed":
      return { word: cell.run?.outcome ?? "failed", tone: "failed" };
  }
}

export interface Replay {
  id: string;
  at: string;
  agent: string;
  same: boolean;
  verdicts: CellVerdict[];
}

/** Replays in a history, the newest first. */
export function replaysIn(events: readonly NotebookEvent[]): Replay[] {
  return events
    .filter((event) => event.what === "replayed")
    .map(({ id, at, agent, same, cells }) => ({ id, at, agent, same: same ?? false, verdicts: cells ?? [] }));
}

/** What the newest replay has found of a cell; null where the cell was changed or run since. */
export function verdictOn(cell: NotebookCell, replay: Replay | undefined): CellVerdict | null {
  const verdict = replay?.verdicts.find((one) => one.cellId === cell.id);
  if (replay === undefined || verdict === undefined) return null;
  const last = seqOf(cell.run?.endedId ?? cell.run?.runId ?? cell.recordId) ?? 0;
  return last < (seqOf(replay.id) ?? 0) ? verdict : null;
}

export const citationsOf = (citations: readonly Citation[], runId: string | undefined): Citation[] =>
  citations.filter((citation) => citation.runId === runId);

/** A run in the history of a cell: its beginning and its end are one. */
export interface PastRun {
  runId: string;
  at: string;
  agent: string;
  /** null while it goes on. */
  outcome: NonNullable<NotebookEvent["outcome"]> | null;
  durationMs: number | null;
}

export function runsIn(events: readonly NotebookEvent[]): PastRun[] {
  const runs = new Map<string, PastRun>();
  for (const { what, runId, at, agent, outcome, durationMs } of events) {
    if (runId === undefined || !(what === "run begun" || what === "run ended")) continue;
    const known = runs.get(runId);
    if (what === "run ended") runs.set(runId, { runId, at, agent, outcome: outcome ?? "failed", durationMs: durationMs ?? null });
    else if (known === undefined) runs.set(runId, { runId, at, agent, outcome: null, durationMs: null });
    else known.at = at;
  }
  return [...runs.values()];
}
