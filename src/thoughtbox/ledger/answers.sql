-- Idempotency keys, and the record that holds the answer first given.
CREATE TABLE answers (
  workspace TEXT    NOT NULL,
  key       TEXT    NOT NULL,
  seq       INTEGER NOT NULL,
  PRIMARY KEY (workspace, key)
) STRICT, WITHOUT ROWID;
