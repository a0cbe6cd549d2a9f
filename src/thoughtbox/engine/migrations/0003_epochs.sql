-- Several releases may be at work on one store. `epoch` is raised whenever views are put in the place of others, and
-- with every later step: whoever meets another one than before looks again whether the store is still theirs to use.
-- Each workspace carries it in the row that a writer locks anyway, so that the look costs no statement.
CREATE TABLE store (
  id      INTEGER NOT NULL PRIMARY KEY,
  epoch   INTEGER NOT NULL,
  imports INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO store (id, epoch, imports) VALUES (1, 1, 0);

ALTER TABLE workspaces ADD COLUMN epoch INTEGER NOT NULL DEFAULT 1;

-- Who is importing into the workspace: a number of its own, or 0. Records behind `last_seq` are then not to be shown.
ALTER TABLE workspaces ADD COLUMN importing INTEGER NOT NULL DEFAULT 0;

-- Which release of a view this is, and the tables that it has.
ALTER TABLE views ADD COLUMN generation INTEGER NOT NULL DEFAULT 1;

ALTER TABLE views ADD COLUMN tables TEXT NOT NULL DEFAULT '';
