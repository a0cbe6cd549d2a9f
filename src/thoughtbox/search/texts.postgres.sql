-- One row per record that can be found, with its words and where they stand.
CREATE TABLE texts (
  workspace TEXT     NOT NULL,
  seq       INTEGER  NOT NULL,
  topic     TEXT     NOT NULL,
  session   TEXT     NOT NULL,
  words     TSVECTOR NOT NULL,
  PRIMARY KEY (workspace, seq)
);

CREATE INDEX texts_by_word ON texts USING gin (words);
