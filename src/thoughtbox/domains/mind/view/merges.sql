-- What was written to graphs, in order: where to look for what a branch has changed.
CREATE TABLE mind_changes (
  workspace TEXT    NOT NULL,
  branch    INTEGER NOT NULL,
  doc       TEXT    NOT NULL,
  seq       INTEGER NOT NULL,
  kind      TEXT    NOT NULL,
  name      TEXT    NOT NULL,
  PRIMARY KEY (workspace, branch, doc, seq)
) STRICT, WITHOUT ROWID;

-- The version of each node and edge that was last merged from a branch into its base.
CREATE TABLE mind_merged (
  workspace TEXT    NOT NULL,
  source    INTEGER NOT NULL,
  doc       TEXT    NOT NULL,
  kind      TEXT    NOT NULL,
  name      TEXT    NOT NULL,
  until_seq INTEGER NOT NULL,
  from_seq  INTEGER NOT NULL,
  theirs    INTEGER NOT NULL,
  PRIMARY KEY (workspace, source, doc, kind, name, until_seq)
) STRICT, WITHOUT ROWID;

-- Nodes and edges that both a branch and its base have changed. The versions that differ stand in their records.
CREATE TABLE mind_conflicts (
  workspace   TEXT    NOT NULL,
  conflict    TEXT    NOT NULL,
  until_seq   INTEGER NOT NULL,
  from_seq    INTEGER NOT NULL,
  source      INTEGER NOT NULL,
  target      INTEGER NOT NULL,
  doc         TEXT    NOT NULL,
  kind        TEXT    NOT NULL,
  name        TEXT    NOT NULL,
  base        INTEGER,
  theirs      INTEGER NOT NULL,
  ours        INTEGER,
  status      TEXT    NOT NULL,
  resolution  TEXT,
  created_seq INTEGER NOT NULL,
  created_ms  INTEGER NOT NULL,
  changed_ms  INTEGER NOT NULL,
  PRIMARY KEY (workspace, conflict, until_seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX mind_conflicts_by_key ON mind_conflicts (workspace, source, doc, kind, name);
CREATE INDEX mind_conflicts_in_order ON mind_conflicts (workspace, target, doc, status, created_seq);
