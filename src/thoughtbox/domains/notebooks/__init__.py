"""Notebooks: prose and code in cells that are run, kept, replayed and cited (spec 1, "Notebook Types").

A notebook is a stream of records: its making, every change of a cell, every run with what it showed. Way in:
operations.py. Cells are run in boxes (`confinement`) by `running`. Imports operations, search, ledger and confinement
only.
"""
