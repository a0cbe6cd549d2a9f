-- Patterns and notes: every version of each (see `ledger/versions.py`). `from_seq` is the record that holds it.
CREATE TABLE knowledge_entries (
  workspace   TEXT    NOT NULL,
  kind        TEXT    NOT NULL,
  id          TEXT    NOT NULL,
  until_seq   INTEGER NOT NULL,
  from_seq    INTEGER NOT NULL,
  created_seq INTEGER NOT NULL,
  title       TEXT    NOT NULL,
  tags        TEXT    NOT NULL,
  PRIMARY KEY (workspace, kind, id, until_seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX knowledge_entries_standing ON knowledge_entries (workspace, kind, until_seq);
