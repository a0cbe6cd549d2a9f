-- Plans and tasks. What nothing is looked for by stands in `details`.
CREATE TABLE mind_targets (
  workspace  TEXT    NOT NULL,
  target     TEXT    NOT NULL,
  until_seq  INTEGER NOT NULL,
  from_seq   INTEGER NOT NULL,
  kind       TEXT    NOT NULL,
  number     INTEGER NOT NULL,
  parent     TEXT,
  title      TEXT    NOT NULL,
  status     TEXT    NOT NULL,
  revision   INTEGER NOT NULL,
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL,
  details    TEXT    NOT NULL,
  PRIMARY KEY (workspace, target, until_seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX mind_targets_by_number ON mind_targets (workspace, kind, number, until_seq);
CREATE INDEX mind_targets_by_status ON mind_targets (workspace, kind, status, number, until_seq);
CREATE INDEX mind_targets_by_parent ON mind_targets (workspace, parent, status, number, until_seq);

-- Steps of tasks. `place` is the path with numbers of one length, so that its order is that of a walk depth first.
-- A step lacks what closing it needs and nobody has confirmed.
CREATE TABLE mind_steps (
  workspace TEXT    NOT NULL,
  step      TEXT    NOT NULL,
  until_seq INTEGER NOT NULL,
  from_seq  INTEGER NOT NULL,
  task      TEXT    NOT NULL,
  parent    TEXT,
  ordinal   INTEGER NOT NULL,
  path      TEXT    NOT NULL,
  place     TEXT    NOT NULL,
  title     TEXT    NOT NULL,
  completed INTEGER NOT NULL,
  hindered  INTEGER NOT NULL,
  confirmed TEXT    NOT NULL,
  lacks_criteria INTEGER NOT NULL,
  lacks_tests    INTEGER NOT NULL,
  lacks_security INTEGER NOT NULL,
  lacks_perf     INTEGER NOT NULL,
  lacks_docs     INTEGER NOT NULL,
  details   TEXT    NOT NULL,
  PRIMARY KEY (workspace, step, until_seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX mind_steps_by_place ON mind_steps (workspace, task, place, until_seq);
CREATE INDEX mind_steps_open ON mind_steps (workspace, task, completed, place, until_seq);

-- Every mutation of a plan or task, in order. Events never change, and stand in their records.
CREATE TABLE mind_task_events (
  workspace TEXT    NOT NULL,
  seq       INTEGER NOT NULL,
  target    TEXT    NOT NULL,
  PRIMARY KEY (workspace, seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX mind_task_events_by_target ON mind_task_events (workspace, target, seq);
