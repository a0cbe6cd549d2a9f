"""Looking after sessions: find, read, resume, export, analyse, learn from, rename, tag, complete, delete, verify."""
