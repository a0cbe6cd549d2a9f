"""Engines: where rows live. SQLite out of the box, PostgreSQL for teams.

An engine runs work in transactions and says when something was committed; it
knows nothing of records. Imports errors and settings only. Way in: `protocol.py`.
"""
