-- Anchors by id, as they stand and as they stood.
CREATE TABLE mind_anchors (
  workspace   TEXT    NOT NULL,
  id          TEXT    NOT NULL,
  until_seq   INTEGER NOT NULL,
  from_seq    INTEGER NOT NULL,
  title       TEXT    NOT NULL,
  kind        TEXT    NOT NULL,
  status      TEXT    NOT NULL,
  description TEXT,
  refs        TEXT    NOT NULL,
  parent_id   TEXT,
  depends_on  TEXT    NOT NULL,
  created_ms  INTEGER NOT NULL,
  updated_ms  INTEGER NOT NULL,
  PRIMARY KEY (workspace, id, until_seq)
) STRICT, WITHOUT ROWID;

-- Other ids that lead to an anchor: what it was called before, what was merged into it.
CREATE TABLE mind_anchor_aliases (
  workspace TEXT    NOT NULL,
  alias     TEXT    NOT NULL,
  until_seq INTEGER NOT NULL,
  from_seq  INTEGER NOT NULL,
  anchor    TEXT    NOT NULL,
  PRIMARY KEY (workspace, alias, until_seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX mind_anchor_aliases_by_anchor ON mind_anchor_aliases (workspace, anchor, until_seq);

-- Which nodes name an anchor, by the very tag that they have: who reads resolves aliases, so that a rename rewrites
-- nothing. They are version rows, too; what stands now is found in the order in which it is shown.
CREATE TABLE mind_anchor_links (
  workspace TEXT    NOT NULL,
  branch    INTEGER NOT NULL,
  tag       TEXT    NOT NULL,
  doc       TEXT    NOT NULL,
  id        TEXT    NOT NULL,
  until_seq INTEGER NOT NULL,
  from_seq  INTEGER NOT NULL,
  kept      INTEGER NOT NULL,
  place     INTEGER NOT NULL,
  PRIMARY KEY (workspace, branch, tag, doc, id, until_seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX mind_anchor_links_by_node ON mind_anchor_links (workspace, id, until_seq);
CREATE INDEX mind_anchor_links_in_order ON mind_anchor_links (workspace, tag, kept, until_seq, place, from_seq DESC);

-- On which branches an anchor was ever named.
CREATE TABLE mind_anchor_branches (
  workspace TEXT    NOT NULL,
  tag       TEXT    NOT NULL,
  branch    INTEGER NOT NULL,
  seq       INTEGER NOT NULL,
  PRIMARY KEY (workspace, tag, branch)
) STRICT, WITHOUT ROWID;

CREATE INDEX mind_anchor_branches_by_branch ON mind_anchor_branches (workspace, branch, tag);
