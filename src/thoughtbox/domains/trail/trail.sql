-- Which thoughts led to which action. Everything else about a trail is read from its stream.
CREATE TABLE trail_actions (
  workspace TEXT    NOT NULL,
  action_id TEXT    NOT NULL,
  seq       INTEGER NOT NULL,
  PRIMARY KEY (workspace, action_id, seq)
) STRICT, WITHOUT ROWID;
