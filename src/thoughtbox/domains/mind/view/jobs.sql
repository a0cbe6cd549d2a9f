-- Jobs by id. What a job is to do, its prompt, stands in the record that made it.
CREATE TABLE mind_jobs (
  workspace        TEXT    NOT NULL,
  job              TEXT    NOT NULL,
  until_seq        INTEGER NOT NULL,
  from_seq         INTEGER NOT NULL,
  number           INTEGER NOT NULL,
  revision         INTEGER NOT NULL,
  status           TEXT    NOT NULL,
  title            TEXT    NOT NULL,
  kind             TEXT    NOT NULL,
  priority         TEXT    NOT NULL,
  task             TEXT,
  anchor           TEXT,
  runner           TEXT,
  claim_expires_ms INTEGER,
  claim_ttl_ms     INTEGER,
  summary          TEXT,
  meta             TEXT    NOT NULL,
  created_ms       INTEGER NOT NULL,
  updated_ms       INTEGER NOT NULL,
  completed_ms     INTEGER,
  created_seq      INTEGER NOT NULL,
  PRIMARY KEY (workspace, job, until_seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX mind_jobs_by_number ON mind_jobs (workspace, number, until_seq);
CREATE INDEX mind_jobs_in_order ON mind_jobs (workspace, until_seq, from_seq);
CREATE INDEX mind_jobs_by_status ON mind_jobs (workspace, status, until_seq, from_seq);
CREATE INDEX mind_jobs_by_task ON mind_jobs (workspace, task, until_seq, from_seq);

-- What happened to a job, by the number of its record. Of heartbeats in a row the last one stands.
CREATE TABLE mind_job_events (
  workspace TEXT    NOT NULL,
  job       TEXT    NOT NULL,
  seq       INTEGER NOT NULL,
  until_seq INTEGER NOT NULL,
  from_seq  INTEGER NOT NULL,
  kind      TEXT    NOT NULL,
  proof     INTEGER NOT NULL,
  PRIMARY KEY (workspace, job, seq, until_seq)
) STRICT, WITHOUT ROWID;

-- What runners last said of themselves, and until when that holds.
CREATE TABLE mind_runners (
  workspace  TEXT    NOT NULL,
  runner     TEXT    NOT NULL,
  until_seq  INTEGER NOT NULL,
  from_seq   INTEGER NOT NULL,
  status     TEXT    NOT NULL,
  job        TEXT,
  meta       TEXT    NOT NULL,
  ttl_ms     INTEGER NOT NULL,
  expires_ms INTEGER NOT NULL,
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL,
  PRIMARY KEY (workspace, runner, until_seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX mind_runners_by_expiry ON mind_runners (workspace, until_seq, expires_ms);
