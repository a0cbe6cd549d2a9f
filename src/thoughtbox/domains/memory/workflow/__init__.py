"""Workflow: gates, and what must have been done to pass them."""
