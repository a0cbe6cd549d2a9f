"""The graph: nodes and edges changed in batches, queried, compared between branches, and merged back."""
