CREATE TABLE scenes (
  workspace         TEXT    NOT NULL,
  scene_id          INTEGER NOT NULL,
  until_seq         INTEGER NOT NULL,
  from_seq          INTEGER NOT NULL,
  scope             TEXT    NOT NULL DEFAULT 'project' CHECK (scope IN ('project', 'global')),
  label             TEXT    NOT NULL,
  context_keys_json TEXT    NOT NULL DEFAULT '[]',
  created_at        TEXT    NOT NULL,
  updated_at        TEXT    NOT NULL,
  PRIMARY KEY (workspace, scene_id, until_seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX scenes_by_scope ON scenes (workspace, scope, until_seq, scene_id);

-- Scenes by each key that they have.
CREATE TABLE scene_keys (
  workspace   TEXT    NOT NULL,
  context_key TEXT    NOT NULL,
  scene_id    INTEGER NOT NULL,
  scope       TEXT    NOT NULL,
  size        INTEGER NOT NULL,
  seq         INTEGER NOT NULL,
  PRIMARY KEY (workspace, context_key, scene_id)
) STRICT, WITHOUT ROWID;

-- Where a set of keys was put once: there it stays.
CREATE TABLE scene_key_sets (
  workspace TEXT    NOT NULL,
  scope     TEXT    NOT NULL,
  key_set   TEXT    NOT NULL,
  scene_id  INTEGER NOT NULL,
  seq       INTEGER NOT NULL,
  PRIMARY KEY (workspace, scope, key_set)
) STRICT, WITHOUT ROWID;

CREATE TABLE cells (
  workspace           TEXT    NOT NULL,
  cell_id             INTEGER NOT NULL,
  until_seq           INTEGER NOT NULL,
  from_seq            INTEGER NOT NULL,
  scene_id            INTEGER NOT NULL,
  scope               TEXT    NOT NULL DEFAULT 'project' CHECK (scope IN ('project', 'global')),
  cell_type           TEXT    NOT NULL,
  title               TEXT    NOT NULL,
  body                TEXT    NOT NULL,
  trust               INTEGER NOT NULL DEFAULT 1 CHECK (trust BETWEEN 0 AND 3),
  salience            INTEGER NOT NULL DEFAULT 0 CHECK (salience BETWEEN 0 AND 1000),
  state               TEXT    NOT NULL DEFAULT 'unverified',
  evidence_count      INTEGER NOT NULL DEFAULT 0,
  contradiction_count INTEGER NOT NULL DEFAULT 0,
  conflict_group      TEXT,
  supersedes_cell_id  INTEGER,
  created_at          TEXT    NOT NULL,
  updated_at          TEXT    NOT NULL,
  canonical_key       TEXT    NOT NULL,
  source              TEXT    NOT NULL,
  base_trust          INTEGER NOT NULL,
  user_evidence       INTEGER NOT NULL,
  validated_evidence  INTEGER NOT NULL,
  live                INTEGER NOT NULL,
  PRIMARY KEY (workspace, cell_id, until_seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX cells_in_order ON cells
  (workspace, scope, live, until_seq, trust DESC, salience DESC, updated_at DESC, cell_id);
CREATE INDEX cells_by_scene ON cells (workspace, scene_id, until_seq);
CREATE UNIQUE INDEX cells_by_key ON cells (workspace, canonical_key, until_seq);
CREATE INDEX cells_by_type ON cells (workspace, scope, cell_type, state, until_seq);
CREATE INDEX cells_by_conflict ON cells (workspace, conflict_group, until_seq);
CREATE INDEX cells_by_superseded ON cells (workspace, supersedes_cell_id, until_seq);

CREATE TABLE cell_evidence (
  workspace     TEXT    NOT NULL,
  id            INTEGER NOT NULL,
  cell_id       INTEGER NOT NULL,
  experience_id INTEGER NOT NULL,
  relation      TEXT    NOT NULL,
  created_at    TEXT    NOT NULL,
  seq           INTEGER NOT NULL,
  PRIMARY KEY (workspace, cell_id, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX cell_evidence_by_episode ON cell_evidence (workspace, experience_id);

-- How far each scope has been consolidated: up to which episode, not up to which time.
CREATE TABLE consolidation_meta (
  workspace             TEXT    NOT NULL,
  scope                 TEXT    NOT NULL CHECK (scope IN ('project', 'global')),
  until_seq             INTEGER NOT NULL,
  from_seq              INTEGER NOT NULL,
  last_consolidation_ts TEXT,
  last_experience_id    INTEGER NOT NULL,
  PRIMARY KEY (workspace, scope, until_seq)
) STRICT, WITHOUT ROWID;
