"""Reasoning memory: notes, branches, a typed graph and what leads back to them (spec 3).

Imports operations, search and ledger only.
"""
