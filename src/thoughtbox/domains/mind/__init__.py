"""The mind room: branches, documents, a typed graph, cards, tasks, and what an engine derives from them (spec 3).

Imports operations, search and ledger only.
"""
