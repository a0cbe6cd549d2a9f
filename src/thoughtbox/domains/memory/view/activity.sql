-- What happened in this room, a row per record.
CREATE TABLE activity_log (
  workspace  TEXT    NOT NULL,
  id         INTEGER NOT NULL,
  timestamp  INTEGER NOT NULL,
  event_type TEXT    NOT NULL,
  session_id TEXT    NOT NULL,
  details    TEXT    NOT NULL,
  PRIMARY KEY (workspace, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX activity_log_by_session ON activity_log (workspace, session_id, id);

-- Which tools each record proves to have been used, and by whom; what a host has seen was done by whoever works there.
CREATE TABLE activity_tools (
  workspace TEXT    NOT NULL,
  tool      TEXT    NOT NULL,
  agent     TEXT    NOT NULL,
  id        INTEGER NOT NULL,
  timestamp INTEGER NOT NULL,
  PRIMARY KEY (workspace, tool, agent, id)
) STRICT, WITHOUT ROWID;
