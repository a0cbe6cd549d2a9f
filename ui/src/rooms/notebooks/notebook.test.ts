import { describe, expect, it } from "vitest";
import type { NotebookCell, NotebookEvent, NotebookRead, NotebookRun, Piece, RecordShown } from "../../api/types";
import { applied, isTidings, replaysIn, runsIn, stateOf, verdictOn } from "./notebook";
import { bestOf, errorBeside, lengthWords, printed, sizeWords } from "./outputs";

const CELL: NotebookCell = { id: "c1", type: "code", text: "old", recordId: "th:2", changedAt: "", changedBy: "mia", language: "python", filename: "a.py", status: "idle" };
const NOTEBOOK: NotebookRead = {
  id: "n1",
  name: "Trial",
  language: "python",
  trusted: false,
  createdAt: 0,
  updatedAt: 0,
  count: 2,
  cells: [CELL, { ...CELL, id: "c2", filename: "b.py" }],
  nextCursor: null,
  seq: 5,
};

function record(seq: number, topic: string, data: object = {}, more: object = {}, stream = "notebooks/n1"): RecordShown {
  const envelope = { id: `th:${seq}`, ts: "2026-01-01T00:00:00.000Z", agent: "mia", body: { text: "" }, attrs: {}, ...more, data: { topic, ...data } };
  return { seq, id: `th:${seq}`, stream, record: envelope } as unknown as RecordShown;
}

const cellOf = (notebook: NotebookRead, id = "c1"): NotebookCell | undefined => notebook.cells.find((cell) => cell.id === id);

describe("a notebook while one looks", () => {
  const begun = applied(NOTEBOOK, record(6, "notebook.run", { cellId: "c1" }));

  it("has a cell that runs from the record of its beginning on", () => {
    expect(cellOf(begun)?.status).toBe("running");
    expect(cellOf(begun)?.run).toMatchObject({ runId: "th:6", tail: "", agent: "mia" });
    expect(cellOf(begun, "c2")?.status).toBe("idle");
  });

  it("shows what was printed so far, of the run that is meant", () => {
    const told = applied(begun, record(7, "notebook.told", { runId: "th:6" }, { body: { text: "10 %" } }));
    expect(cellOf(told)?.run?.tail).toBe("10 %");
    const other = applied(told, record(8, "notebook.told", { runId: "th:1" }, { body: { text: "of another" } }));
    expect(cellOf(other)?.run?.tail).toBe("10 %");
    expect(isTidings(record(7, "notebook.told"))).toBe(true);
  });

  it("says at once how a run has ended", () => {
    const ended = (outcome: string): NotebookRead => applied(begun, record(8, "notebook.ended", { outcome }, { attrs: { callId: "th:6" } }));
    expect(cellOf(ended("completed"))?.status).toBe("completed");
    expect(cellOf(ended("timeout"))?.status).toBe("failed");
  });

  it("has the new text of a cell that was changed, and no run of the old one", () => {
    const edited = applied(begun, record(9, "notebook.cell", { cellId: "c1", change: "updated", text: "new", filename: "c.py" }));
    expect(cellOf(edited)).toMatchObject({ text: "new", filename: "c.py", status: "idle", recordId: "th:9" });
    expect(cellOf(edited)?.run).toBeUndefined();
  });

  it("takes nothing from records that it knows, or that are of others", () => {
    expect(applied(NOTEBOOK, record(5, "notebook.run", { cellId: "c1" }))).toBe(NOTEBOOK);
    expect(applied(NOTEBOOK, record(6, "notebook.run", { cellId: "c1" }, {}, "notebooks/n2"))).toBe(NOTEBOOK);
    expect(applied(NOTEBOOK, record(6, "notebook.cited"))).toBe(NOTEBOOK);
    expect(applied(NOTEBOOK, record(6, "notebook.run", { cellId: ["c1"] })).cells).toEqual(NOTEBOOK.cells);
  });
});

it("a cell's state is said in a word, of a failed one how it failed", () => {
  expect(stateOf(CELL)?.word).toBe("not run");
  const run = { runId: "th:1", notebookId: "n1", cellId: "c1", begunAt: "", agent: "", pieces: [], outcome: "timeout" } as NotebookRun;
  expect(stateOf({ ...CELL, status: "failed", run })).toEqual({ word: "timeout", tone: "failed" });
});

