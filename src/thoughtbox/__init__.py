"""Thoughtbox: the reasoning ledger for AI agents.

Everything that happens is a record in one append-only, hash-chained ledger.
Way in: `ledger/ledger.py` for the heart, `docs/concepts.md` for the picture.
"""

__version__ = "0.1.0"
