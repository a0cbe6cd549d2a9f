-- Workflow sessions as they stand: version rows.
CREATE TABLE workflow_sessions (
  workspace       TEXT    NOT NULL,
  session_id      TEXT    NOT NULL,
  until_seq       INTEGER NOT NULL,
  from_seq        INTEGER NOT NULL,
  preset          TEXT    NOT NULL,
  gates_passed    TEXT    NOT NULL,
  steps_completed TEXT    NOT NULL,
  created_at      INTEGER NOT NULL,
  expires_at      INTEGER NOT NULL,
  counts_from     INTEGER NOT NULL,
  active          INTEGER NOT NULL,
  PRIMARY KEY (workspace, session_id, until_seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX workflow_sessions_active ON workflow_sessions (workspace, active, until_seq, from_seq);
