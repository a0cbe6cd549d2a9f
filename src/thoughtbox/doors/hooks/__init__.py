"""Hooks: what a host calls at every step of an agent, as `thoughtbox hook EVENT`, with JSON on standard input.

Way in: `main.py`, which no error leaves. `gate.py` and `prompts.py` look at the project's files alone, and `spool.py`
takes what happened down for later, so that nobody waits for a store; what needs one is in `keeping.py`, and loads the
product first.
"""
