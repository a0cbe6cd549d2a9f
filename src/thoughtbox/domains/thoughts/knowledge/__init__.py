"""The knowledge zone: patterns that have proven themselves, and notes for now."""
