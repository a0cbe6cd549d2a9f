"""Tokens: what has been allowed, for how long, signed and spent once."""
