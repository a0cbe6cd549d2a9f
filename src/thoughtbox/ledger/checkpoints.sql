-- Signed tree heads, kept apart from the records they describe.
CREATE TABLE checkpoints (
  workspace TEXT    NOT NULL,
  size      INTEGER NOT NULL,
  root      BLOB    NOT NULL,
  note      TEXT    NOT NULL,
  seq       INTEGER NOT NULL,
  PRIMARY KEY (workspace, size)
) STRICT, WITHOUT ROWID;

-- Where the streams stood that had moved since the checkpoint before.
CREATE TABLE checkpoint_heads (
  workspace TEXT    NOT NULL,
  stream    TEXT    NOT NULL,
  length    INTEGER NOT NULL,
  hash      BLOB    NOT NULL,
  seq       INTEGER NOT NULL,
  PRIMARY KEY (workspace, stream, seq)
) STRICT, WITHOUT ROWID;
