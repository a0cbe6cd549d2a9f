-- A record names the one before it in its stream, so that a stream can be read backward from its head.
-- An index by stream would dirty a page per stream in every commit that many callers share.
ALTER TABLE records ADD COLUMN prev_seq INTEGER NOT NULL DEFAULT 0;

UPDATE records SET prev_seq = COALESCE((
  SELECT before.seq FROM records AS before
  WHERE before.workspace = records.workspace AND before.stream = records.stream
    AND before.stream_index = records.stream_index - 1
), 0);

DROP INDEX records_by_stream;
