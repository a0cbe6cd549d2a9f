-- Memory sessions as they stand and as they stood.
CREATE TABLE memory_sessions (
  workspace         TEXT    NOT NULL,
  session_id        INTEGER NOT NULL,
  until_seq         INTEGER NOT NULL,
  from_seq          INTEGER NOT NULL,
  created_at        TEXT    NOT NULL,
  scope_mode        TEXT    NOT NULL,
  flags_json        TEXT    NOT NULL,
  last_phase        TEXT,
  last_context_hash TEXT,
  snapshot_hash     TEXT,
  integrity         TEXT,
  context_keys_json TEXT    NOT NULL,
  phases_done       TEXT    NOT NULL,
  phases_skipped    TEXT    NOT NULL,
  packed_cells      TEXT    NOT NULL,
  used_cells        TEXT    NOT NULL,
  inferred_cells    TEXT    NOT NULL,
  asked_seq         INTEGER,
  draft_seq         INTEGER,
  host              TEXT,
  host_session      TEXT,
  closed_at         TEXT,
  PRIMARY KEY (workspace, session_id, until_seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX memory_sessions_by_host ON memory_sessions (workspace, host, host_session, session_id, until_seq);
CREATE INDEX memory_sessions_open ON memory_sessions (workspace, host, host_session, closed_at, until_seq, session_id);

-- The chain of each session; `position` counts from 1.
CREATE TABLE invocations (
  workspace   TEXT    NOT NULL,
  id          INTEGER NOT NULL,
  session_id  INTEGER NOT NULL,
  position    INTEGER NOT NULL,
  ts          TEXT    NOT NULL,
  tool_name   TEXT    NOT NULL,
  input_hash  TEXT    NOT NULL,
  output_hash TEXT    NOT NULL,
  meta_json   TEXT    NOT NULL,
  prev_hash   TEXT,
  hash        TEXT    NOT NULL,
  PRIMARY KEY (workspace, session_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE receipts (
  workspace        TEXT    NOT NULL,
  id               INTEGER NOT NULL,
  session_id       INTEGER NOT NULL,
  ts               TEXT    NOT NULL,
  receipt_type     TEXT    NOT NULL,
  payload_json     TEXT    NOT NULL,
  payload_hash     TEXT    NOT NULL,
  signature        TEXT    NOT NULL,
  public_meta_json TEXT    NOT NULL,
  PRIMARY KEY (workspace, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX receipts_by_session ON receipts (workspace, session_id, id);
CREATE INDEX receipts_by_hash ON receipts (workspace, payload_hash, id);

-- What was refused or found wrong; `position` counts those of one rule.
CREATE TABLE memory_violations (
  workspace  TEXT    NOT NULL,
  id         INTEGER NOT NULL,
  session_id INTEGER NOT NULL,
  position   INTEGER NOT NULL,
  ts         TEXT    NOT NULL,
  scope      TEXT    NOT NULL,
  rule       TEXT    NOT NULL,
  said       TEXT    NOT NULL,
  episode_id INTEGER,
  PRIMARY KEY (workspace, scope, rule, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX memory_violations_by_session ON memory_violations (workspace, session_id, id);
