"""The hosts that agents run in, Claude Code and Codex: where they keep their hooks and servers, and how ours get there.

Way in: `installing.py`. `clients.py` says what each host reads, `json_text.py` and `toml_text.py` change a file without
disturbing what else stands in it. Imports nothing but the standard library, `errors` and `project`.
"""
