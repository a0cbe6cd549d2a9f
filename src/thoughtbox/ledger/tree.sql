-- Complete subtrees of the Merkle tree, every eighth level: what `records.hash` adds up to.
CREATE TABLE tree_nodes (
  workspace TEXT    NOT NULL,
  level     INTEGER NOT NULL,
  position  INTEGER NOT NULL,
  hash      BLOB    NOT NULL,
  PRIMARY KEY (workspace, level, position)
) STRICT, WITHOUT ROWID;
