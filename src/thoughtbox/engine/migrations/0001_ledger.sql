-- A row holds nothing that its hash does not cover: `content` is hashed as it is,
-- `stream` and `stream_index` are bound by the chain, `seq` stands inside `content`.
CREATE TABLE records (
  workspace    TEXT    NOT NULL,
  seq          INTEGER NOT NULL,
  stream       TEXT    NOT NULL,
  stream_index INTEGER NOT NULL,
  content      BLOB    NOT NULL,
  content_hash BLOB    NOT NULL,
  hash         BLOB    NOT NULL,
  PRIMARY KEY (workspace, seq)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX records_by_stream ON records (workspace, stream, stream_index);

-- Heads stand apart from the rows they describe, so that a shortened table is noticed.
CREATE TABLE workspaces (
  workspace TEXT    NOT NULL PRIMARY KEY,
  last_seq  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE streams (
  workspace TEXT    NOT NULL,
  stream    TEXT    NOT NULL,
  length    INTEGER NOT NULL,
  head_hash BLOB    NOT NULL,
  last_seq  INTEGER NOT NULL,
  PRIMARY KEY (workspace, stream)
) STRICT, WITHOUT ROWID;

-- Which shape of each view is in the store; another shape is dropped and replayed.
CREATE TABLE views (
  view    TEXT NOT NULL PRIMARY KEY,
  version TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- How far each view that follows the tail has come.
CREATE TABLE view_cursors (
  workspace TEXT    NOT NULL,
  view      TEXT    NOT NULL,
  seq       INTEGER NOT NULL,
  PRIMARY KEY (workspace, view)
) STRICT, WITHOUT ROWID;
