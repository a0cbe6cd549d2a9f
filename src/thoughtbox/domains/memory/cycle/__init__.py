"""The guarded cycle: seven phases, in order, each proven."""
