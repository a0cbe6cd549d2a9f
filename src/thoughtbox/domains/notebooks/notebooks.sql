CREATE TABLE notebooks (
  workspace   TEXT    NOT NULL,
  notebook_id TEXT    NOT NULL,
  until_seq   INTEGER NOT NULL,
  from_seq    INTEGER NOT NULL,
  name        TEXT    NOT NULL,
  language    TEXT    NOT NULL,
  tsconfig    TEXT,
  trusted     INTEGER NOT NULL,
  created_ms  INTEGER NOT NULL,
  updated_ms  INTEGER NOT NULL,
  cells       INTEGER NOT NULL,
  deleted     INTEGER NOT NULL,
  imported    INTEGER NOT NULL,
  made_seq    INTEGER NOT NULL,
  PRIMARY KEY (workspace, notebook_id, until_seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX notebooks_by_change ON notebooks (workspace, from_seq, until_seq);

CREATE TABLE notebook_cells (
  workspace   TEXT    NOT NULL,
  notebook_id TEXT    NOT NULL,
  cell_id     TEXT    NOT NULL,
  until_seq   INTEGER NOT NULL,
  from_seq    INTEGER NOT NULL,
  place       TEXT    NOT NULL,
  type        TEXT    NOT NULL,
  language    TEXT,
  filename    TEXT,
  content_seq INTEGER NOT NULL,
  status      TEXT    NOT NULL,
  run_seq     INTEGER,
  ended_seq   INTEGER,
  PRIMARY KEY (workspace, notebook_id, cell_id, until_seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE notebook_runs (
  workspace   TEXT    NOT NULL,
  run_seq     INTEGER NOT NULL,
  until_seq   INTEGER NOT NULL,
  from_seq    INTEGER NOT NULL,
  notebook_id TEXT    NOT NULL,
  cell_id     TEXT    NOT NULL,
  outcome     TEXT,
  told_seq    INTEGER,
  stop_seq    INTEGER,
  ended_seq   INTEGER,
  PRIMARY KEY (workspace, run_seq, until_seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE notebook_running (
  workspace   TEXT    NOT NULL,
  run_seq     INTEGER NOT NULL,
  PRIMARY KEY (workspace, run_seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE notebook_events (
  workspace   TEXT    NOT NULL,
  notebook_id TEXT    NOT NULL,
  seq         INTEGER NOT NULL,
  cell_id     TEXT,
  PRIMARY KEY (workspace, notebook_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE notebook_outputs (
  workspace   TEXT    NOT NULL,
  sha256      TEXT    NOT NULL,
  seq         INTEGER NOT NULL,
  PRIMARY KEY (workspace, sha256)
) STRICT, WITHOUT ROWID;

CREATE TABLE notebook_citations (
  workspace   TEXT    NOT NULL,
  target      INTEGER NOT NULL,
  seq         INTEGER NOT NULL,
  notebook_id TEXT    NOT NULL,
  session     TEXT    NOT NULL,
  PRIMARY KEY (workspace, target, seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX notebook_citations_by_session ON notebook_citations (workspace, session, seq);

CREATE INDEX notebook_citations_by_notebook ON notebook_citations (workspace, notebook_id, seq);
