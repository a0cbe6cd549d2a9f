-- Where the pointer of a document stands on a branch, once it was moved.
CREATE TABLE mind_refs (
  workspace TEXT    NOT NULL,
  branch    INTEGER NOT NULL,
  doc       TEXT    NOT NULL,
  until_seq INTEGER NOT NULL,
  from_seq  INTEGER NOT NULL,
  head      INTEGER NOT NULL,
  PRIMARY KEY (workspace, branch, doc, until_seq)
) STRICT, WITHOUT ROWID;

-- Every move of a pointer: from where, to where.
CREATE TABLE mind_moves (
  workspace TEXT    NOT NULL,
  branch    INTEGER NOT NULL,
  doc       TEXT    NOT NULL,
  seq       INTEGER NOT NULL,
  change    TEXT    NOT NULL,
  before    INTEGER,
  head      INTEGER NOT NULL,
  PRIMARY KEY (workspace, branch, doc, seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX mind_moves_back ON mind_moves (workspace, branch, doc, seq) WHERE change = 'reset';

-- Names that stand for an entry.
CREATE TABLE mind_tags (
  workspace  TEXT    NOT NULL,
  name       TEXT    NOT NULL,
  until_seq  INTEGER NOT NULL,
  from_seq   INTEGER NOT NULL,
  branch     INTEGER NOT NULL,
  doc        TEXT    NOT NULL,
  entry      INTEGER NOT NULL,
  created_ms INTEGER NOT NULL,
  PRIMARY KEY (workspace, name, until_seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX mind_tags_by_branch ON mind_tags (workspace, branch);
