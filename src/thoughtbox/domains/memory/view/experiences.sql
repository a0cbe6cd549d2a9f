-- Experiences as version rows: what each says, and what it was before its tags changed. A revision is an experience of
-- its own, of the same line. Times are milliseconds, tags a JSON array.
CREATE TABLE experiences (
  workspace       TEXT    NOT NULL,
  id              INTEGER NOT NULL,
  until_seq       INTEGER NOT NULL,
  from_seq        INTEGER NOT NULL,
  type            TEXT    NOT NULL CHECK (type IN ('effective', 'ineffective')),
  domain          TEXT    NOT NULL,
  situation       TEXT    NOT NULL,
  approach        TEXT    NOT NULL,
  outcome         TEXT    NOT NULL,
  reasoning       TEXT    NOT NULL,
  confidence      REAL,
  tags            TEXT    NOT NULL,
  scope           TEXT    NOT NULL,
  created_at      INTEGER NOT NULL,
  original_id     INTEGER,
  revision_of     INTEGER,
  revision_reason TEXT,
  updated_at      INTEGER NOT NULL,
  archived_at     INTEGER,
  archive_reason  TEXT,
  trust           INTEGER NOT NULL,
  source          TEXT    NOT NULL,
  context         TEXT,
  seq             INTEGER NOT NULL,
  line            INTEGER NOT NULL,
  fingerprint     TEXT    NOT NULL,
  identity        TEXT    NOT NULL,
  length          INTEGER NOT NULL,
  PRIMARY KEY (workspace, id, until_seq)
) STRICT;

-- Not `from_seq`, which says the same: an index on that would be taken for one on what stands, and read from the start.
CREATE INDEX experiences_by_record ON experiences (workspace, seq);

CREATE INDEX experiences_by_line ON experiences (workspace, line, id);

CREATE INDEX experiences_by_fingerprint ON experiences (workspace, fingerprint, id);

CREATE INDEX experiences_by_identity ON experiences (workspace, identity, id);

-- How often each was looked at, and when last: version rows, apart, since they change without it.
CREATE TABLE experience_accesses (
  workspace        TEXT    NOT NULL,
  id               INTEGER NOT NULL,
  until_seq        INTEGER NOT NULL,
  from_seq         INTEGER NOT NULL,
  access_count     INTEGER NOT NULL,
  last_accessed_at INTEGER NOT NULL,
  PRIMARY KEY (workspace, id, until_seq)
) STRICT, WITHOUT ROWID;
