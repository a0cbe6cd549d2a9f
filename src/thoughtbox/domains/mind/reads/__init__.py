"""Reading what was thought: what matters first, within limits, with what follows from it. Way in: operations.py."""
