import type {
  Actions,
  Cards,
  CellRead,
  Cells,
  CellType,
  Chain,
  Citations,
  Diff,
  Graph,
  Health,
  Jobs,
  NotebookHistory,
  NotebookRead,
  NotebookRun,
  Notebooks,
  RecordRead,
  Records,
  Search,
  SessionRead,
  Sessions,
  Streams,
  Tasks,
  Trail,
  Verdict,
  Workspaces,
} from "./types";

export { ApiError } from "./errors";
export { httpSource } from "./http";

export interface Page {
  limit?: number;
  cursor?: string;
  asOf?: number;
}

export interface SessionsQuery extends Page {
  status?: string;
  search?: string;
}

export interface RecordsQuery extends Page {
  room?: string;
  kind?: string;
  stream?: string;
  sessionId?: string;
  agent?: string;
  after?: number;
  order?: "asc" | "desc";
  /** At most 200; the other filters are not looked at then. */
  ids?: readonly string[];
}

export interface SearchQuery extends Page {
  q: string;
  room?: string;
  kind?: string;
  sessionId?: string;
}

export interface GraphQuery extends Page {
  sessionId?: string;
  stream?: string;
}

export interface StreamsQuery extends Page {
  room?: string;
}

export interface TasksQuery extends Page {
  status?: string;
}

export interface CardsQuery extends Page {
  /** The plan or task that they are about. */
  target?: string;
  drafts?: boolean;
}

export interface CellsQuery extends Page {
  scope?: "project" | "global";
  state?: string;
  type?: CellType;
}

export interface HistoryQuery extends Page {
  cellId?: string;
}

export interface ExportQuery {
  sessionId?: string;
  format: string;
}

/** How the page gets at the ledger: over HTTP, or through an MCP host. */
export interface Source {
  /** Whether new records come by themselves. */
  readonly isLive: boolean;
  health(signal?: AbortSignal): Promise<Health>;
  workspaces(signal?: AbortSignal): Promise<Workspaces>;
  sessions(query: SessionsQuery, signal?: AbortSignal): Promise<Sessions>;
  session(id: string, query?: Page, signal?: AbortSignal): Promise<SessionRead>;
  records(query: RecordsQuery, signal?: AbortSignal): Promise<Records>;
  record(id: string, asOf?: number, signal?: AbortSignal): Promise<RecordRead>;
  search(query: SearchQuery, signal?: AbortSignal): Promise<Search>;
  verdict(signal?: AbortSignal): Promise<Verdict>;
  diff(sessionId: string, from: string, to: string, asOf: number | null, signal?: AbortSignal): Promise<Diff>;
  graph(query: GraphQuery, signal?: AbortSignal): Promise<Graph>;
  chain(cursor?: string, limit?: number, signal?: AbortSignal): Promise<Chain>;
  streams(query: StreamsQuery, signal?: AbortSignal): Promise<Streams>;
  actions(query: Page, signal?: AbortSignal): Promise<Actions>;
  trail(actionId: string, asOf?: number, signal?: AbortSignal): Promise<Trail>;
  tasks(query: TasksQuery, signal?: AbortSignal): Promise<Tasks>;
  jobs(query: Page, signal?: AbortSignal): Promise<Jobs>;
  cards(query: CardsQuery, signal?: AbortSignal): Promise<Cards>;
  cells(query: CellsQuery, signal?: AbortSignal): Promise<Cells>;
  cell(id: number, asOf?: number, signal?: AbortSignal): Promise<CellRead>;
  notebooks(query: Page, signal?: AbortSignal): Promise<Notebooks>;
  notebook(id: string, query: Page, signal?: AbortSignal): Promise<NotebookRead>;
  notebookHistory(id: string, query: HistoryQuery, signal?: AbortSignal): Promise<NotebookHistory>;
  citations(notebookId: string, asOf?: number, signal?: AbortSignal): Promise<Citations>;
  run(id: string, asOf?: number, signal?: AbortSignal): Promise<NotebookRun>;
  /** Where the whole of an output stands; `type` says which of the things that it was shown as is meant. */
  outputUrl(sha256: string, type?: string): string;
  /** Where a download stands; null where there is none. */
  exportUrl(query: ExportQuery): string | null;
}
