"""TBX-C1: a compact, lossless form of records and results, in JSON (spec 5, layer C).

Knows nothing but the form. Way in: `encode` and `decode`. Imports errors only.
"""
