"""The ledger's own questions: how it stands, whether it holds, and proofs of it.

Way in: `operations.py`. Imports operations and ledger only.
"""
