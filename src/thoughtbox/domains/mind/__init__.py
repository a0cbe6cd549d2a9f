"""Reasoning memory: branches, documents, cards and their graph, tasks, and what follows from them."""
