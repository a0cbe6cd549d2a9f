"""Running cells: who runs what (`queues`), where (`folders`, `kernels`, `node`), and what becomes of it (`run`).

Way in: `operations.py`. A run is a record at its start and one at its end; if its process is gone, `settling` ends it.
"""
