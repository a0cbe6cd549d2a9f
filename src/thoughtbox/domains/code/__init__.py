"""Code mode: two tools and three languages for the whole system (spec 5).

`search` looks through the catalog of operations; `execute` runs a snippet that writes records with seven builders and
calls any operation of any room, all of it or nothing. Way in: `operations.py`. Imports operations, search, ledger and
sandbox only: what a snippet asks for goes through the table, like any other call.
"""
