"""The thoughts room: sessions of thought, with branches, revisions, a cipher, mental models and knowledge (spec 1).

A session is a stream; a thought is a record in it. Way in: `operations.py`. The types that all files
share stand in `thoughts.py` and `sessions.py`. Imports operations, search and ledger only.
"""
