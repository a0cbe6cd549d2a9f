"""Finding what is known by its words, on every branch."""
