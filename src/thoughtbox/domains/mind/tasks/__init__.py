"""Plans, tasks and steps: what is to be done, how far it has come, and where to go on.

Way in: `operations.py`. Every mutation is one event (`events.py`): an entry of the trace of its plan or task, and
what the views and the graph make of it, in one transaction.
"""
