-- Who is at work on something, as long as they say so: beside the ledger, and good for a moment only. Whatever is
-- lost with it is found to have ended.
CREATE TABLE leases (
  workspace TEXT    NOT NULL,
  subject   TEXT    NOT NULL,
  holder    TEXT    NOT NULL,
  until_ms  INTEGER NOT NULL,
  note      TEXT    NOT NULL,
  PRIMARY KEY (workspace, subject)
) STRICT, WITHOUT ROWID;
