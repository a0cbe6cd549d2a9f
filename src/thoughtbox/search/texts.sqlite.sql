-- One row per entry: a text that a record is found by. Its number holds the record, the part of it, and about how
-- long the text is (see `indexes.py`). It stands from its record until another one takes its place.
CREATE TABLE texts (
  workspace TEXT    NOT NULL,
  number    INTEGER NOT NULL,
  seq       INTEGER NOT NULL,
  topic     TEXT    NOT NULL,
  session   TEXT    NOT NULL,
  name      TEXT    NOT NULL,
  until_seq INTEGER NOT NULL,
  words     TEXT    NOT NULL,
  PRIMARY KEY (workspace, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX texts_by_session ON texts (workspace, session, name, until_seq);

-- The index knows an entry by one number: where those of its workspace start, and its own on top.
-- So each workspace has a stretch of the index to itself, with its newest records at the end.
CREATE TABLE text_starts (
  workspace TEXT    NOT NULL PRIMARY KEY,
  start     INTEGER NOT NULL UNIQUE
) STRICT, WITHOUT ROWID;

-- When a session was not to be found, as version rows (see `ledger/versions.py`).
CREATE TABLE text_absences (
  workspace TEXT    NOT NULL,
  session   TEXT    NOT NULL,
  until_seq INTEGER NOT NULL,
  from_seq  INTEGER NOT NULL,
  PRIMARY KEY (workspace, session, until_seq)
) STRICT, WITHOUT ROWID;

-- The words of a workspace: in how many entries that can be found now, and in which forms.
CREATE TABLE text_words (
  workspace TEXT    NOT NULL,
  word      TEXT    NOT NULL,
  entries   INTEGER NOT NULL,
  forms     TEXT    NOT NULL,
  PRIMARY KEY (workspace, word)
) STRICT, WITHOUT ROWID;

-- How many entries of a workspace can be found now, and how many words they have together.
CREATE TABLE text_totals (
  workspace TEXT    NOT NULL PRIMARY KEY,
  entries   INTEGER NOT NULL,
  length    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- It is given words, not texts, and keeps nothing but where they stand. `rest` has, in no order, the further words
-- of a very long text, and the topic and session of all.
CREATE VIRTUAL TABLE texts_index USING fts5(said, rest, content = '', tokenize = 'ascii');

-- The index read from the other side, to compare it.
CREATE VIRTUAL TABLE texts_instances USING fts5vocab(texts_index, instance);
