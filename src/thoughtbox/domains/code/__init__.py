"""Code mode: the whole system through two tools, by small programs."""
