"""Decision trail: immutable, hash-chained reasoning tied to sessions and actions (spec 2).

A thought is a record in its session's stream, and its step is its place there. Thoughts of the thoughts room are
read from their records, so that one reasoning leads to an action. Way in: `operations.py`. Imports operations and
ledger only.
"""
