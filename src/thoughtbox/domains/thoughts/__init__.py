"""The thoughts room: sessions of thought, with branches, revisions, a cipher, mental models and knowledge (spec 1).

A session is a stream; a thought is a record in it. Way in: `operations.py`. What all of the room shares stands
here: `thoughts.py` and `sessions.py` (the types), `view.py` (the tables), `stages.py` (who may do what when),
`lines.py` (which thought a number means). Folders hold what belongs together: `thinking`, `opening`, `session`,
`cipher`, `files`, `knowledge`. Imports operations, search and ledger only.
"""
