"""Mind: a working memory of documents, branches, a typed graph, cards, tasks and anchors, resumed by meaning (spec 3).

Way in: `operations.py`, which lists the sub-rooms. `room.py` is the room itself, `envelope.py` what every answer looks
like, `scope.py` what a call is about, `records.py` what is written, `view/` what is asked. Imports operations, search
and ledger only.
"""
