-- Lines, nodes, labels and links never change, and carry the record that made them. What changes stands in version
-- rows (see `ledger/versions.py`): sessions, their tags, and the order in which they were updated.
CREATE TABLE thought_sessions (
  workspace        TEXT    NOT NULL,
  session_id       TEXT    NOT NULL,
  until_seq        INTEGER NOT NULL,
  from_seq         INTEGER NOT NULL,
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
  created_at       TEXT    NOT NULL,
  updated_at       TEXT    NOT NULL,
  last_accessed_at TEXT    NOT NULL,
  created_seq      INTEGER NOT NULL,
  updated_seq      INTEGER NOT NULL,
  accessed_seq     INTEGER NOT NULL,
  settled_seq      INTEGER NOT NULL,
  words            TEXT    NOT NULL,
  PRIMARY KEY (workspace, session_id, until_seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX thought_sessions_standing ON thought_sessions (workspace, until_seq, from_seq, deleted, created_seq, title);

CREATE TABLE thought_tags (
  workspace  TEXT    NOT NULL,
  tag        TEXT    NOT NULL,
  session_id TEXT    NOT NULL,
  until_seq  INTEGER NOT NULL,
  from_seq   INTEGER NOT NULL,
  PRIMARY KEY (workspace, tag, session_id, until_seq)
) STRICT, WITHOUT ROWID;

-- Sessions in the order in which they were last updated, which is that of `from_seq`. A row is written when a session
-- is updated and another one was before it: while one session goes on, the order stays as it is.
CREATE TABLE thought_updates (
  workspace  TEXT    NOT NULL,
  session_id TEXT    NOT NULL,
  until_seq  INTEGER NOT NULL,
  from_seq   INTEGER NOT NULL,
  PRIMARY KEY (workspace, session_id, until_seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX thought_updates_in_order ON thought_updates (workspace, from_seq);

-- The main line is the branch without a name.
CREATE TABLE thought_lines (
  workspace     TEXT    NOT NULL,
  session_id    TEXT    NOT NULL,
  branch        TEXT    NOT NULL,
  parent        TEXT,
  origin        INTEGER,
  origin_number INTEGER,
  first_seq     INTEGER NOT NULL,
  PRIMARY KEY (workspace, session_id, branch)
) STRICT, WITHOUT ROWID;

-- A thought, and what its session and its line had come to with it: `thoughts` and `branches` of the session, `length`
-- and `highest_number` of the line. So the last one up to a record says how things stood then.
CREATE TABLE thought_nodes (
  workspace      TEXT    NOT NULL,
  session_id     TEXT    NOT NULL,
  seq            INTEGER NOT NULL,
  branch         TEXT    NOT NULL,
  number         INTEGER NOT NULL,
  kind           TEXT    NOT NULL,
  at             TEXT    NOT NULL,
  total          INTEGER NOT NULL,
  thoughts       INTEGER NOT NULL,
  branches       INTEGER NOT NULL,
  length         INTEGER NOT NULL,
  highest_number INTEGER NOT NULL,
  PRIMARY KEY (workspace, session_id, seq)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX thought_nodes_by_number ON thought_nodes (workspace, session_id, branch, number);

CREATE INDEX thought_nodes_by_line ON thought_nodes (workspace, session_id, branch, seq);

-- For what sessions learn from each other; an index of all kinds would cost every thought.
CREATE INDEX thought_nodes_settling ON thought_nodes (workspace, seq) WHERE kind IN ('decision', 'revision');

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

-- The other direction, for what is said of thoughts; an index of all links would cost every thought.
CREATE INDEX thought_links_by_source ON thought_links (workspace, source)
  WHERE type NOT IN ('next', 'branch', 'critique');

-- How a thought stands (see model/reasoning.py); one of which there is nothing to say has no row.
CREATE TABLE thought_states (
  workspace  TEXT    NOT NULL,
  seq        INTEGER NOT NULL,
  until_seq  INTEGER NOT NULL,
  from_seq   INTEGER NOT NULL,
  session_id TEXT    NOT NULL,
  branch     TEXT    NOT NULL,
  role       TEXT    NOT NULL,
  status     TEXT    NOT NULL,
  by_seq     INTEGER,
  rests_on   INTEGER,
  PRIMARY KEY (workspace, seq, until_seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX thought_states_by_role
  ON thought_states (workspace, session_id, role, status, seq, until_seq, from_seq, branch, by_seq, rests_on);

CREATE INDEX thought_states_stale ON thought_states (workspace, rests_on) WHERE rests_on IS NOT NULL;

CREATE INDEX thought_states_rejected ON thought_states (workspace, session_id, seq) WHERE status = 'rejected';

-- What became of a branch: adopted or rejected.
CREATE TABLE thought_fates (
  workspace  TEXT    NOT NULL,
  session_id TEXT    NOT NULL,
  branch     TEXT    NOT NULL,
  until_seq  INTEGER NOT NULL,
  from_seq   INTEGER NOT NULL,
  fate       TEXT    NOT NULL,
  by_seq     INTEGER NOT NULL,
  PRIMARY KEY (workspace, session_id, branch, until_seq)
) STRICT, WITHOUT ROWID;
