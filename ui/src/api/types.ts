// What the Observatory's API answers. The names are those of its OpenAPI document.

export type Kind =
  | "claim"
  | "evidence"
  | "question"
  | "plan"
  | "observation"
  | "decision"
  | "revision"
  | "tool_call"
  | "tool_result"
  | "hub_event"
  | "checkpoint";

export type RelationType =
  | "supports"
  | "contradicts"
  | "revises"
  | "derived_from"
  | "answers"
  | "blocks"
  | "refines"
  | "relates_to";

export interface Relation {
  type: RelationType;
  /** A record's id, such as th:17. */
  to: string;
}

export interface Health {
  status: "ok";
  version: string;
  workspace: string;
  connections: number;
  maxConnections: number;
  readOnly: boolean;
}

export interface Workspaces {
  workspaces: { workspace: string; records: number; streams: number }[];
  default: string;
}

export type SessionStatus = "active" | "completed" | "abandoned";

export interface Session {
  id: string;
  title: string | null;
  tags: string[];
  createdAt: string;
  completedAt: string | null;
  status: SessionStatus;
  updatedAt: string;
  thoughtCount: number;
  branchCount: number;
  description?: string;
  project?: string;
  /** The stream that its thoughts stand in: thoughts/<id>. */
  stream: string;
  /** Its last record. */
  seq?: number;
}

export interface Sessions {
  sessions: Session[];
  nextCursor: string | null;
  seq: number;
}

export interface Thought {
  /** The node's id: <session>:4, or <session>:<branch>:4. */
  id: string;
  recordId: string;
  seq: number;
  thoughtNumber: number;
  totalThoughts: number;
  thought: string;
  nextThoughtNeeded: boolean;
  timestamp: string;
  kind: Kind;
  isRevision?: boolean;
  revisesThought?: number;
  branchId?: string;
  branchFromThought?: number;
  parentId: string | null;
  relations: Relation[];
  labels?: string[];
  confidence?: number;
  actionId?: string;
}

export interface Branch {
  id: string;
  name: string | null;
  fromThoughtNumber: number;
  fromBranch?: string;
  fate?: "adopted" | "rejected";
  thoughts: Thought[];
}

export interface SessionRead {
  session: Session;
  /** The main line. */
  thoughts: Thought[];
  branches: Record<string, Branch>;
  seq: number;
  truncated: boolean;
  nextCursor: string | null;
}

export interface Envelope {
  id: string;
  kind: Kind;
  ts: string;
  session: string;
  branch: string;
  agent: string;
  refs: string[];
  body: { text: string; cipher?: string; labels?: string[]; metrics?: object };
  source: { surface?: string; operation?: string; transport?: string; model?: string; via?: string[] };
  attrs: { relations?: Relation[]; [name: string]: unknown };
  data: { topic: string; [name: string]: unknown };
  confidence?: number;
}

export interface RecordShown {
  seq: number;
  id: string;
  stream: string;
  streamIndex: number;
  room: string;
  kind: Kind;
  contentHash: string;
  hash: string;
  record: Envelope;
}

export interface Records {
  records: RecordShown[];
  nextCursor: string | null;
  seq: number;
}

export interface Neighbour {
  id: string;
  seq: number;
  kind: Kind;
  /** Its first 200 characters. */
  text: string;
  stream: string;
  relation?: string;
}

export interface Proof {
  index: number;
  size: number;
  root: string;
  path: string[];
  checkpoint: string | null;
}

export interface RecordRead extends RecordShown {
  previousHash: string;
  proof: Proof;
  neighbours: {
    /** In its stream. */
    previous: Neighbour | null;
    next: Neighbour | null;
    /** In the workspace. */
    before: Neighbour | null;
    after: Neighbour | null;
  };
  referredToBy: Neighbour[];
  session: Session | null;
}

export interface SearchHit {
  id: string;
  seq: number;
  room: string;
  kind: Kind;
  stream: string;
  session: string;
  title: string | null;
  /** What matches stands between « and ». */
  snippet: string;
  ts: string;
}

export interface Search {
  q: string;
  hits: SearchHit[];
  nextCursor: string | null;
  note: string | null;
}

