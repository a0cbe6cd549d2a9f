"""Governance: the chain of invocations, receipts, validation, violations."""
