-- Nodes and edges: every version of each, by the branch that it was written on. What was deleted is a version, too: it
-- hides what the branch was made from.
CREATE TABLE mind_nodes (
  workspace TEXT    NOT NULL,
  branch    INTEGER NOT NULL,
  doc       TEXT    NOT NULL,
  id        TEXT    NOT NULL,
  until_seq INTEGER NOT NULL,
  from_seq  INTEGER NOT NULL,
  type      TEXT    NOT NULL,
  title     TEXT,
  text      TEXT,
  status    TEXT,
  tags      TEXT    NOT NULL,
  meta      TEXT    NOT NULL,
  deleted   INTEGER NOT NULL,
  ts_ms     INTEGER NOT NULL,
  PRIMARY KEY (workspace, branch, doc, id, until_seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX mind_nodes_by_id ON mind_nodes (workspace, id, from_seq);

CREATE TABLE mind_edges (
  workspace TEXT    NOT NULL,
  branch    INTEGER NOT NULL,
  doc       TEXT    NOT NULL,
  source    TEXT    NOT NULL,
  rel       TEXT    NOT NULL,
  target    TEXT    NOT NULL,
  until_seq INTEGER NOT NULL,
  from_seq  INTEGER NOT NULL,
  meta      TEXT    NOT NULL,
  deleted   INTEGER NOT NULL,
  ts_ms     INTEGER NOT NULL,
  PRIMARY KEY (workspace, branch, doc, source, rel, target, until_seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX mind_edges_by_target ON mind_edges (workspace, branch, doc, target, until_seq);

-- What nodes are looked for by, the newest first: any at all, a status, a type with a status, a tag. They are version
-- rows with another key: what stands now is found in order of its last change.
CREATE TABLE mind_facets (
  workspace TEXT    NOT NULL,
  branch    INTEGER NOT NULL,
  doc       TEXT    NOT NULL,
  facet     TEXT    NOT NULL,
  draft     INTEGER NOT NULL,
  until_seq INTEGER NOT NULL,
  from_seq  INTEGER NOT NULL,
  id        TEXT    NOT NULL,
  PRIMARY KEY (workspace, branch, doc, facet, draft, until_seq, from_seq)
) STRICT, WITHOUT ROWID;

-- For what stood at a fork, or earlier.
CREATE INDEX mind_facets_in_order ON mind_facets (workspace, branch, doc, facet, draft, from_seq);
