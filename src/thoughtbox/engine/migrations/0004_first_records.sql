-- A stream names its first record, so that it is known which streams there were at any earlier time.
ALTER TABLE streams ADD COLUMN first_seq INTEGER NOT NULL DEFAULT 0;

-- One pass over the records; an update that looks for each stream's first record would make one for every stream.
INSERT INTO streams (workspace, stream, length, head_hash, last_seq, first_seq)
SELECT workspace, stream, 1, hash, seq, seq FROM records
WHERE stream_index = 0 AND EXISTS (
  SELECT 1 FROM streams AS known WHERE known.workspace = records.workspace AND known.stream = records.stream
)
ON CONFLICT (workspace, stream) DO UPDATE SET first_seq = excluded.first_seq;
