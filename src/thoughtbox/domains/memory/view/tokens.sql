-- Tokens as they stand: version rows. One of the first version is known once it is spent or revoked.
CREATE TABLE memory_tokens (
  workspace        TEXT    NOT NULL,
  token_id         TEXT    NOT NULL,
  until_seq        INTEGER NOT NULL,
  from_seq         INTEGER NOT NULL,
  id               INTEGER NOT NULL,
  session_id       INTEGER,
  ts               TEXT    NOT NULL,
  token_type       TEXT    NOT NULL,
  payload_json     TEXT    NOT NULL,
  payload_hash     TEXT    NOT NULL,
  signature        TEXT    NOT NULL,
  workflow_session TEXT,
  expires_at       INTEGER NOT NULL,
  status           TEXT    NOT NULL,
  PRIMARY KEY (workspace, token_id, until_seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX memory_tokens_by_session ON memory_tokens (workspace, status, workflow_session, until_seq, expires_at);
CREATE INDEX memory_tokens_by_expiry ON memory_tokens (workspace, status, until_seq, expires_at);
