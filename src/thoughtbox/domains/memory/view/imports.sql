-- Episodes that came from other stores, by the key that each has wherever it is a copy of itself.
CREATE TABLE memory_imports (
  workspace  TEXT    NOT NULL,
  import_key TEXT    NOT NULL,
  seq        INTEGER NOT NULL,
  PRIMARY KEY (workspace, import_key, seq)
) STRICT, WITHOUT ROWID;
