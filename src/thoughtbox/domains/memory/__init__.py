"""Memory: experiences, episodes and cells, a guarded cycle, receipts and tokens, workflow gates (spec 4).

Way in: `operations.py`, which lists the sub-rooms. `room.py` is the room itself, `project.py` and `configuration.py`
what a project keeps in its `.claude` folder, `hashing.py` how things are hashed and signed, `quoting.py` how stored
text is shown, `view/` what is asked. Imports operations, search and ledger only. `project.py`, `configuration.py`,
`hashing.py` and `quoting.py` import nothing but the standard library and `errors`: hooks start with them alone.
"""