describe("a history", () => {
  const event = (id: string, what: string, more: Partial<NotebookEvent> = {}): NotebookEvent => ({ id, what, at: id, agent: "mia", ...more });
  const events = [
    event("th:9", "replayed", { same: false, cells: [{ cellId: "c1", filename: "a.py", same: true }] }),
    event("th:8", "run begun", { runId: "th:8" }),
    event("th:5", "run ended", { runId: "th:3", outcome: "timeout", durationMs: 12 }),
    event("th:4", "interrupt asked for", { runId: "th:3" }),
    event("th:3", "run begun", { runId: "th:3" }),
  ];

  it("has each run once, with when it began and how it ended", () => {
    expect(runsIn(events)).toEqual([
      { runId: "th:8", at: "th:8", agent: "mia", outcome: null, durationMs: null },
      { runId: "th:3", at: "th:3", agent: "mia", outcome: "timeout", durationMs: 12 },
    ]);
  });

  it("has a verdict on a cell until that is changed or run again", () => {
    const [replay] = replaysIn(events);
    expect(verdictOn(CELL, replay)?.same).toBe(true);
    expect(verdictOn({ ...CELL, recordId: "th:12" }, replay)).toBeNull();
    expect(verdictOn({ ...CELL, id: "c9" }, replay)).toBeNull();
    expect(verdictOn(CELL, undefined)).toBeNull();
  });
});

describe("what a run has shown", () => {
  const piece = (...forms: [string, string?][]): Piece => ({
    kind: "result",
    name: "",
    forms: forms.map(([mime, text]) => ({ mime, sha256: mime, ...(text === undefined ? {} : { text }) })),
  });

  it.each([
    ["a picture, of whichever form there is", piece(["text/plain", "<Figure>"], ["image/png"]), "picture", "image/png"],
    ["an SVG, as a picture", piece(["image/svg+xml"], ["text/plain", "x"]), "picture", "image/svg+xml"],
    ["a table", piece(["text/html", "<table><tr><td>1</td></tr></table>"], ["text/plain", "1"]), "parts", "text/html"],
    ["other HTML as the text beside it", piece(["text/html", "<b>x</b>"], ["text/plain", "x"]), "text", "text/plain"],
    ["other HTML without one as it is written", piece(["text/html", "<b>x</b>"]), "text", "text/html"],
    ["Markdown", piece(["text/markdown", "*x*"], ["text/plain", "x"]), "markdown", "text/markdown"],
    ["scripts not at all", piece(["application/javascript"], ["text/plain", "x"]), "text", "text/plain"],
    ["what nobody can show as a file", piece(["application/vnd.plotly"]), "file", "application/vnd.plotly"],
  ] as const)("is shown as %s", (_, shown, as, mime) => expect(bestOf(shown)).toMatchObject({ as, form: { mime } }));

  it("that is nothing is not shown", () => expect(bestOf(piece())).toBeNull());

  it.each([
    ["\u001b[31mred\u001b[0m", "red"],
    ["10 %\r20 %\r30 %\ndone", "30 %\ndone"],
    ["a\r\nb\r", "a\nb"],
    ["\u001b[2Jgone", "\u001b[2Jgone"],
  ])("is printed as a terminal leaves it: %j is %j", (text, left) => expect(printed(text)).toBe(left));

  it("says why it failed once", () => {
    const run = { runId: "", notebookId: "", cellId: "", begunAt: "", agent: "", outcome: "failed", error: "too bad", pieces: [] } as NotebookRun;
    expect(errorBeside(run)).toBe("too bad");
    expect(errorBeside({ ...run, pieces: [{ kind: "error", name: "E", forms: [] }] })).toBeNull();
    expect(errorBeside({ ...run, pieces: [{ kind: "stream", name: "stderr", forms: [{ mime: "text/plain", sha256: "", text: "well: too bad\n" }] }] })).toBeNull();
  });

  it("is told in words that are short", () => {
    expect([lengthWords(8), lengthWords(1_234), lengthWords(61_000)]).toEqual(["8 ms", "1.2 s", "1 min 1 s"]);
    expect([sizeWords(12), sizeWords(1_234), sizeWords(2_500_000)]).toEqual(["12 bytes", "1.2 kB", "2.5 MB"]);
  });
});
