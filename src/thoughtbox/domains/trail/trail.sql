-- Which thoughts led to which action. Everything else about a trail is read from its stream.
CREATE TABLE trail_actions (
  workspace TEXT    NOT NULL,
  action_id TEXT    NOT NULL,
  seq       INTEGER NOT NULL,
  stream    TEXT    NOT NULL,
  PRIMARY KEY (workspace, action_id, seq)
) STRICT, WITHOUT ROWID;

-- Sessions of the thoughts room that are deleted: version rows.
CREATE TABLE trail_hidden (
  workspace TEXT    NOT NULL,
  stream    TEXT    NOT NULL,
  from_seq  INTEGER NOT NULL,
  until_seq INTEGER NOT NULL,
  PRIMARY KEY (workspace, stream, until_seq)
) STRICT, WITHOUT ROWID;
