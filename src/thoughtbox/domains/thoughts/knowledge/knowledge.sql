-- Every version of a pattern or note, never changed: the newest up to a record is what counted then.
CREATE TABLE knowledge_versions (
  workspace TEXT    NOT NULL,
  kind      TEXT    NOT NULL,
  id        TEXT    NOT NULL,
  seq       INTEGER NOT NULL,
  deleted   INTEGER NOT NULL,
  PRIMARY KEY (workspace, kind, id, seq)
) STRICT, WITHOUT ROWID;

-- The newest version of each, for questions about now.
CREATE TABLE knowledge_heads (
  workspace   TEXT    NOT NULL,
  kind        TEXT    NOT NULL,
  id          TEXT    NOT NULL,
  seq         INTEGER NOT NULL,
  created_seq INTEGER NOT NULL,
  title       TEXT    NOT NULL,
  tags        TEXT    NOT NULL,
  PRIMARY KEY (workspace, kind, id)
) STRICT, WITHOUT ROWID;
