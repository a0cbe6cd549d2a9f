-- Rows of thought_events, thought_nodes, thought_labels and thought_links are never changed, and carry the number of
-- the record that made them: an earlier state is read from them. Sessions, tags and branches are heads: the newest
-- state of each, for questions about now.
CREATE TABLE thought_sessions (
  workspace        TEXT    NOT NULL,
  session_id       TEXT    NOT NULL,
  title            TEXT    NOT NULL,
  description      TEXT,
  tags             TEXT    NOT NULL,
  project          TEXT,
  task             TEXT,
  aspect           TEXT,
  domain           TEXT,
  root             TEXT,
  stage            INTEGER NOT NULL,
  status           TEXT    NOT NULL,
  deleted          INTEGER NOT NULL,
  thought_count    INTEGER NOT NULL,
  branch_count     INTEGER NOT NULL,
  created_at       TEXT    NOT NULL,
  updated_at       TEXT    NOT NULL,
  last_accessed_at TEXT    NOT NULL,
  created_seq      INTEGER NOT NULL,
  updated_seq      INTEGER NOT NULL,
  words            TEXT    NOT NULL,
  PRIMARY KEY (workspace, session_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX thought_sessions_by_update ON thought_sessions (workspace, updated_seq);

CREATE TABLE thought_tags (
  workspace  TEXT NOT NULL,
  tag        TEXT NOT NULL,
  session_id TEXT NOT NULL,
  PRIMARY KEY (workspace, tag, session_id)
) STRICT, WITHOUT ROWID;

-- Which records tell of a session's beginning and changes.
CREATE TABLE thought_events (
  workspace  TEXT    NOT NULL,
  session_id TEXT    NOT NULL,
  seq        INTEGER NOT NULL,
  PRIMARY KEY (workspace, session_id, seq)
) STRICT, WITHOUT ROWID;

-- The main line is the branch without a name.
CREATE TABLE thought_nodes (
  workspace  TEXT    NOT NULL,
  session_id TEXT    NOT NULL,
  branch     TEXT    NOT NULL,
  number     INTEGER NOT NULL,
  seq        INTEGER NOT NULL,
  kind       TEXT    NOT NULL,
  PRIMARY KEY (workspace, session_id, branch, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX thought_nodes_by_seq ON thought_nodes (workspace, session_id, seq);

CREATE INDEX thought_nodes_by_kind ON thought_nodes (workspace, kind, seq);

CREATE TABLE thought_branches (
  workspace      TEXT    NOT NULL,
  session_id     TEXT    NOT NULL,
  branch         TEXT    NOT NULL,
  parent         TEXT,
  origin         INTEGER,
  origin_number  INTEGER,
  first_seq      INTEGER NOT NULL,
  last_seq       INTEGER NOT NULL,
  highest_number INTEGER NOT NULL,
  last_total     INTEGER NOT NULL,
  length         INTEGER NOT NULL,
  PRIMARY KEY (workspace, session_id, branch)
) STRICT, WITHOUT ROWID;

-- Numbers that cipher lines give to themselves, where those are not the numbers they got.
CREATE TABLE thought_labels (
  workspace  TEXT    NOT NULL,
  session_id TEXT    NOT NULL,
  branch     TEXT    NOT NULL,
  label      INTEGER NOT NULL,
  seq        INTEGER NOT NULL,
  PRIMARY KEY (workspace, session_id, branch, label, seq)
) STRICT, WITHOUT ROWID;

-- What points at a thought, and how: next, branch, critique, or a relation such as supports or revises.
CREATE TABLE thought_links (
  workspace TEXT    NOT NULL,
  target    INTEGER NOT NULL,
  type      TEXT    NOT NULL,
  source    INTEGER NOT NULL,
  PRIMARY KEY (workspace, target, type, source)
) STRICT, WITHOUT ROWID;
