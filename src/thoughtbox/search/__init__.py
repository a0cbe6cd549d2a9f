"""Search: full text over the records that rooms have said are searchable.

Imports ledger, engine and errors only. Way in: `registry.py` (how a room says what can
be found), `texts.py` (the view that finds it), `query.py` (what may be asked), `candidates.py` and `ranking.py`
(what comes first).
"""
