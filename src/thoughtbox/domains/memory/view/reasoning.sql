CREATE TABLE reasoning_sessions (
  workspace     TEXT    NOT NULL,
  session_id    TEXT    NOT NULL,
  until_seq     INTEGER NOT NULL,
  from_seq      INTEGER NOT NULL,
  problem       TEXT,
  user_intent   TEXT,
  phase         TEXT    CHECK (phase IN ('analyze', 'gather', 'reason', 'finalized')),
  created_at    INTEGER,
  updated_at    INTEGER,
  finalized_at  INTEGER,
  conclusion    TEXT,
  experience_id INTEGER,
  PRIMARY KEY (workspace, session_id, until_seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE reasoning_thoughts (
  workspace       TEXT    NOT NULL,
  id              INTEGER NOT NULL,
  session_id      TEXT    NOT NULL,
  thought_number  INTEGER NOT NULL,
  thought         TEXT    NOT NULL,
  confidence      REAL,
  is_revision     INTEGER NOT NULL,
  revises_thought INTEGER,
  created_at      INTEGER NOT NULL,
  seq             INTEGER NOT NULL,
  PRIMARY KEY (workspace, session_id, id)
) STRICT, WITHOUT ROWID;
