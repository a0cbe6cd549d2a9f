// What the Observatory's API answers. What its own routes answer is generated from the OpenAPI document (`make check`); where an
// operation answers, its schema says little of what budgets may leave out, and the page asks for no budget.

import type { components } from "../../generated/schema";

type Schemas = components["schemas"];

/** An operation's answer, with nothing left out; `v` is of the compact form, which the page does not ask for. */
type Whole<T> = T extends (infer Item)[]
  ? Whole<Item>[]
  : T extends object
    ? { [Name in Exclude<keyof T, "v">]-?: Whole<Exclude<T[Name], undefined>> }
    : T;

export type Kind = Schemas["RecordShown"]["kind"];
export type Relation = Schemas["RelationShown"];

export type Health = Schemas["Health"];
export type Workspaces = Schemas["Workspaces"];

export type Session = Schemas["WatchedSession"];
export type SessionStatus = Session["status"];
export type Sessions = Schemas["WatchedSessions"];
export type Thought = Schemas["WatchedThought"];
export type Branch = Schemas["WatchedBranch"];
export type SessionRead = Schemas["SessionWatched"];

export type RecordShown = Schemas["RecordShown"];
export type Envelope = RecordShown["record"];
export type Records = Schemas["Records"];
export type RecordRead = Schemas["RecordRead"];
export type Neighbour = Schemas["Neighbour"];
export type Proof = Schemas["ProofShown"];

export type Search = Schemas["Found"];
export type SearchHit = Schemas["HitShown"];

export type Diff = Schemas["SessionDiff"];
export type DiffSide = Schemas["DiffSide"];
export type DiffFork = Schemas["Fork"];
export type MergePreview = Schemas["MergePreview"];

/** Where many records stand: columns of equal length, by seq. `kind` counts through the kinds in the order of `KINDS`. */
export type Graph = Schemas["Graph"];
export type GraphLane = Schemas["LaneShown"];

/** Raw and unchecked, for the page to verify by itself. */
export type Chain = Schemas["Chain"];
export type ChainRow = Chain["rows"][number];

export type Stream = Schemas["StreamShown"];
export type Streams = Schemas["Streams"];
export type Action = Schemas["ActionShown"];
export type Actions = Schemas["Actions"];

export type Verdict = Whole<Schemas["ledger_verify"]>;
export type Trail = Whole<Schemas["thought_reasoning_trail"]>;
export type TrailStep = Trail["trails"][number][number];

/** How operations of the mind room answer. */
export interface Answer<T> {
  success: boolean;
  intent: string;
  result: T;
}

export interface Pagination<C> {
  cursor: C | null;
  next_cursor: C | null;
  has_more: boolean;
  limit: number;
  count: number;
}

export type TaskStatus = "TODO" | "ACTIVE" | "PARKED" | "DONE" | "CANCELED";

export interface PlanTarget {
  id: string;
  kind: "plan";
  title: string;
  status: TaskStatus;
  revision: number;
  tasks: Record<TaskStatus, number>;
}

export interface TaskTarget {
  id: string;
  kind: "task";
  title: string;
  status: TaskStatus;
  revision: number;
  parent_plan_id?: string;
  steps: { total: number; open: number };
}

export interface Tasks {
  targets: (PlanTarget | TaskTarget)[];
  pagination: Pagination<string>;
  truncated: boolean;
}

export type JobStatus = "QUEUED" | "RUNNING" | "DONE" | "FAILED" | "CANCELED";

export interface Job {
  id: string;
  revision: number;
  status: JobStatus;
  title: string;
  kind: string;
  priority: string;
  created_at_ms: number;
  updated_at_ms: number;
  last_seq: number;
  task_id?: string;
  anchor_id?: string;
  runner?: string;
  summary?: string;
  completed_at_ms?: number;
}

export interface Jobs {
  jobs: Job[];
  count: number;
  has_more: boolean;
  next_cursor?: number;
  truncated: boolean;
}

export interface Card {
  id: string;
  type: string;
  title?: string;
  text?: string;
  status: string;
  tags: string[];
  meta: Record<string, unknown>;
  last_seq: number;
  last_ts_ms: number;
}

export interface Cards {
  branch: string;
  graph_doc: string;
  cards: Card[];
  pagination: Pagination<number>;
  truncated: boolean;
}

export type NotebookListed = Whole<Schemas["notebook.list.NotebookListed"]>;

export interface Notebooks {
  notebooks: NotebookListed[];
  count: number;
  cursor?: string;
}

export type NotebookRead = Schemas["NotebookWatched"];
export type NotebookCell = Schemas["CellWatched"];
export type NotebookRun = Schemas["RunWatched"];
export type Outcome = NonNullable<NotebookRun["outcome"]>;
export type Piece = Schemas["PieceShown"];
export type Form = Schemas["FormShown"];

/** What a replay has found of one cell. */
export interface CellVerdict {
  cellId: string;
  filename: string;
  same: boolean;
  why?: string;
  before?: string;
  after?: string;
}

type NotebookEventSaid = Omit<Schemas["notebook.history.HistoryEvent"], "cells" | "outcome">;
export type NotebookEvent = NotebookEventSaid & { id: string; what: string; at: string; agent: string; outcome?: Outcome; cells?: CellVerdict[] };

export interface NotebookHistory {
  notebookId: string;
  events: NotebookEvent[];
  count: number;
  cursor?: string;
}

export type Citation = Whole<Schemas["notebook.citations.CitationShown"]>;

export interface Citations {
  citations: Citation[];
  count: number;
}

export type Cells = Whole<Schemas["list_cells"]>;
export type Cell = Cells["cells"][number];
export type CellState = Cell["state"];
export type CellType = Cell["cell_type"];
export type CellRead = Whole<Schemas["get_cell"]>;
export type CellEvidence = CellRead["evidence"][number];
