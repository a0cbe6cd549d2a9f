-- What a host's hooks wrote down of a session of theirs.
CREATE TABLE memory_host_notes (
  workspace    TEXT    NOT NULL,
  id           INTEGER NOT NULL,
  client       TEXT    NOT NULL,
  host_session TEXT    NOT NULL,
  kind         TEXT    NOT NULL,
  ts           TEXT    NOT NULL,
  text         TEXT    NOT NULL,
  cycle        INTEGER,
  PRIMARY KEY (workspace, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX memory_host_notes_by_session ON memory_host_notes (workspace, client, host_session, kind, id);
