-- One row per entry: a text that a record is found by, with its words and where they stand. Its number holds the
-- record, the part of it, and about how long the text is (see `indexes.py`). It stands from its record until another
-- one takes its place.
CREATE TABLE texts (
  workspace TEXT     NOT NULL,
  number    INTEGER  NOT NULL,
  seq       INTEGER  NOT NULL,
  topic     TEXT     NOT NULL,
  session   TEXT     NOT NULL,
  name      TEXT     NOT NULL,
  until_seq INTEGER  NOT NULL,
  words     TEXT     NOT NULL,
  vector    TSVECTOR NOT NULL,
  PRIMARY KEY (workspace, number)
);

CREATE INDEX texts_by_session ON texts (workspace, session, name, until_seq);

CREATE INDEX texts_by_word ON texts USING gin (vector);

-- When a session was not to be found, as version rows (see `ledger/versions.py`).
CREATE TABLE text_absences (
  workspace TEXT    NOT NULL,
  session   TEXT    NOT NULL,
  until_seq INTEGER NOT NULL,
  from_seq  INTEGER NOT NULL,
  PRIMARY KEY (workspace, session, until_seq)
);

-- The words of a workspace: in how many entries that can be found now, and in which forms.
CREATE TABLE text_words (
  workspace TEXT    NOT NULL,
  word      TEXT    NOT NULL,
  entries   INTEGER NOT NULL,
  forms     TEXT    NOT NULL,
  PRIMARY KEY (workspace, word)
);

-- How many entries of a workspace can be found now, and how many words they have together.
CREATE TABLE text_totals (
  workspace TEXT    NOT NULL PRIMARY KEY,
  entries   INTEGER NOT NULL,
  length    INTEGER NOT NULL
);
