"""The ledger: one append-only, hash-chained sequence of records per workspace.

Imports engine and errors only. Way in: `ledger.py` (append and read), `record.py`
(what a record is), `verify.py` (whether it still is what was written).
"""
