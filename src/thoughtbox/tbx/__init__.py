"""TBX-C1: a compact, lossless form of records and results, in JSON (spec 5, layer C; `docs/tbx-c1.md`).

Knows nothing but the form. Way in: `encode` and `decode`. Imports errors only.
"""

from thoughtbox.tbx.messages import decode, encode, encode_error, is_tbx

__all__ = ["decode", "encode", "encode_error", "is_tbx"]
