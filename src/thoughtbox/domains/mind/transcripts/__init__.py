"""Session transcripts: an explicit, bounded window into what Codex and Claude Code wrote to disk; nothing is taken in.

Ways in: `search.py`, `opening.py`, `digest.py`. Reads below the folders that `roots.py` names, and writes nothing.
"""
