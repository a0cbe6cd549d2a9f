"""Sessions outside the ledger: as documents, and as directories of files, out and in."""
