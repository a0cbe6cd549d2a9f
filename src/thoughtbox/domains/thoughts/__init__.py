"""The thoughts room: sessions of thought, with branches, revisions, a cipher, mental models and knowledge (spec 1).

A session is a stream; a thought is a record in it. Way in: `operations.py`. What the room talks about stands in
`model`, the tables that answer its questions in `view`. Its verbs stand in folders by what a caller is about:
`begin` (find one's place), `think`, `sessions` (look after them, analyse them, learn from them), `knowledge`; the
notation is in `cipher`, sessions as documents and directories in `files`, texts for agents in `content`.

What these share stands here: `scope` (which session a call means), `numbers` (which thought a number means),
`stages` (who may do what when), `events` (the records of a session's life), `resume`, `records` (thoughts opened
from the ledger), `paging`, and what goes over the wire in several places, `arguments` and `answers`.
Imports operations, search and ledger only.
"""
