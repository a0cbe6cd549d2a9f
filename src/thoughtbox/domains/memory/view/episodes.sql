-- Episodes as they stand and as they stood: one changes only when it is archived.
CREATE TABLE episodic_experiences (
  workspace         TEXT    NOT NULL,
  experience_id     INTEGER NOT NULL,
  until_seq         INTEGER NOT NULL,
  from_seq          INTEGER NOT NULL,
  session_id        INTEGER,
  scope             TEXT    NOT NULL DEFAULT 'project' CHECK (scope IN ('project', 'global')),
  context_keys_json TEXT    NOT NULL DEFAULT '[]',
  summary           TEXT    NOT NULL,
  outcome           TEXT    NOT NULL DEFAULT 'unknown' CHECK (outcome IN ('success', 'partial', 'fail', 'unknown')),
  trust             INTEGER NOT NULL DEFAULT 1 CHECK (trust BETWEEN 0 AND 3),
  salience          INTEGER NOT NULL DEFAULT 0 CHECK (salience BETWEEN 0 AND 1000),
  created_at        TEXT    NOT NULL,
  source            TEXT    NOT NULL DEFAULT 'system' CHECK (source IN ('user', 'system', 'agent', 'derived')),
  about             TEXT,
  validated         INTEGER NOT NULL,
  archived          INTEGER NOT NULL,
  heard             INTEGER NOT NULL,
  PRIMARY KEY (workspace, experience_id, until_seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX episodic_experiences_in_order ON episodic_experiences
  (workspace, scope, archived, until_seq, trust DESC, salience DESC, created_at DESC, experience_id);
CREATE INDEX episodic_experiences_by_scope ON episodic_experiences
  (workspace, scope, until_seq, experience_id, from_seq);

-- By what an episode is about, in the order in which episodes are shown.
CREATE TABLE episode_keys (
  workspace     TEXT    NOT NULL,
  context_key   TEXT    NOT NULL,
  experience_id INTEGER NOT NULL,
  until_seq     INTEGER NOT NULL,
  from_seq      INTEGER NOT NULL,
  scope         TEXT    NOT NULL,
  trust         INTEGER NOT NULL,
  salience      INTEGER NOT NULL,
  created_at    TEXT    NOT NULL,
  PRIMARY KEY (workspace, context_key, experience_id, until_seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX episode_keys_in_order ON episode_keys
  (workspace, context_key, scope, until_seq, trust DESC, salience DESC, created_at DESC, experience_id);
CREATE INDEX episode_keys_by_episode ON episode_keys (workspace, experience_id, until_seq);
