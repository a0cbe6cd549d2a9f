-- Branches by the number of the record that made them: what they are called, and what they were made from.
CREATE TABLE mind_branches (
  workspace  TEXT    NOT NULL,
  branch     INTEGER NOT NULL,
  until_seq  INTEGER NOT NULL,
  from_seq   INTEGER NOT NULL,
  name       TEXT    NOT NULL,
  base       INTEGER,
  base_seq   INTEGER NOT NULL,
  created_ms INTEGER NOT NULL,
  canonical  TEXT,
  PRIMARY KEY (workspace, branch, until_seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX mind_branches_by_name ON mind_branches (workspace, name, until_seq);
CREATE INDEX mind_branches_by_base ON mind_branches (workspace, base);
CREATE INDEX mind_branches_by_target ON mind_branches (workspace, canonical, until_seq);

-- What a branch shows: its own records from its beginning on, and of each ancestor those up to where it left off,
-- the whole chain written down at the fork. No two segments of a branch overlap.
CREATE TABLE mind_segments (
  workspace TEXT    NOT NULL,
  branch    INTEGER NOT NULL,
  high      INTEGER NOT NULL,
  source    INTEGER NOT NULL,
  seq       INTEGER NOT NULL,
  PRIMARY KEY (workspace, branch, high)
) STRICT, WITHOUT ROWID;

-- Entries of documents never change, and stand in their records.
CREATE TABLE mind_entries (
  workspace TEXT    NOT NULL,
  branch    INTEGER NOT NULL,
  doc       TEXT    NOT NULL,
  seq       INTEGER NOT NULL,
  kind      TEXT    NOT NULL,
  format    TEXT,
  draft     INTEGER NOT NULL,
  task      TEXT,
  path      TEXT,
  PRIMARY KEY (workspace, branch, doc, seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX mind_entries_in_order ON mind_entries (workspace, seq);
CREATE INDEX mind_entries_of_tasks ON mind_entries (workspace, branch, doc, task, path, seq) WHERE task IS NOT NULL;

-- Documents by the branch that they were written on: the record that began each there, and the last one as of now.
CREATE TABLE mind_documents (
  workspace TEXT    NOT NULL,
  branch    INTEGER NOT NULL,
  doc       TEXT    NOT NULL,
  kind      TEXT    NOT NULL,
  seq       INTEGER NOT NULL,
  last_seq  INTEGER NOT NULL,
  PRIMARY KEY (workspace, branch, doc)
) STRICT, WITHOUT ROWID;

-- Where the workspace stands: the branch that is checked out, the plan or task in focus.
CREATE TABLE mind_places (
  workspace TEXT    NOT NULL,
  place     TEXT    NOT NULL,
  until_seq INTEGER NOT NULL,
  from_seq  INTEGER NOT NULL,
  value     TEXT    NOT NULL,
  PRIMARY KEY (workspace, place, until_seq)
) STRICT, WITHOUT ROWID;

-- Notes that were merged: into which document, the entry that was first written, as which entry.
CREATE TABLE mind_merged_notes (
  workspace TEXT    NOT NULL,
  branch    INTEGER NOT NULL,
  doc       TEXT    NOT NULL,
  source    INTEGER NOT NULL,
  seq       INTEGER NOT NULL,
  PRIMARY KEY (workspace, branch, doc, source)
) STRICT, WITHOUT ROWID;
