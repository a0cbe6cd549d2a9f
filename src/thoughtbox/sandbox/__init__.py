"""Sandboxes: run a snippet of JavaScript, TypeScript or Python that can do nothing but compute and ask.

Knows no room, no table and no store: a snippet asks for calls, and whoever runs it answers them. Each runs in a process
that can be ended at any time. Way in: `protocol.py` (what a run is), `sandboxes.py` (where one comes from). Imports
errors only.
"""
