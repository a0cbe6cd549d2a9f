-- One row per record that can be found.
CREATE TABLE texts (
  workspace TEXT    NOT NULL,
  seq       INTEGER NOT NULL,
  topic     TEXT    NOT NULL,
  session   TEXT    NOT NULL,
  PRIMARY KEY (workspace, seq)
) STRICT, WITHOUT ROWID;

-- The index knows a record by one number: where those of its workspace start, and its own on top.
-- So each workspace has a stretch of the index to itself, with its newest records at the end.
CREATE TABLE text_starts (
  workspace TEXT    NOT NULL PRIMARY KEY,
  start     INTEGER NOT NULL UNIQUE
) STRICT, WITHOUT ROWID;

-- It is given words, not texts, and keeps nothing but where they stand. `rest` has the further words
-- of a very long text, in no order.
CREATE VIRTUAL TABLE texts_index USING fts5(said, rest, content = '', tokenize = 'ascii');

-- The index read from the other side, to compare it.
CREATE VIRTUAL TABLE texts_words USING fts5vocab(texts_index, instance);
