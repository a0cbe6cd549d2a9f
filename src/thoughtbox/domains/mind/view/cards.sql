-- What was written as a card, by the document that it is a node of: the node may have changed since, the card has not.
CREATE TABLE mind_cards (
  workspace TEXT    NOT NULL,
  branch    INTEGER NOT NULL,
  doc       TEXT    NOT NULL,
  id        TEXT    NOT NULL,
  seq       INTEGER NOT NULL,
  PRIMARY KEY (workspace, branch, doc, id, seq)
) STRICT, WITHOUT ROWID;

-- Notes that sum a card up.
CREATE TABLE mind_card_notes (
  workspace TEXT    NOT NULL,
  card      INTEGER NOT NULL,
  seq       INTEGER NOT NULL,
  PRIMARY KEY (workspace, card, seq)
) STRICT, WITHOUT ROWID;