export interface Verdict {
  standing: "valid" | "untrusted" | "broken";
  valid: boolean;
  records: number;
  streams: number;
  checkpoints: number;
  root: string | null;
  problem: { wrong: string; message: string; record: string | null; stream: string | null } | null;
  signers: object[];
}

export interface DiffSide {
  name: string;
  branch: string | null;
  seq: number | null;
  thoughts: number;
}

export interface DiffFork {
  id: string;
  recordId: string;
  thoughtNumber: number;
  branchId: string | null;
  thought: string;
}

export interface MergePreview {
  adopts: string;
  keeps: Thought[];
  falls: Thought[];
  conflicts: { thought: Thought; contradicts: Thought }[];
}

export interface Diff {
  sessionId: string;
  by: "branches" | "time";
  from: DiffSide;
  to: DiffSide;
  fork: DiffFork | null;
  common: number;
  onlyFrom: Thought[];
  onlyTo: Thought[];
  truncated: boolean;
  merge: MergePreview | null;
}

export interface GraphLane {
  stream: string;
  branch: string;
  room: string;
  session: string;
}

/** The skeleton of many records: columns of equal length, by seq. */
export interface Graph {
  /** The newest record of the workspace, or asOf. */
  seq: number;
  /** Records that there are in all in this scope. */
  total: number;
  /** The lanes named in this page; `lane` is an index into them. */
  lanes: GraphLane[];
  seqs: number[];
  lane: number[];
  /** Index into the kinds, in the order of the type Kind. */
  kind: number[];
  /** The record before it on its lane, or its fork point; 0: none. */
  parent: number[];
  /** Milliseconds since 1970. */
  times: number[];
  /** Thought number, or index in the stream + 1. */
  numbers: number[];
  /** 1: revises another, 2: first of a branch, 4: has an action, 8: ends a session. */
  flags: number[];
  /** From seq, to seq, type of relation. */
  links: [number, number, string][];
  nextCursor: string | null;
}

/** Seq, stream, index in the stream, content as it was hashed, hash in hex. */
export type ChainRow = [seq: number, stream: string, index: number, content: string, hash: string];

/** Raw and unchecked, for the page to verify by itself. */
export interface Chain {
  workspace: string;
  seq: number;
  rows: ChainRow[];
  nextCursor: string | null;
  /** Those that stand in this page. */
  checkpoints: { size: number; root: string; seq: number }[];
}

export interface Stream {
  stream: string;
  room: string;
  records: number;
  firstSeq: number;
  lastSeq: number;
}

export interface Streams {
  streams: Stream[];
  nextCursor: string | null;
}

export interface Action {
  actionId: string;
  thoughts: number;
  seq: number;
  ts: string;
}

export interface Actions {
  actions: Action[];
  nextCursor: string | null;
}

export interface TrailStep {
  thoughtId: string;
  thoughtType: string;
  content: string;
  stepIndex: number;
  sessionId?: string;
}

export interface Trail {
  success: true;
  actionId: string;
  hasReasoning: boolean;
  trailCount: number;
  /** Each a path from a root to a thought that led to the action. */
  trails: TrailStep[][];
}

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

export type CellState = "unverified" | "observed" | "reinforced" | "stable" | "decaying" | "archived";
export type CellType = "rule" | "preference" | "policy" | "fact";

export interface Cell {
  cell_id: number;
  scene_id: number;
  scope: string;
  cell_type: CellType;
  title: string;
  body: string;
  trust: number;
  salience: number;
  state: CellState;
  evidence_count: number;
  contradiction_count: number;
  conflict_group: string | null;
  supersedes_cell_id: number | null;
  /** The least trusted origin of its evidence. */
  source: string;
  created_at: string;
  updated_at: string;
}

export interface Cells {
  cells: Cell[];
  cursor: string | null;
}

export interface CellEvidence {
  id: number;
  relation: "supports" | "contradicts";
  created_at: string;
  /** The episode that says so. */
  experience_id: number;
  source: string;
  trust: number;
  outcome: string;
  summary: string;
  about: string | null;
  session_id: number | null;
  validated: boolean;
}

export interface CellRead {
  cell: Cell;
  scene: { scene_id: number; label: string; context_keys: string[] };
  canonical_key: string;
  /** In the order in which it came. */
  evidence: CellEvidence[];
  conflicts_with: Cell[];
  superseded_by: number[];
}
