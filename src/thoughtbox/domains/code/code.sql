-- Records that builders have written. What they say is read from the ledger.
CREATE TABLE code_records (
  workspace TEXT    NOT NULL,
  session   TEXT    NOT NULL,
  seq       INTEGER NOT NULL,
  kind      TEXT    NOT NULL,
  branch    TEXT    NOT NULL,
  PRIMARY KEY (workspace, session, seq)
) STRICT, WITHOUT ROWID;

-- Which of them refer to a record, and how.
CREATE TABLE code_relations (
  workspace TEXT    NOT NULL,
  to_id     TEXT    NOT NULL,
  seq       INTEGER NOT NULL,
  type      TEXT    NOT NULL,
  PRIMARY KEY (workspace, to_id, seq, type)
) STRICT, WITHOUT ROWID;

-- Variables of sessions: version rows.
CREATE TABLE code_variables (
  workspace TEXT    NOT NULL,
  session   TEXT    NOT NULL,
  name      TEXT    NOT NULL,
  until_seq INTEGER NOT NULL,
  from_seq  INTEGER NOT NULL,
  value     TEXT    NOT NULL,
  PRIMARY KEY (workspace, session, name, until_seq)
) STRICT, WITHOUT ROWID;
