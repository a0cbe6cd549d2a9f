-- Idempotency keys of every caller, and the record that holds the answer first given.
CREATE TABLE answers (
  workspace TEXT    NOT NULL,
  agent     TEXT    NOT NULL,
  key       TEXT    NOT NULL,
  seq       INTEGER NOT NULL,
  PRIMARY KEY (workspace, agent, key)
) STRICT, WITHOUT ROWID;
