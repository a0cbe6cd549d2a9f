"""Branches: lines of what-if reasoning, and the notes that open them."""
