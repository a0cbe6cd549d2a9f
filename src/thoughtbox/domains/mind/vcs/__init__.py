"""Version control of notes: commits, a pointer that follows them, tags."""
